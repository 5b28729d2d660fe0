"""The network that reads pictures: learned in NumPy, judged on families left out, and written.

    python benchmarks/panel/networks.py --workers 2

Learns one network for each group of families left out, and one from all of them; each is a file
in the folder of chunks, and those that are there already are not learned again. With ``--trial`` a
network of one group is judged and not kept, by a course that may differ in some settings.
"""

from __future__ import annotations

import argparse
import sys
from ast import literal_eval
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import process_time

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parent))

from families import APART, COMMON, FAMILIES
from learning import Rows, best_factor, judged
from make import FOLDER, store
from pictures import read_pictures

from bqcd.methods.models.panel_picture import (
    Network,
    exchanged,
    mirror_image,
    mirrored,
    network_inputs,
)

Pictures = NDArray[np.float32]
Vector = NDArray[np.float64]
Layers = list[NDArray[np.float32]]

GROUPS = 3


@dataclass(frozen=True)
class Course:
    """How a network learns; settled by families left out."""

    widths: tuple[int, ...] = (256, 96)
    steps: int = 30_000
    batch: int = 512
    rate: float = 2e-3
    decay: float = 1e-3
    drop: float = 0.1
    # Share of the pairs that are shown as normal scores, where the columns tell nothing.
    equal: float = 0.3
    # Pairs with a common cause alone that are shown beside a batch, and how much their question
    # counts: whether a link is direct.
    common: int = 128
    weight: float = 0.5


class Learner:
    """A network in single precision, and Adam's memory of its gradients."""

    def __init__(self, inputs: int, course: Course, rng: Generator) -> None:
        widths = (inputs, *course.widths, 2)
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

    def gradients(self, layers: Layers, of_outputs: NDArray[np.float32]) -> Layers:
        """Gradients of weights, then biases."""
        weights, biases, slope = [], [], of_outputs
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


def learned(direct: Pictures, common: Pictures, course: Course) -> Network:
    """Network that tells pictures from those of exchanged columns, and links from common causes.

    Pictures are pairs of pictures: as they come, and as normal scores, as some of a batch are
    shown. All of a batch are shown in one mirror image.
    """
    rng = default_rng(0)
    learner = Learner(network_inputs(direct[:1, 0]).shape[1], course, rng)
    for _ in range(course.steps):
        shown = np.concatenate(
            [_drawn(direct, course.batch, course, rng), _drawn(common, course.common, course, rng)]
        )
        shown = mirror_image(shown, int(rng.integers(4)))
        sides = [
            learner.layers(network_inputs(side).astype(np.float32), course.drop)
            for side in (shown, exchanged(shown))
        ]
        slopes = _slopes(sides[0][-1], sides[1][-1], course)
        both = [learner.gradients(side, slope) for side, slope in zip(sides, slopes, strict=True)]
        learner.step([ahead + back for ahead, back in zip(*both, strict=True)])
    return learner.network()


def _drawn(pictures: Pictures, count: int, course: Course, rng: Generator) -> Pictures:
    """Some pictures, a share of them as normal scores."""
    rows = rng.integers(len(pictures), size=count)
    return pictures[rows, (rng.random(count) < course.equal).astype(np.intp)]


