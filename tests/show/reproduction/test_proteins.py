"""The appendix on graphs: protein signals, CAM's graph oriented by each method."""

from __future__ import annotations

import pytest

from bqcd.benchmark.datasets import load_proteins
from bqcd.errors import InvalidTableError
from bqcd.graphs.partial import PartialGraph, topological_order
from bqcd.show.reproduction import paper, reproduce
from tests.pictures import ink

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.xdist_group("proteins")


@pytest.fixture(scope="module")
def sheets(data_home, tmp_path_factory):
    out = tmp_path_factory.mktemp("proteins") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BQCD_DATA", str(data_home))
        ((_, product),) = reproduce(["sachs"], out, quick=True)
    assert 0.01 < ink(out / "sachs.png") < 0.5
    return product.sheets


def found(sheet, name):
    place = next(at for at, row in enumerate(sheet.rows) if row[0] == name)
    return sheet.rows[place][2:]


@pytest.mark.data
def test_bqcd_comes_as_near_the_true_graph_as_in_the_paper(sheets):
    printed = paper.SACHS["bqcd"]
    for sheet in sheets:
        intervention, _, hamming, _ = found(sheet, "bQCD")
        # Standard errors of ten subsamples, here and in the paper, are about 0.8 and 0.5.
        assert intervention == pytest.approx(printed.intervention, abs=2.0)
        assert hamming == pytest.approx(printed.hamming, abs=1.5)


@pytest.mark.data
def test_cam_itself_is_where_the_paper_has_it_and_farther_than_bqcd(sheets):
    intervention, _, hamming, _ = found(sheets[0], "CAM")
    assert intervention == pytest.approx(paper.SACHS["cam"].intervention, abs=2.0)
    assert hamming == pytest.approx(paper.SACHS["cam"].hamming, abs=1.5)
    assert found(sheets[0], "bQCD")[0] < intervention - 3.0


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
