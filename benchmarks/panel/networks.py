"""The network that reads pictures: learned in NumPy, judged on families left out, and written.

    python benchmarks/panel/networks.py

Learns one network for each group of families left out, and one from all of them; each is a file
in the folder of chunks, and those that are there already are not learned again.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import process_time

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from learning import folds, judged
from make import FOLDER, store
from pictures import read_pictures

from bqcd.methods.models.panel_picture import (
    Network,
    exchanged,
    mirrored,
    network_inputs,
    of_equal_margins,
)

Pictures = NDArray[np.float32]
Vector = NDArray[np.float64]
Layers = list[NDArray[np.float32]]

GROUPS = 3


@dataclass(frozen=True)
class Course:
    """How a network learns; settled by families left out."""

    widths: tuple[int, ...] = (256, 96)
    steps: int = 25_000
    batch: int = 512
    rate: float = 2e-3
    decay: float = 1e-3
    drop: float = 0.1
    # Share of the pairs that are shown as normal scores, where the columns tell nothing.
    equal: float = 0.3


class Learner:
    """A network in single precision, and Adam's memory of its gradients."""

    def __init__(self, inputs: int, course: Course, rng: Generator) -> None:
        widths = (inputs, *course.widths, 1)
        sizes = list(pairwise(widths))
        self.weights = [
            (rng.normal(size=size) * np.sqrt(2.0 / size[0])).astype(np.float32) for size in sizes
        ]
        self.biases = [np.zeros(size[1], dtype=np.float32) for size in sizes]
        self._course, self._rng, self._steps = course, rng, 0
        self._first = [np.zeros_like(part) for part in self.parts]
        self._second = [np.zeros_like(part) for part in self.parts]

    @property
    def parts(self) -> Layers:
        """Weights, then biases."""
        return [*self.weights, *self.biases]

    def layers(self, inputs: NDArray[np.float32], drop: float = 0.0) -> Layers:
        """Values of every layer, the inputs first; a share of hidden ones is dropped."""
        found = [inputs]
        for at, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            values = found[-1] @ weight + bias
            if at < len(self.weights) - 1:
                values = np.maximum(values, 0.0)
                if drop:
                    kept = self._rng.random(values.shape, dtype=np.float32) > drop
                    values *= kept / np.float32(1.0 - drop)
            found.append(values)
        return found

    def gradients(self, layers: Layers, of_output: NDArray[np.float32]) -> Layers:
        """Gradients of weights, then biases."""
        weights, biases, slope = [], [], of_output
        for at in reversed(range(len(self.weights))):
            weights.insert(0, layers[at].T @ slope)
            biases.insert(0, slope.sum(axis=0))
            if at:
                slope = (slope @ self.weights[at].T) * (layers[at] > 0.0)
        return [*weights, *biases]

    def step(self, gradients: Layers) -> None:
        """One step of Adam; the rate falls along a cosine, weights decay."""
        course = self._course
        rate = course.rate * 0.5 * (1.0 + np.cos(np.pi * self._steps / course.steps))
        self._steps += 1
        for at, (part, slope) in enumerate(zip(self.parts, gradients, strict=True)):
            self._first[at] += 0.1 * (slope - self._first[at])
            self._second[at] += 0.001 * (slope * slope - self._second[at])
            size = np.sqrt(self._second[at] / (1.0 - 0.999**self._steps)) + 1e-8
            move = self._first[at] / (1.0 - 0.9**self._steps) / size
            if part.ndim == 2:
                move += course.decay * part
            part -= np.float32(rate) * move

    def network(self) -> Network:
        """What was learned, in double precision."""
        return Network(
            [weight.T.astype(np.float64) for weight in self.weights],
            [bias.astype(np.float64) for bias in self.biases],
        )


def learned(pictures: Pictures, course: Course) -> Network:
    """Network that tells pictures from those of exchanged columns.

    A batch is shown with one mirror image of all, and in part as normal scores.
    """
    rng = default_rng(0)
    learner = Learner(network_inputs(pictures[:1]).shape[1], course, rng)
    for _ in range(course.steps):
        rows = rng.integers(len(pictures), size=course.batch)
        shown = mirrored(pictures[rows])[int(rng.integers(4))]
        equal = rng.random(course.batch) < course.equal
        shown[equal] = of_equal_margins(shown[equal])
        sides = [
            learner.layers(network_inputs(side).astype(np.float32), course.drop)
            for side in (shown, exchanged(shown))
        ]
        odds = sides[0][-1] - sides[1][-1]
        slope = -1.0 / (1.0 + np.exp(odds)) / course.batch
        both = [
            learner.gradients(side, (sign * slope).astype(np.float32))
            for sign, side in zip((1.0, -1.0), sides, strict=True)
        ]
        learner.step([ahead + back for ahead, back in zip(*both, strict=True)])
    return learner.network()


def many_odds(network: Network, pictures: Pictures) -> Vector:
    """Log-odds of many pictures at once."""
    total = np.zeros(len(pictures))
    for image in mirrored(pictures):
        total += _outputs(network, image) - _outputs(network, exchanged(image))
    return total / 4.0


def _outputs(network: Network, pictures: Pictures) -> Vector:
    values = network_inputs(pictures.astype(np.float64))
    for at, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        values = values @ weight.T + bias
        if at < len(network.weights) - 1:
            values = np.maximum(values, 0.0)
    return values[:, 0]


def stored_arrays(network: Network, unit: float = 1.0) -> dict[str, NDArray[np.generic]]:
    """Arrays of a network: weights in steps of a 127th of the largest of each output."""
    arrays: dict[str, NDArray[np.generic]] = {
        "layers": np.array(len(network.weights)),
        "unit": np.array(unit),
    }
    for at, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        most, kind = (127.0, np.int8) if at == 0 else (32767.0, np.int16)
        steps = (np.abs(weight).max(axis=1) / most).astype(np.float32)
        arrays[f"weights{at}"] = np.rint(weight / steps[:, None]).astype(kind)
        arrays[f"steps{at}"] = steps
        arrays[f"biases{at}"] = bias.astype(np.float32)
    return arrays


def network_paths(folder: Path) -> list[Path]:
    """Files of the networks: one for each group of families left out, then that of all."""
    return [folder / f"network-{name}.npz" for name in (*range(GROUPS), "all")]


def read_network(path: Path) -> Network:
    """A network as it was learned."""
    stored = np.load(path)
    count = len(stored.files) // 2
    return Network(
        [stored[f"weights{at}"] for at in range(count)],
        [stored[f"biases{at}"] for at in range(count)],
    )


def learn(folder: Path, which: int) -> None:
    """Learn the network of one group left out, or that of all, unless it is there."""
    path = network_paths(folder)[which]
    if path.exists():
        return
    pictures, families = read_pictures(folder)
    groups = folds(families, GROUPS)
    out = groups[which] if which < GROUPS else np.zeros(len(families), dtype=bool)
    start = process_time()
    network = learned(pictures[~out], Course())
    arrays = {f"weights{at}": weight for at, weight in enumerate(network.weights)}
    arrays |= {f"biases{at}": bias for at, bias in enumerate(network.biases)}
    store(path, arrays)
    print(f"{path.name}: {process_time() - start:.0f} s", flush=True)
    if out.any():
        print(judged(many_odds(network, pictures[out]), np.ones(int(out.sum()))), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    for number in range(GROUPS + 1):
        learn(options.folder, number)
