"""The appendix on graphs: protein signals, CAM's graph oriented by each method."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.benchmark.datasets import load_proteins
from bqcd.errors import InvalidTableError
from bqcd.graphs import compare_graphs
from bqcd.graphs.partial import PartialGraph, topological_order
from bqcd.graphs.skeletons import CAM
from bqcd.show.reproduction import reproduce
from bqcd.show.reproduction.proteins import CUTOFFS, LINGAM_ALONE, NEAR, protein_subsamples
from tests.pictures import ink

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.xdist_group("proteins")


@pytest.fixture(scope="module")
def sheets(data_home, tmp_path_factory):
    out = tmp_path_factory.mktemp("proteins") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BQCD_DATA", str(data_home))
        ((_, product),) = reproduce(["sachs"], out, quick=True)
    for picture in ("sachs", "sachs-0.05"):
        assert 0.01 < ink(out / f"{picture}.png") < 0.5
    return product.sheets


def rows(sheet):
    """What is found here and what the paper has, by method: SID and SHD, every edge oriented."""
    here = {row[0]: (row[2], row[4]) for row in sheet.rows if row[1] == "here"}
    places = [at for at, row in enumerate(sheet.rows) if row[1] == "paper"]
    there = {sheet.rows[at - 1][0]: (sheet.rows[at][2], sheet.rows[at][4]) for at in places}
    return here, there


def reached(sheet):
    here, there = rows(sheet)
    near = {
        name: [
            abs(a - b) <= limit for a, b, limit in zip(here[name], there[name], NEAR, strict=True)
        ]
        for name in there
    }
    return {name for name, both in near.items() if all(both)}


@pytest.mark.data
def test_the_papers_cutoff_comes_first_and_the_nearer_one_beside_it(sheets):
    assert list(CUTOFFS) == [CAM().cutoff, 0.05]
    for sheet, cutoff in zip(sheets, CUTOFFS, strict=True):
        assert f"p = {cutoff:g}" in sheet.title
    strict, loose = (rows(sheet)[0]["CAM"] for sheet in sheets)
    printed = rows(sheets[0])[1]["CAM"]
    assert strict == pytest.approx((54.5, 13.0), abs=0.05)
    assert all(abs(b - p) < abs(a - p) for a, b, p in zip(strict, loose, printed, strict=True))


@pytest.mark.data
def test_bqcd_comes_nearest_the_true_graph_of_all_methods_at_both_cutoffs(sheets):
    for sheet in sheets:
        here, _ = rows(sheet)
        here.pop("Any method, at least")
        assert len(here) == 8
        assert min(here, key=lambda name: here[name][0]) == "bQCD"
        assert min(here, key=lambda name: here[name][1]) == "bQCD"


@pytest.mark.data
def test_bqcd_improves_on_cams_own_directions(sheets):
    for sheet in sheets:
        here, _ = rows(sheet)
        assert here["bQCD"][0] < here["CAM"][0] - 5.0
        assert here["bQCD"][1] < here["CAM"][1]


@pytest.mark.data
def test_two_rows_are_reached_at_the_papers_cutoff_and_five_others_at_the_looser_one(sheets):
    assert reached(sheets[0]) == {"RESIT", "LINGAM"}
    assert reached(sheets[1]) == {"bQCD", "IGCI-u", "Slope", "CAM", "EMD"}
    assert "2 of 8 rows are reached" in " ".join(sheets[0].notes)
    assert "Not reached: RESIT (-1.9, +3.2), LINGAM" in " ".join(sheets[1].notes)


@pytest.mark.data
def test_differences_are_printed_for_every_row_of_the_paper(sheets):
    for sheet in sheets:
        here, there = rows(sheet)
        gaps = [row for row in sheet.rows if row[1] == "+/-"]
        assert len(gaps) == len(there) == 8
        for name, row in zip(there, gaps, strict=True):
            assert [float(row[2]), float(row[4])] == pytest.approx(
                [a - b for a, b in zip(here[name], there[name], strict=True)], abs=0.051
            )


@pytest.mark.data
def test_no_orientation_is_nearer_than_the_edges_allow(sheets):
    for sheet in sheets:
        here, _ = rows(sheet)
        _, least = here.pop("Any method, at least")
        assert all(hamming > least for _, hamming in here.values())


@pytest.mark.data
def test_the_quick_table_says_which_method_it_leaves_out(sheets):
    for sheet in sheets:
        assert "GRAN" not in {row[0] for row in sheet.rows}
        assert any("Left out" in note and "GRAN" in note for note in sheet.notes)


@pytest.mark.data
def test_lingam_of_all_columns_has_the_distances_told_in_the_notes(data_home):
    lingam = pytest.importorskip("causallearn.search.FCMBased.lingam")
    data = load_proteins(data_home=data_home)
    truth = PartialGraph(data.columns, directed=data.edges)
    distances = []
    for columns in protein_subsamples(data):
        names = list(columns)
        model = lingam.ICALiNGAM(random_state=0)
        model.fit(np.column_stack(list(columns.values())))
        heads, tails = np.nonzero(model.adjacency_matrix_)
        edges = [(names[j], names[i]) for i, j in zip(heads, tails, strict=True)]
        found = PartialGraph(names, directed=edges)
        compared = compare_graphs(found, truth)
        distances.append((compared.sid, compared.shd))
    told = (LINGAM_ALONE.intervention, LINGAM_ALONE.hamming)
    assert np.mean(distances, axis=0) == pytest.approx(told, abs=0.051)
    spreads = (LINGAM_ALONE.intervention_spread, LINGAM_ALONE.hamming_spread)
    assert np.std(distances, axis=0, ddof=1) == pytest.approx(spreads, abs=0.051)


@pytest.mark.data
def test_the_table_has_853_cells_and_the_truth_no_cycle(data_home):
    data = load_proteins(data_home=data_home)
    assert {len(column) for column in data.columns.values()} == {853}
    assert len(data.columns) == 11
    assert len(data.edges) == 17
    topological_order(PartialGraph(data.columns, directed=data.edges))


def test_absent_files_are_named(tmp_path):
    with pytest.raises(InvalidTableError, match="BQCD_DATA"):
        load_proteins(data_home=tmp_path)
