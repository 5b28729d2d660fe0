"""The Tübingen pairs: how often it is right on real data.

99 real pairs whose answer is known, from altitude and temperature to age and wages. Needs the
benchmark files: `bqcd datasets fetch tuebingen`, or `BQCD_DATA` set to their folder.

Accuracy is for answering every pair. The picture shows what is gained by answering only the
most confident ones, next to a fair coin: within the grey band a coin does as well in 95 of 100
cases. Pairs from the same table share a weight of 1. Some 70 % is what the method reaches here;
single verdicts on real data deserve no more trust than that.
"""

from bqcd import load_pairs, run_benchmark
from bqcd.benchmark import Results
from bqcd.benchmark.metrics import accuracy, clopper_pearson, decision_rate_curve
from bqcd.show.plots import plot_decision_rates

METHODS = ("bqcd", "igci-u", "slope", "cdci", "coin")


def columns(results: Results, method: str) -> tuple[list[float], list[float], list[float]]:
    """Truth, confidence and weight of each pair."""
    rows = [row for row in results.table.to_pylist() if row["method"] == method]
    return tuple([row[name] for row in rows] for name in ("truth", "confidence", "weight"))


def main() -> None:
    """Judge all pairs by some methods, and draw accuracy against decision rate."""
    results = run_benchmark(METHODS, [load_pairs("tuebingen")])
    curves = {}
    for method in METHODS:
        truth, confidence, weight = columns(results, method)
        share, weighted = accuracy(truth, confidence), accuracy(truth, confidence, weight=weight)
        low, high = clopper_pearson(round(share * len(truth)), len(truth))
        print(
            f"{method:8} {share:.2f} of {len(truth)} pairs right "
            f"({low:.2f} to {high:.2f}), weighted {weighted:.2f}"
        )
        curve = decision_rate_curve(truth, confidence, weight=weight)
        curves[method] = (curve.rate, curve.accuracy, curve.pairs)
        band = (curve.rate, curve.coin_low, curve.coin_high)
    plot_decision_rates(curves, band, title="Tübingen, weighted", path="decision-rates.png")


if __name__ == "__main__":
    main()
