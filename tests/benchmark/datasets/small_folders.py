"""Small folders in the published layouts."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def columns(seed: int, rows: int = 12) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, 2))


def lines(values: np.ndarray, by: str = " ") -> str:
    return "".join(by.join(map(repr, row)) + "\n" for row in values.tolist())


def pairmeta_folder(folder: Path, count: int = 4) -> Path:
    """Pairs of which the odd ones are x -> y, with weights 1, 1/2, 1/3, ..."""
    folder.mkdir(parents=True, exist_ok=True)
    meta = []
    for number in range(1, count + 1):
        (folder / f"pair{number:04d}.txt").write_text(lines(columns(number)))
        order = "1 1 2 2" if number % 2 else "2 2 1 1"
        meta.append(f"{number:04d} {order} {1 / number!r}\n")
    (folder / "pairmeta.txt").write_text("".join(meta))
    return folder


def numbered_folder(folder: Path, count: int = 3) -> Path:
    """Pairs of which the odd ones are x -> y."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, count + 1):
        rows = enumerate(columns(number).tolist(), start=1)
        body = "".join(f'"{at}",{x!r},{y!r}\n' for at, (x, y) in rows)
        (folder / f"pair_{number}.txt").write_text('"","x_pa","x_child"\n' + body)
    (folder / "pairs_gt.txt").write_text("".join(f"{n % 2}\n" for n in range(1, count + 1)))
    return folder


def kaggle_folder(folder: Path, name: str = "CE-Net", count: int = 3) -> Path:
    """Pairs of which the odd ones are x -> y."""
    folder.mkdir(parents=True, exist_ok=True)
    pairs, targets = ["SampleID,A,B\n"], ["SampleID,Target\n"]
    for number in range(1, count + 1):
        a, b = (" ".join(map(repr, column)) for column in columns(number).T.tolist())
        pairs.append(f"pair{number}, {a}, {b}\n")
        targets.append(f"pair{number},{1.0 if number % 2 else -1.0}\n")
    (folder / f"{name}_pairs.csv").write_text("".join(pairs))
    (folder / f"{name}_targets.csv").write_text("".join(targets))
    return folder
