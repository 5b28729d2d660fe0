"""Time and result of RECI, LiNGAM and EMD against other implementations, in one run.

    OMP_NUM_THREADS=1 python benchmarks/baselines_regression.py

Peers are the packages lingam and cdt where they can be imported, and otherwise the published
formulas written down directly: least squares in all parameters, matrices of n x n. Each time
is the best of several for one pair, both directions.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from types import ModuleType

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import least_squares

from bqcd.data.pair import Pair
from bqcd.methods.emd import EMD
from bqcd.methods.lingam import LiNGAM
from bqcd.methods.reci import RECI
from bqcd.methods.verdict import Method

Peer = Callable[[np.ndarray, np.ndarray], float]
SIZES = (1_000, 16_000)


def package(name: str) -> ModuleType | None:
    """The package, or None where it cannot be imported."""
    try:
        return import_module(name)
    except ImportError:
        return None


def unit_range(column: np.ndarray) -> np.ndarray:
    """Column from 0 to 1."""
    return (column - column.min()) / np.ptp(column)


def both_ways(error: Callable[[np.ndarray, np.ndarray], float]) -> Peer:
    """Confidence from one error per direction."""
    return lambda x, y: error(y, x) - error(x, y)


def logistic_error(cause: np.ndarray, effect: np.ndarray) -> float:
    """Least squares in all four parameters, from two starts."""
    given, target = unit_range(cause), unit_range(effect)

    def left(parameters: np.ndarray) -> np.ndarray:
        low, high, steepness, place = parameters
        with np.errstate(over="ignore"):
            return low + (high - low) / (1.0 + np.exp(steepness * (place - given))) - target

    rising = np.corrcoef(given, target)[0, 1] > 0.0
    ends = (0.0, 1.0) if rising else (1.0, 0.0)
    fits = (least_squares(left, (*ends, c, np.median(given)), method="lm") for c in (5.0, 15.0))
    return min(float(np.mean(fit.fun**2)) for fit in fits)


def cube_error(cause: np.ndarray, effect: np.ndarray) -> float:
    """Least squares of a x³ + b."""
    target = unit_range(effect)
    design = np.stack((unit_range(cause) ** 3, np.ones(len(cause))), axis=1)
    return float(np.mean((target - design @ np.linalg.lstsq(design, target)[0]) ** 2))


def dense_dependence(cause: np.ndarray, effect: np.ndarray) -> float:
    """Kernel mutual information of cause and residuals by determinants."""
    n = len(cause)
    x, y = ((column - column.mean()) / column.std() for column in (cause, effect))
    shrinkage, width = (2e-3, 0.5) if n > 1000 else (2e-2, 1.0)
    k, m = (
        np.exp(-0.5 * ((column[:, None] - column) / width) ** 2)
        for column in (x, y - np.mean(x * y) * x)
    )
    ridge = 0.5 * n * shrinkage * np.eye(n)
    one, other = k + ridge, m + ridge
    whole = np.linalg.slogdet(np.block([[one @ one, k @ m], [m @ k, other @ other]]))[1]
    return float(np.linalg.slogdet(one)[1] + np.linalg.slogdet(other)[1] - 0.5 * whole)


def dense_embeddings(x: np.ndarray, y: np.ndarray) -> float:
    """EMD of one draw with n x n matrices."""
    n, (s, t) = len(x), np.random.default_rng(0).uniform(size=(2, len(x)))
    x, y = unit_range(x), unit_range(y)
    rows = np.triu_indices(n, 1)
    pooled = np.concatenate([np.abs(v[:, None] - v)[rows] for v in (x, y)])
    width = 2.5 / np.median(pooled[pooled > 0.0])

    def kernel(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.exp(-width * (one[:, None] - other) ** 2)

    def distances(cause: np.ndarray, effect: np.ndarray) -> float:
        k, m, k_s = kernel(cause, cause), kernel(effect, effect), kernel(s, s)
        cross = kernel(cause, s)
        a = cho_solve(cho_factor(k + 1e-3 * n * np.eye(n)), cross)
        mapped = m @ a
        terms = np.sum(k * m) - 2 * np.sum(mapped * cross) + 2 * np.sum(mapped @ k_s * a)
        terms -= 2 * np.sum(kernel(effect, t).T @ a * k_s)
        return float(terms + np.sum(k_s * kernel(t, t))) / n**2

    return distances(y, x) - distances(x, y)


def contests() -> list[tuple[str, Method, str, Peer, int]]:
    """Name, method, name of the peer, peer, and the rows it can be asked to take."""
    found: list[tuple[str, Method, str, Peer, int]] = [
        ("reci", RECI(), "four parameters", both_ways(logistic_error), 16_000),
        ("reci:curve=mon", RECI(curve="mon"), "least squares", both_ways(cube_error), 16_000),
    ]
    toolbox = package("cdt.causality.pairwise")
    if toolbox is not None:
        cdt = toolbox.RECI()
        found.append(
            (
                "reci:curve=mon",
                RECI(curve="mon"),
                "cdt",
                lambda x, y: cdt.predict_proba((x, y)),
                16_000,
            )
        )
    peer = package("lingam")
    if peer is not None:
        found += [("lingam", LiNGAM(prune=False), "ICALiNGAM", by_order(peer.ICALiNGAM), 16_000)]
        likelihood = LiNGAM(measure="likelihood")
        found += [
            (
                "lingam:measure=likelihood",
                likelihood,
                "DirectLiNGAM",
                by_order(peer.DirectLiNGAM),
                16_000,
            )
        ]
    found += [
        (
            "lingam:measure=kernel",
            LiNGAM(measure="kernel"),
            "dense",
            both_ways(dense_dependence),
            1_000,
        ),
        ("emd, one draw", EMD(draws=1), "dense", dense_embeddings, 1_000),
        ("emd", EMD(), "dense, one draw", dense_embeddings, 1_000),
    ]
    return found


def by_order(model: Callable[[], object]) -> Peer:
    """The causal order of a package as a sign."""

    def sign(x: np.ndarray, y: np.ndarray) -> float:
        return 1.0 - 2.0 * model().fit(np.stack((x, y), axis=1)).causal_order_[0]

    return sign


def least_time(ask: Callable[[], float], repeats: int) -> tuple[float, float]:
    """Answer, and least time of ``repeats`` in milliseconds."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        answer = ask()
        times.append(perf_counter() - start)
    return answer, 1e3 * min(times)


