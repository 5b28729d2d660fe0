"""The page on errors is that of the records, and what it says follows from its numbers."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import error_map
import error_map_page as page

from bqcd.methods.panel_deep import deep_version


def test_page_and_pictures_are_those_of_the_records():
    found = page.read_map()
    assert page.PAGE.read_text(encoding="utf-8") == page.page()
    assert page.LARGE.read_text(encoding="utf-8") == page.large_picture(found, ("bqcd", "panel"))
    assert page.SMALL.read_text(encoding="utf-8") == page.small_picture(found)


def test_the_record_is_of_the_grid_and_of_the_shipped_panel():
    found = page.read_map()
    assert found.stored["panel"] == deep_version()
    axes = (error_map.CAUSES, error_map.MECHANISMS, error_map.NOISES)
    assert [found.causes, found.mechanisms, found.noises] == [list(axis) for axis in axes]
    assert set(found.shares) == set(error_map.METHODS)
    for shares in found.shares.values():
        assert ((shares >= 0.0) & (shares <= 1.0)).all()
    assert found.shares["coin"].mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    "cell",
    [
        ("gamma", "proportional", "factor about 0"),
        ("uniform (-1, 1)", "valley", "added, weak"),
        ("two bells", "step", "inside"),
    ],
)
def test_what_is_recorded_comes_out_again(cell):
    right = page.read_map().stored["right"]
    pairs = list(error_map.pairs_of(cell))
    at = error_map.cells().index(cell)
    for spec in ("bqcd", "bqcd:n_levels=7", "cdci", "slope", "lingam", page.FLAG):
        assert error_map.asked(spec, pairs) == right[spec][at], (spec, cell)


def test_bqcd_is_wrong_on_products_of_positive_causes():
    found = page.read_map()
    assert found.of_product("bqcd")[: page.POSITIVE].max() <= 0.1
    mechanism, noise = (
        kinds.index(kind)
        for kinds, kind in zip((found.mechanisms, found.noises), page.PRODUCT, strict=True)
    )
    assert found.limited[: page.POSITIVE, mechanism, noise].min() >= 0.9


def test_what_the_page_says_in_words_holds():
    found = page.read_map()
    positive = slice(0, page.POSITIVE)
    for name in ("bqcd:n_levels=7", "anm", "resit", "sloppy", "bicam"):
        assert found.of_product(name)[positive].max() <= 0.1, name
    for name in ("loci", "heci", "reci", "slope", "margins"):
        assert found.of_product(name)[positive].min() >= 0.8, name
    skewed, inside = (found.noises.index(name) for name in ("added, skewed", "inside"))
    bent = [found.mechanisms.index(name) for name in ("root", "saturating")]
    assert found.shares["bqcd"][:, bent, skewed].mean() < 0.1
    for name in ("anm", "resit", "loci"):
        assert found.shares[name][:, bent, skewed].mean() > 0.8, name
    turned = [found.mechanisms.index(name) for name in ("kinked", "turning")]
    for name in ("bqcd", "anm", "resit", "loci"):
        assert found.shares[name][:, turned, inside].mean() < 0.2, name
    for name in ("reci", "heci", "sloppy", "bicam"):
        assert found.shares[name][:, turned, inside].mean() > 0.7, name


def test_limits_fall_on_wrong_cells_more_than_on_right_ones():
    found = page.read_map()
    shares = found.shares["bqcd"]
    assert found.limited[shares <= 0.2].mean() > 2.0 * found.limited[shares >= 0.8].mean()


def test_answers_go_on_where_they_were_stopped(tmp_path):
    cell = error_map.cells()[0]
    first = error_map.Answers(tmp_path)
    first.ask(cell, ["slope"])
    with first.path.open("a", encoding="utf-8") as stream:
        stream.write('["slope", ["cut')
    again = error_map.Answers(tmp_path)
    assert again.known == first.known
    assert list(again.known) == [("slope", cell)]


def test_colours_run_from_orange_over_white_to_blue():
    assert [page.colour(share) for share in (0.0, 0.5, 1.0)] == ["#d55e00", "#ffffff", "#0072b2"]
    assert page.colour(0.04) == page.colour(0.0) != page.colour(0.1)


def test_pairs_of_a_cell_do_not_depend_on_others():
    cell = error_map.cells()[100]
    one, other = (list(error_map.pairs_of(cell)) for _ in range(2))
    assert len(one) == error_map.PAIRS
    assert all(np.array_equal(a.y, b.y) for a, b in zip(one, other, strict=True))
    assert len(one[0]) == error_map.ROWS
