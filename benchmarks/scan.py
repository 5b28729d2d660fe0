"""Speed of scans: pairs a second on one core, against pyvinecopulib, on two cores, and growth.

    OPENBLAS_NUM_THREADS=1 python benchmarks/scan.py [--largest 1e6] [--rounds 3] [--part ties]
    BQCD_DATA=... python benchmarks/scan.py --part orders [--tied-pairs 60]

Ratios are of times taken in turn within one run, the best round of each. "vinecopulib" is the
same scan with that regressor, on some of the pairs. The profile gives the stages of the inner
work by themselves, and the floor: reading a pair's ranks and counting them into one table. The last
table is a projection for clusters: measured pairs, plus what a scheduler takes for each tile.
"orders" measures no time but errors: confidences of tied pairs against the mean of 256 orders.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from time import perf_counter, process_time
from typing import Any

import numpy as np

from bqcd.benchmark.datasets import load_pairs
from bqcd.discovery.quantiles import Copula
from bqcd.discovery.quantiles.copula import _grid, _kernels
from bqcd.discovery.quantiles.maximal_kernels import rank_table
from bqcd.discovery.ranks import normal_scores, rank_pair
from bqcd.discovery.scores import gauss_legendre, marginal_scores
from bqcd.methods.bqcd import BQCD
from bqcd.methods.decide import decide
from bqcd.scans.engines.dask_cluster import UNWATCHED
from bqcd.scans.form_kernels import fill_orders, fill_untied_forms
from bqcd.scans.scanning import scan
from bqcd.scans.tiles import plan_tiles
from bqcd.statistics.dependence.ranks import untied_dependence

# Seconds the scheduler of a cluster needs for a task; Dask says 200 us to 1 ms.
HANDING_OUT = 0.001


def columns(n_rows: int, n_columns: int) -> dict[str, np.ndarray]:
    """Columns without ties, of which neighbours depend on each other in many ways."""
    rng = np.random.default_rng([n_rows, n_columns])
    hidden = rng.normal(size=(4, n_rows))
    table = {}
    for k in range(n_columns):
        cause = hidden[k % 4]
        bent = np.tanh(cause * rng.normal(scale=2.0)) + 0.3 * rng.normal() * cause**2
        table[f"c{k:04d}"] = bent + rng.uniform(0.3, 2.0) * rng.normal(size=n_rows)
    return table


def best(jobs: dict[str, Callable[[], object]], clock: Callable[[], float], rounds: int) -> dict:
    """Shortest time of each job."""
    found = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            start = clock()
            job()
            found[name] = min(found[name], clock() - start)
    return found


def one_core(rounds: int) -> float:
    """Pairs a second of the fast path and of pyvinecopulib; seconds of a pair."""
    table = columns(1000, 200)
    names = list(table)
    few = [(names[k], names[k + 1]) for k in range(60)]
    scan(table, pairs=few)
    times = best(
        {
            "fast": lambda: scan(table),
            "vinecopulib": lambda: scan(table, pairs=few, regressor="vinecopulib"),
        },
        process_time,
        rounds,
    )
    fast, vine = times["fast"] / 19_900, times["vinecopulib"] / len(few)
    print("One core, 1,000 rows, 200 columns, 19,900 pairs")
    print(f"  scan            {1 / fast:9,.0f} pairs/s  {fast * 1e6:8.0f} us a pair")
    print(f"  pyvinecopulib   {1 / vine:9,.0f} pairs/s  {vine * 1e6:8.0f} us a pair")
    print(f"  ratio           {vine / fast:9.1f}  (to be 100 or more)\n", flush=True)
    return fast


def tied_tables(table: dict[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
    """The same columns with ties of several kinds."""

    def grades(column: np.ndarray, count: int) -> np.ndarray:
        cuts = np.quantile(column, np.linspace(0.0, 1.0, count + 1)[1:-1])
        return np.searchsorted(cuts, column).astype(float)

    kinds = {
        "2 grades": lambda k, column: 1.0 * (column > np.quantile(column, 0.3 + 0.01 * (k % 40))),
        "5 grades": lambda k, column: grades(column, 5),
        "20 grades": lambda k, column: grades(column, 20),
        "two decimals": lambda k, column: column.round(2),
        "zeros in excess": lambda k, column: np.maximum(column, np.quantile(column, 0.35)),
        "one side only": lambda k, column: grades(column, 5) if k % 2 else column,
    }
    return {
        kind: {name: rounded(k, column) for k, (name, column) in enumerate(table.items())}
        for kind, rounded in kinds.items()
    }


def with_ties(rounds: int) -> None:
    """Pairs a second with ties, next to those without in the same run."""
    table = columns(1000, 60)
    names = list(table)
    # One of an even and one of an odd place: with ties on one side, these are the tied ones.
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :: 2]]
    tables = {"no ties": table, **tied_tables(table)}
    jobs = {kind: lambda t=t: scan(t, pairs=pairs) for kind, t in tables.items()}
    times = best(jobs, process_time, rounds)
    print(f"With ties, one core, 1,000 rows, {len(pairs):,} pairs")
    for kind, seconds in times.items():
        ratio = times["no ties"] / seconds
        print(f"  {kind:<16} {len(pairs) / seconds:9,.0f} pairs/s  {ratio:6.3f} of those without")
    print("  (to be 1,500 or more, a quarter of those without)\n", flush=True)


def tie_errors(n_pairs: int) -> None:
    """Errors and signs against 256 orders of ties, next to those of 32 plain orders."""
    table = columns(1000, 8 * n_pairs)
    names = list(table)
    # Every fourth column has the same cause.
    places = [(8 * k + k % 4, 8 * k + k % 4 + 4) for k in range(n_pairs)]
    kinds = {
        kind: [(tied[names[a]], tied[names[b]]) for a, b in places]
        for kind, tied in tied_tables(table).items()
    }
    kinds["one side only"] = [
        (table[names[a]], kinds["5 grades"][k][1]) for k, (a, _) in enumerate(places)
    ]
    real = (one.pair for one in load_pairs("tuebingen"))
    kinds["Tübingen, to 2,500 rows"] = [(p.x, p.y) for p in real if len(p) <= 2500]
    print("Errors against 256 orders of ties: median, 90 %, largest, signs that differ")
    for kind, pairs in kinds.items():
        found = np.array([told for pair in pairs if (told := _three_ways(*pair)) is not None])
        for name, told in zip(("as told", "32 plain orders"), found.T[1:], strict=True):
            errors = np.abs(told - found[:, 0])
            signs = int((np.sign(told) != np.sign(found[:, 0])).sum())
            middle, high = np.quantile(errors, (0.5, 0.9))
            print(
                f"  {kind:<24} {name:<16} {middle:8.1e} {high:8.1e} {errors.max():8.1e} "
                f"{signs:>3} of {len(errors)}",
                flush=True,
            )


def _three_ways(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float] | None:
    """Confidence by 256 orders of a seed of their own, as told, and by 32 plain orders."""
    ranked, rng, rule = rank_pair(x, y), np.random.default_rng(7), BQCD().quadrature(len(x))
    if ranked.ties is None:
        return None
    orders = [order for _ in range(128) for order in ranked.ties.broken_both_ways(rng)]
    scores = Copula().scores_both_ways(normal_scores(len(x)), np.array(orders), rule.levels)
    gaps = (scores[:, 1] - scores[:, 0]) @ rule.weights
    truth = ranked.sign * gaps.mean() / (2.0 * rule.integrate(marginal_scores(len(x), rule)))
    told = (decide(x, y, **more).confidence for more in ({}, {"tie_orders": 32}))
    return float(truth), *told


def profile(whole: float, rounds: int) -> None:
    """Stages of the inner work on 256 pairs, and the floor."""
    n, table = 1000, columns(1000, 200)
    ranks = np.array([np.argsort(np.argsort(c)) for c in table.values()], dtype=np.int32)
    orders = np.empty_like(ranks)
    fill_orders(ranks, orders)
    rng = np.random.default_rng(0)
    pairs = np.array([rng.choice(200, 2, replace=False) for _ in range(256)], dtype=np.int32)
    inverses, signs = np.empty((256, n), np.int32), np.empty(256, np.int8)
    kernels, (points, knots) = _kernels(), _grid(30)
    seconds, shapes = np.empty((256, n)), np.empty((256, 2))
    densities, found = np.empty((256, 30, 30)), np.empty((256, 2, 3))
    scores, levels = normal_scores(n), gauss_legendre(3).levels
    stages = {
        "reading a pair's ranks": lambda: fill_untied_forms(ranks, orders, pairs, inverses, signs),
        "correlations and bandwidth": lambda: kernels.fill_kernel_shapes(
            scores, inverses, seconds, shapes
        ),
        "density on the grid": lambda: kernels.fill_densities(
            scores, seconds, shapes, points, knots, densities
        ),
        "curves and scores": lambda: kernels.fill_scores_both_ways(
            densities, knots, scores, seconds, inverses, levels, found
        ),
        "dependence and p-value": lambda: untied_dependence(inverses),
        "one table of counts": lambda: [rank_table(inverse, 30) for inverse in inverses],
    }
    times = {name: t / 256 for name, t in best(stages, process_time, rounds + 2).items()}
    counts = times.pop("one table of counts")
    rest = whole - sum(times.values())
    print("Profile, microseconds a pair")
    for name, t in times.items():
        print(f"  {name:<28} {t * 1e6:8.1f}")
    print(f"  {'all else (files, table)':<28} {rest * 1e6:8.1f}")
    floor = times["reading a pair's ranks"] + counts
    print(f"  floor: ranks and one table of counts {floor * 1e6:.1f}\n", flush=True)


def _beside(start: Any, times: Any) -> None:
    """One of two processes that scan the same table at the same time, and nothing in common."""
    table = columns(1000, 800)
    scan({name: table[name] for name in list(table)[:40]})
    start.wait()
    begun = perf_counter()
    scan(table)
    times.put(perf_counter() - begun)


def strangers(rounds: int) -> float:
    """Wall time of a scan while another process does the same: what two cores leave of one."""
    processes = get_context("spawn")
    found = float("inf")
    for _ in range(rounds):
        start, times = processes.Barrier(2), processes.Queue()
        both = [processes.Process(target=_beside, args=(start, times)) for _ in range(2)]
        for process in both:
            process.start()
        found = min(found, max(times.get() for _ in both))
        for process in both:
            process.join()
    return found


def beside_cluster(table: dict, rounds: int, settings: Mapping[str, object]) -> dict:
    """Wall time of four workers of a Dask cluster that is there, and of two processes beside it."""
    import dask
    from distributed import LocalCluster

    # Tiles for every worker, so that none has anything to load when the clock runs.
    some = {name: table[name] for name in list(table)[:400]}
    how = {"n_workers": 4, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0}
    with dask.config.set(settings), LocalCluster(**how) as cluster:
        engine = {"engine": "dask", "address": cluster.scheduler_address}
        scan(some, **engine)
        jobs = {"dask": lambda: scan(table, **engine), "beside": lambda: scan(table, workers=2)}
        return best(jobs, perf_counter, rounds)


def two_cores(rounds: int) -> None:
    """Wall time of one process, of two, and of four workers of a Dask cluster that is there.

    The clusters come last: as Dask makes it, one that waits takes an eighth of a core, of which
    one process knows nothing and two pay for, so that two are timed beside it once more.
    """
    table = columns(1000, 800)
    jobs = {"one": lambda: scan(table), "two": lambda: scan(table, workers=2)}
    times = best(jobs, perf_counter, rounds)
    alone = strangers(rounds)
    one, two = times["one"], times["two"]
    print("Two cores, 1,000 rows, 800 columns, wall time")
    print(f"  one process {one:.2f} s, two {two:.2f} s: ", end="")
    print(f"{one / two:.2f} times as fast (to be 1.85 or more)")
    print(f"  two that know nothing of each other: {2 * one / alone:.2f} times the work of one")
    for kind, settings in {"as Dask makes it": {}, "that is not watched": UNWATCHED}.items():
        found = beside_cluster(table, rounds, settings)
        four = found["dask"]
        print(f"  four workers of a Dask cluster {kind} {four:.2f} s: ", end="")
        print(f"{two / four:.2f} times as fast as two processes alone,")
        print(f"    {found['beside'] / four:.2f} times as fast as two beside the waiting cluster")
    print("  (to be 1 or more)\n", flush=True)


def growth(largest: float, rounds: int) -> None:
    """Time of a pair against the number of columns and of rows."""
    print("Growth, CPU time on one core")
    print(f"  {'rows':>10} {'columns':>8} {'pairs':>8} {'us a pair':>10} {'ns a pair and row':>18}")
    sizes = [(1000, 50), (1000, 100), (1000, 200), (1000, 400)]
    sizes += [(10_000, 40), (100_000, 12), (1_000_000, 5), (10_000_000, 3)]
    for n_rows, n_columns in sizes:
        if n_rows > largest:
            break
        table = columns(n_rows, n_columns)
        n_pairs = n_columns * (n_columns - 1) // 2
        few = rounds if n_rows < 1_000_000 else 1
        seconds = best({"scan": lambda t=table: scan(t)}, process_time, few)["scan"] / n_pairs
        print(
            f"  {n_rows:>10,} {n_columns:>8,} {n_pairs:>8,} {seconds * 1e6:>10,.0f} "
            f"{seconds / n_rows * 1e9:>18.0f}",
            flush=True,
        )


def clusters(pair: float) -> None:
    """Hours of a wide table on clusters of several sizes."""
    print("\nClusters, 1,000 rows: measured pairs, and 1 ms of the scheduler for each tile")
    print(
        f"  {'columns':>8} {'pairs':>14} {'tiles':>9} "
        + "".join(f"{workers:>6} workers" for workers in (8, 64, 512))
    )
    for n_columns in (1000, 10_000, 100_000):
        plan = plan_tiles(n_columns, 1000, seconds=pair)
        hours = [
            max(plan.n_pairs * pair / workers, len(plan) * HANDING_OUT) / 3600
            for workers in (8, 64, 512)
        ]
        told = "".join(f"{h * 60:>10.1f} min" if h < 1 else f"{h:>12.1f} h" for h in hours)
        print(f"  {n_columns:>8,} {plan.n_pairs:>14,} {len(plan):>9,} {told}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=float, default=1e7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--part", choices=["ties", "cores", "orders"], help="one part alone")
    parser.add_argument("--tied-pairs", type=int, default=60, help="of each kind, for orders")
    asked = parser.parse_args()
    if asked.part == "orders":
        tie_errors(asked.tied_pairs)
        return
    if asked.part is not None:
        {"ties": with_ties, "cores": two_cores}[asked.part](asked.rounds)
        return
    pair = one_core(asked.rounds)
    profile(pair, asked.rounds)
    with_ties(asked.rounds)
    two_cores(asked.rounds)
    growth(asked.largest, asked.rounds)
    clusters(pair)


if __name__ == "__main__":
    main()