def _slopes(
    ahead: NDArray[np.float32], back: NDArray[np.float32], course: Course
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Slopes of the loss by the outputs for the pictures, and for those of exchanged columns."""
    direct = np.arange(len(ahead)) < course.batch
    odd, even = ahead[:, 0] - back[:, 0], ahead[:, 1] + back[:, 1]
    of_odd = np.where(direct, -1.0 / (1.0 + np.exp(odd)) / course.batch, 0.0)
    share = np.where(direct, 0.5 / course.batch, 0.5 / max(course.common, 1))
    of_even = course.weight * share * (1.0 / (1.0 + np.exp(-even)) - direct)
    slopes = (np.column_stack((side * of_odd, of_even)) for side in (1.0, -1.0))
    first, second = (slope.astype(np.float32) for slope in slopes)
    return first, second


def many_said(network: Network, pictures: Pictures) -> tuple[Vector, Vector]:
    """What a network says of many pictures at once: log-odds of a direction, of a direct link."""
    odd, even = np.zeros((2, len(pictures)))
    for image in mirrored(pictures):
        ahead, back = _outputs(network, image), _outputs(network, exchanged(image))
        odd += (ahead - back)[:, 0] / 4.0
        even += (ahead + back)[:, 1] / 4.0
    return odd, even


def _outputs(network: Network, pictures: Pictures) -> NDArray[np.float64]:
    values = network_inputs(pictures.astype(np.float64))
    for at, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        values = values @ weight.T + bias
        if at < len(network.weights) - 1:
            values = np.maximum(values, 0.0)
    return values


def stored_arrays(network: Network, unit: float = 1.0) -> dict[str, NDArray[np.generic]]:
    """Arrays of a network: weights in steps of a 127th of the largest of each output."""
    arrays: dict[str, NDArray[np.generic]] = {
        "layers": np.array(len(network.weights)),
        "unit": np.array(unit),
    }
    for at, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        steps = (np.abs(weight).max(axis=1) / 127.0).astype(np.float32)
        arrays[f"weights{at}"] = np.rint(weight / steps[:, None]).astype(np.int8)
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


def network_groups(families: NDArray[np.str_]) -> list[Rows]:
    """Rows of the families that each network has not seen; no network has seen unlinked pairs."""
    groups: list[set[str]] = [set(APART), *(set() for _ in range(GROUPS - 1))]
    for side in (sorted(FAMILIES), sorted(COMMON)):
        order = default_rng(0).permutation(len(side))
        for place, at in enumerate(order):
            groups[place % GROUPS].add(side[at])
    return [np.isin(families, list(group)) for group in groups]


def learn(folder: Path, which: int) -> str:
    """Learn the network of one group left out, or that of all, unless it is there."""
    path = network_paths(folder)[which]
    if path.exists():
        return f"{path.name} is there"
    start = process_time()
    network, told = tried(folder, which, Course())
    arrays = {f"weights{at}": weight for at, weight in enumerate(network.weights)}
    arrays |= {f"biases{at}": bias for at, bias in enumerate(network.biases)}
    store(path, arrays)
    return f"{path.name}: {process_time() - start:.0f} s  {told}"


def tried(folder: Path, which: int, course: Course) -> tuple[Network, str]:
    """Network of one group left out, or of all families, and what it is worth on those left out."""
    pictures, families = read_pictures(folder)
    common = np.isin(families, list(COMMON))
    out = network_groups(families)[which] if which < GROUPS else np.zeros_like(common)
    network = learned(pictures[~out & ~common], pictures[~out & common], course)
    if not out.any():
        return network, ""
    # Every seventh is enough to judge by: of a round no number of families is a multiple of it.
    some = np.flatnonzero(out)[::7]
    told = [_worth(network, pictures[some, seen], common[some]) for seen in (0, 1)]
    return network, " | normal scores: ".join(told)


def _worth(network: Network, pictures: Pictures, common: Rows) -> str:
    odd, even = many_said(network, pictures)
    odds, weight = odd[~common], np.ones(int((~common).sum()))
    factor = best_factor(odds, weight)
    area = roc_auc_score(~common, even)
    return f"{judged(factor * odds, weight)} (times {factor:.2f}), area of direct {area:.3f}"


def main() -> None:
    """Learn what is missing, or try a course."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--trial", nargs="*", metavar="SETTING=VALUE", help="such as steps=8000")
    options = parser.parse_args()
    if options.trial is not None:
        settings = {name: literal_eval(value) for name, value in map(_parted, options.trial)}
        start = process_time()
        told = tried(options.folder, 0, Course(**settings))[1]
        print(f"{settings}: {process_time() - start:.0f} s  {told}", flush=True)
        return
    with ProcessPoolExecutor(options.workers) as pool:
        for told in pool.map(partial(learn, options.folder), range(GROUPS + 1)):
            print(told, flush=True)


def _parted(setting: str) -> tuple[str, str]:
    name, _, value = setting.partition("=")
    return name, value


if __name__ == "__main__":
    main()
