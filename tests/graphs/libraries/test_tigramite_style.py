"""Open links of PCMCI+ at lag 0, with the package where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.errors import InvalidGraphError, InvalidTableError
from bqcd.graphs.tigramite_style import orient_lag_zero


def series(n=500, *, smooth=0.0, seed=0):
    """x causes y within a step; z has a memory of its own."""
    rng = np.random.default_rng(seed)
    x, z = np.zeros(n), np.zeros(n)
    own = rng.normal(size=(3, n))
    for at in range(1, n):
        x[at] = smooth * x[at - 1] + own[0, at]
        z[at] = 0.6 * z[at - 1] + own[1, at]
    y = x + 0.5 * x**2 + 0.5 * own[2]
    return np.column_stack((y, x, z))


def by_hand(lags=1):
    """What PCMCI+ returns for such a series."""
    graph = np.full((3, 3, lags + 1), "", dtype="<U3")
    graph[0, 1, 0] = graph[1, 0, 0] = "o-o"
    if lags:
        graph[2, 2, 1] = "-->"
    return {"graph": graph, "p_matrix": np.zeros(graph.shape)}


def test_an_open_link_is_oriented_and_nothing_else_changes():
    results = by_hand()
    new, found = orient_lag_zero(results, series(), names=["y", "x", "z"])
    assert (new["graph"][1, 0, 0], new["graph"][0, 1, 0]) == ("-->", "<--")
    changed = new["graph"] != results["graph"]
    assert changed.sum() == 2
    assert results["graph"][0, 1, 0] == "o-o"
    assert new["p_matrix"] is results["p_matrix"]
    assert found.record("x", "y").judgement.answer in ("leaning", "clear")


def test_lagged_parents_are_nodes_so_that_no_collider_is_made_with_them():
    results = by_hand()
    # A lagged parent of y that is not adjacent to x: were x a cause of y, they would collide.
    results["graph"][2, 0, 1] = "-->"
    new, found = orient_lag_zero(results, series(), names=["y", "x", "z"])
    assert (new["graph"][0, 1, 0], new["graph"][1, 0, 0]) == ("-->", "<--")
    assert found.record("x", "y").rule == 1
    assert "z(t-1)" in found.graph.nodes


def test_rows_of_a_series_count_for_as_many_as_they_are_worth():
    # The same link, in rows that hardly change from one to the next.
    quick, slow = (
        orient_lag_zero(by_hand(0), series(smooth=smooth), names=["y", "x", "z"])[1]
        for smooth in (0.0, 0.97)
    )
    shares = [found.record("x", "y").judgement.share for found in (quick, slow)]
    assert shares[0] == 1.0
    assert shares[1] <= shares[0]
    alone = orient_lag_zero(
        by_hand(0), series(smooth=0.97), names=["y", "x", "z"], find_units=False
    )[1]
    assert alone.record("x", "y").judgement.share >= shares[1]


def test_what_is_no_result_or_no_series_is_refused():
    with pytest.raises(InvalidGraphError, match="a graph of 3 columns, got the shape"):
        orient_lag_zero({"graph": np.zeros((2, 2, 1))}, series())
    with pytest.raises(InvalidTableError, match="got an array of 1 dimensions"):
        orient_lag_zero(by_hand(), np.arange(5.0))
    with pytest.raises(InvalidTableError, match="must be one series, got 2"):
        orient_lag_zero(by_hand(), type("Data", (), {"values": {0: [], 1: []}})())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore")
def test_links_that_pcmci_plus_leaves_open_are_oriented(seed):
    pytest.importorskip("tigramite")
    from tigramite import data_processing
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    frame = data_processing.DataFrame(series(seed=seed), var_names=["y", "x", "z"])
    results = PCMCI(dataframe=frame, cond_ind_test=ParCorr(), verbosity=0).run_pcmciplus(
        tau_max=2, pc_alpha=0.01
    )
    assert results["graph"][0, 1, 0] == "o-o"
    new, found = orient_lag_zero(results, frame)
    assert new["graph"][1, 0, 0] == "-->"
    assert found.record("x", "y").arrow == "x -> y"
