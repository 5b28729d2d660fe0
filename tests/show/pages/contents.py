"""Contents of pages to test with: realistic, with names that try to do harm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

NASTY = (
    "<script>alert(1)</script>",
    "=cmd()",
    "a very long name of a column that somebody exported from a data base " * 3,
    "mood 🙂",
    "طول",
    "</script><img src=x onerror=alert(2)>",
    "line\u2028break",
    "\"quoted\" & 'single'",
)
PLAIN = ("age", "rings", "length", "altitude", "temperature", "income", "food", "wage")
NAMES = PLAIN + NASTY


def pair(at: int, rng: np.random.Generator) -> dict[str, Any]:
    x, y = NAMES[at % len(NAMES)], NAMES[(3 * at + 1 + at // 16) % len(NAMES)]
    if x == y:
        y = "other"
    confidence = 0.0 if at % 11 == 7 else round(float(rng.normal(0.0, 0.04)), 6)
    cause, effect = (x, y) if confidence > 0 else (y, x)
    failed = at % 23 == 13
    return {
        "id": at,
        "x": x,
        "y": y,
        "cause": None if failed or confidence == 0.0 else cause,
        "effect": None if failed or confidence == 0.0 else effect,
        "answer": "cannot tell" if failed or confidence == 0.0 else "clear",
        "confidence": 0.0 if failed else confidence,
        "n_rows": 400 + 37 * at,
        "dependence": None if failed else round(float(rng.uniform(0.05, 0.95)), 4),
        "dependence_p": None if failed else round(float(10 ** -rng.uniform(0, 9)), 12),
        "probability": None if failed else round(float(rng.uniform(0.5, 0.99)), 4),
        "stability": None if failed else round(float(rng.uniform(0.5, 1.0)), 3),
        "p_bound": None if failed else round(float(rng.uniform(0.001, 0.4)), 5),
        "status": "failed" if failed else "done",
        "message": "a column is constant" if failed else "",
        "detail": not failed,
    }


def detail(row: dict[str, Any], rng: np.random.Generator, n: int = 200) -> dict[str, Any]:
    x = np.sort(rng.normal(size=n))
    y = np.tanh(1.5 * x) + 0.25 * (1 + 0.5 * np.abs(x)) * rng.normal(size=n)
    place = {"x": quantised(x), "y": quantised(y)}
    at = np.linspace(0, 1000, 41).round().astype(int)
    levels = [0.1, 0.5, 0.9]
    curves = {
        way: {"at": at.tolist(), "levels": [curve(place, way, at, level) for level in levels]}
        for way in ("x_to_y", "y_to_x")
    }
    marginal = [0.175, 0.399, 0.175]
    known = {"x_to_y": [0.081, 0.204, 0.085], "y_to_x": [0.089, 0.217, 0.081]}
    return {
        "sentence": f"The data speak for {row['cause']} as the cause of {row['effect']}: knowing "
        "it shortens the description of the other by 52 %, against 49 % the other way round.",
        "points": {
            "x": place["x"].tolist(),
            "y": place["y"].tolist(),
            "weight": None if row["id"] % 4 else [1 + k % 5 for k in range(n)],
            "x_range": [round(float(x.min()), 4), round(float(x.max()), 4)],
            "y_range": [round(float(y.min()), 4), round(float(y.max()), 4)],
            "shown": n,
            "total": row["n_rows"] + n,
            "rule": f"{n} of {row['n_rows'] + n:,} rows, drawn by lot.",
        },
        "curves": curves,
        "voices": voices(),
        "scores": {
            "levels": levels,
            "x_to_y": {"marginal": marginal, "conditional": known["x_to_y"]},
            "y_to_x": {"marginal": marginal, "conditional": known["y_to_x"]},
            "total": {"x_to_y": 0.3731, "y_to_x": 0.3786},
        },
        "assessment": {
            "probability": row["probability"],
            "p_bound": row["p_bound"],
            "stability": row["stability"],
            "halves": 100,
            "interval": [round(row["confidence"] - 0.02, 6), round(row["confidence"] + 0.02, 6)],
            "dependence": row["dependence"],
            "dependence_p": row["dependence_p"],
        },
        "assumptions": [
            "No third variable drives both columns.",
            "The cause and the mechanism that makes the effect from it are independent.",
            "Rows are independent of each other.",
        ],
        "caveats": ["12 % of the values are tied; ties were broken at random in 5 orders."],
    }


def quantised(values: np.ndarray) -> np.ndarray:
    low, high = values.min(), values.max()
    return np.round(1000 * (values - low) / (high - low)).astype(int)


def curve(place: dict[str, np.ndarray], way: str, at: np.ndarray, level: float) -> dict[str, Any]:
    cause, effect = (place["x"], place["y"]) if way == "x_to_y" else (place["y"], place["x"])
    slope, start = np.polyfit(cause, effect, 1)
    apart = np.quantile(effect - slope * cause, level) - start
    values = np.clip(start + slope * at + apart, 0, 1000).round().astype(int)
    return {"level": level, "values": values.tolist()}


def graph(n_nodes: int = 12) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    layers = [3, 4, 3, 2]
    nodes, names = [], iter(NAMES)
    for depth, count in enumerate(layers):
        for k in range(count):
            spot = {"x": round(600 * (k + 0.5) / count), "y": 110 * depth, "width": 96}
            nodes.append({"id": len(nodes), "name": next(names), **spot})
    ends = [(0, 3), (0, 4), (1, 4), (1, 5), (2, 5), (2, 6), (3, 7), (4, 7), (4, 8), (5, 8)]
    ends += [(6, 9), (7, 10), (8, 10), (8, 11), (9, 11), (0, 1), (3, 10)]
    edges = [edge(k, a, b, rng) for k, (a, b) in enumerate(ends)]
    bars = sorted({state["from"] for one in edges for state in one["states"]})
    return {
        "kind": "cpdag",
        "nodes": nodes[:n_nodes],
        "edges": [one for one in edges if max(one["a"], one["b"]) < n_nodes],
        "bars": bars,
        "outcomes": [
            {"name": "judged", "says": "the verdict on the pair decided"},
            {"name": "compelled", "says": "follows from other edges"},
            {"name": "turned", "says": "against the verdict, lest a cycle close"},
            {"name": "v-structure", "says": "a collider that the data show"},
            {"name": "abstained", "says": "the confidence is below the bar"},
        ],
    }


def edge(k: int, a: int, b: int, rng: np.random.Generator) -> dict[str, Any]:
    size = round(float(abs(rng.normal(0.0, 0.05))) + 0.001, 4)
    outcome = ("judged", "judged", "compelled", "judged", "turned", "v-structure")[k % 6]
    way = "b->a" if k % 5 == 2 else "a->b"
    states = [{"from": 0.0, "state": way, "outcome": outcome, "reason": f"{outcome}: {size}."}]
    if outcome != "v-structure":
        why = f"the confidence {size} is below the bar."
        bar = round(math.nextafter(size, 1.0) + 1e-6, 6)
        states.append({"from": bar, "state": "open", "outcome": "abstained", "reason": why})
    signed = -size if way == "b->a" else size
    known = None if outcome == "v-structure" else signed
    return {
        "a": a,
        "b": b,
        "pair": k if k < 8 else None,
        "confidence": known,
        "rank": None if known is None else k + 1,
        "share": None if known is None else 0.8,
        "states": states,
    }


CLAIMED = [[0.55, 0.5], [0.75, 0.8], [0.95, 0.9]]


def benchmark() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    methods = ["bqcd", "igci", "resit", "slope", "<b>coin</b>"]
    datasets = [{"name": name, "pairs": n} for name, n in (("AN", 100), ("SIM", 100), ("Tue", 99))]
    level = {"bqcd": 0.85, "igci": 0.6, "resit": 0.72, "slope": 0.75, "<b>coin</b>": 0.47}
    cells = [
        [
            {
                "accuracy": round(level[method] + 0.06 * at, 4),
                "weighted": round(level[method] + 0.05 * at - 0.01, 4) if at == 2 else None,
                "auc": round(min(0.99, level[method] + 0.08), 4),
                "failed": 3 if (method, at) == ("resit", 1) else 0,
                "seconds": 0.31,
            }
            for at in range(3)
        ]
        for method in methods
    ]
    rates = np.linspace(0.05, 1.0, 30)
    curves = []
    for data in datasets:
        for method in methods:
            drop = level[method] + (1 - level[method]) * 0.8 * (1 - rates)
            noise = 0.02 * rng.normal(size=30)
            decided = np.clip(drop + noise, 0, 1).round(4)
            roc = (rates ** (1.4 - level[method])).round(4)
            curves.append(
                {
                    "dataset": data["name"],
                    "method": method,
                    "decision_rate": np.stack([rates.round(4), decided], 1).tolist(),
                    "roc": [[0.0, 0.0], *np.stack([rates.round(4), roc], 1).tolist()],
                    "reliability": CLAIMED if (data["name"], method) == ("SIM", "slope") else [],
                }
            )
    band = [[float(r), float(0.5 - 0.1 / r**0.5), float(0.5 + 0.1 / r**0.5)] for r in rates[1:]]
    failures = [
        {"dataset": "SIM", "pair": f"pair {k}", "method": "resit", "status": "failed",
         "message": "singular matrix <i>"}
        for k in range(3)
    ]  # fmt: skip
    return {
        "methods": methods,
        "datasets": datasets,
        "cells": cells,
        "curves": curves,
        "failures": failures,
        "failures_total": 3,
        "coin_band": {"AN": band, "SIM": band},
        "calibration": [
            {"dataset": "SIM", "method": "slope", "pairs": 97, "claimed": 0.72, "right": 0.74,
             "error": 0.043, "error_by_chance": 0.068, "surer_half": 0.88}
        ],
    }  # fmt: skip


def colophon() -> dict[str, Any]:
    return {
        "method": "bqcd",
        "settings": [["regressor", "copula"], ["levels", "3"], ["tie_orders", "5"]],
        "version": "0.1.0",
        "seed": 0,
        "fingerprint": "sha256:6f1ed002ab55",
        "command": "bqcd report abalone.csv --method bqcd --seed 0 -o report.html",
        "python": 'bqcd.report("abalone.csv", method="bqcd", seed=0).save("report.html")',
        "bibtex": "@inproceedings{tagasovska2020distinguishing,\n  title = {Distinguishing Cause "
        "from Effect Using Quantiles: Bivariate Quantile Causal Discovery},\n  author = "
        "{Tagasovska, Natasa and Chavez-Demoulin, Val{\\'e}rie and Vatter, Thibault},\n  "
        "booktitle = {ICML},\n  year = {2020}\n}",
    }


def around(kind: str, **parts: Any) -> dict[str, Any]:
    """Content of a page with the parts given, and everything else that a page has."""
    return {
        "schema": 1,
        "kind": kind,
        "title": "Which columns of abalone drive which?",
        "question": "For every pair of columns: which of the two is the cause?",
        "answer": "Of 60 pairs, 52 were decided; clearest is that age is the cause of rings "
        "(confidence 0.11, probability 0.94). Pairs with names like <script>alert(1)</script> too.",
        "notes": ["12 rows with missing values were left out.", "=cmd() has 3 values only."],
        "facts": [["Table", "abalone.csv"], ["Rows", "4,177"], ["Columns", "16"], ["Pairs", "60"]],
        "pairs": None,
        "pairs_total": 0,
        "details": None,
        "graph": None,
        "benchmark": None,
        "columns": None,
        "matrix": None,
        "changes": None,
        "colophon": colophon(),
        **parts,
    }


def columns() -> dict[str, Any]:
    """The columns at a glance; the first has all alerts."""
    alerts = [
        {"code": code, "word": code, "says": f"What {code} means."}
        for code in ("constant", "identifier", "derived", "sorted", "time")
    ]
    cards = [
        {
            "name": name,
            "kind": "float",
            "missing": 3 * at,
            "distinct": 400,
            "counts": [1 + (7 * k + at) % 11 for k in range(24)],
            "ends": ["-1.5", "12"],
            "alerts": alerts if at == 0 else [],
        }
        for at, name in enumerate(NAMES)
    ]
    return {"cards": cards, "total": len(cards), "rows": 4177, "says": "1 of 16 columns is odd."}


def matrix(names: tuple[str, ...] = NAMES) -> dict[str, Any]:
    n = len(names)
    letters = np.random.default_rng(4).choice(list(" 0123abc"), n * (n - 1) // 2)
    return {"names": list(names), "cells": "".join(letters), "bars": [0.65, 0.8, 0.9], "total": n}


def voices() -> dict[str, Any]:
    methods = [["anm", 0.6], ["loci", -0.3], ["cdci", 0.0], ["slope", 0.62]]
    return {
        "sources": [
            {"name": name, "says": f"What the {name} tell.", "used": name != "margins",
             "probability": sure, "methods": methods}
            for name, sure in (("relation", 0.8), ("scales", 0.7), ("margins", 0.3))
        ],
        "panel": 0.81,
    }  # fmt: skip


def pairs_content(n: int = 60) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    rows = [pair(at, rng) for at in range(n)]
    details = {str(row["id"]): detail(row, rng) for row in rows[:60] if row["detail"]}
    for row in rows[60:]:
        row["detail"] = False
    parts = {"columns": columns(), "matrix": matrix()} if n > 1 else {}
    return around("pairs", pairs=rows, pairs_total=n, details=details, **parts)


def single_content() -> dict[str, Any]:
    whole = pairs_content(1)
    return {**whole, "title": "Is age the cause of rings?", "question": "Which is the cause?"}


def graph_content() -> dict[str, Any]:
    return {
        **pairs_content(12), "kind": "graph", "title": "A graph", "graph": graph(), "matrix": None,
        "columns": None,
    }  # fmt: skip


def plain_content() -> dict[str, Any]:
    """Pairs with names as most tables have them, the surest first."""
    content = pairs_content()
    for row in content["pairs"]:
        for side in ("x", "y", "cause", "effect"):
            name = row[side]
            row[side] = None if name is None else f"column_{(*NAMES, 'other').index(name)}"
    return content


def dense_content() -> dict[str, Any]:
    """A graph as the library lays it out: twelve nodes, half of all edges."""
    from bqcd.graphs.partial import PartialGraph
    from bqcd.show.reports.places import graph_places

    rng = np.random.default_rng(2)
    names = [f"protein {at}" for at in range(12)]
    ends = [(a, b) for b in range(12) for a in range(b) if rng.random() < 0.5]
    drawn = graph_places(PartialGraph(names, directed=[(names[a], names[b]) for a, b in ends]))
    nodes = [
        {"id": at, "name": name, "label": drawn.labels[name], "x": drawn.places[name][0],
         "y": drawn.places[name][1], "width": drawn.widths[name]}
        for at, name in enumerate(names)
    ]  # fmt: skip
    edges = [
        {**edge(k, a, b, rng), "way": drawn.way(names[a], names[b])}
        for k, (a, b) in enumerate(ends)
    ]
    whole = {**graph(), "nodes": nodes, "edges": edges}
    return {**graph_content(), "graph": whole}


def changed_content() -> dict[str, Any]:
    told = {"cause": "age", "effect": "rings", "answer": "clear", "probability": 0.9}
    before = {"cause": None, "effect": None, "answer": "cannot tell", "probability": 0.55}
    row = {"pair": 0, "x": "age", "y": "rings", "change": "new", "means": "told now"}
    changes = {"label": "old.csv", "says": "Against old.csv, 1 of 60 answers changed.", "total": 1,
               "same": 59, "rows": [{**row, "before": before, "now": told}]}  # fmt: skip
    return {**pairs_content(), "changes": changes}


def benchmark_content() -> dict[str, Any]:
    return around("benchmark", benchmark=benchmark(), title="Five methods on three data sets")