def main() -> None:
    """Print a line per method and size."""
    print("milliseconds per pair; packages that tell an order only are compared by sign")
    titles = f"{'method':<16} {'n':>6} {'bqcd':>9} {'peer':<16} {'time':>9} {'ratio':>7}"
    print(f"{titles} {'difference':>11}")
    for n in SIZES:
        rng = np.random.default_rng(n)
        x = rng.uniform(size=n)
        y = x + 0.5 * x**3 + 0.3 * rng.uniform(size=n)
        pair = Pair(x, y)
        for name, method, peer_name, peer, most in contests():

            def ask(method: Method = method, pair: Pair = pair) -> float:
                return method.decide(pair, np.random.default_rng(0)).confidence

            ask()
            found, own = least_time(ask, 7)
            line = f"{name:<16} {n:>6} {own:>9.2f} {peer_name:<16}"
            if n <= most:
                theirs, time = least_time(lambda peer=peer, x=x, y=y: peer(x, y), 2)
                gap = f"{abs(found - theirs):.1e}"
                if abs(theirs) == 1.0:
                    gap = "same sign" if found * theirs > 0.0 else "other sign"
                line += f" {time:>9.1f} {time / own:>7.1f} {gap:>11}"
            print(line)


if __name__ == "__main__":
    main()
