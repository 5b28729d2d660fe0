"""What every benchmark of the table promises, and what the published files hold."""

from __future__ import annotations

import re
from functools import cache
from math import isfinite
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import numpy as np
import pytest

import bqcd
from bqcd.assessments import assess_pair
from bqcd.benchmark.datasets import FORMATS, PAIRSETS, PAPER_PAIRSETS, PairSet, load_pairs
from bqcd.data.pair import Direction
from bqcd.data.vector_pair import VectorPair

# One process, as what is shared takes a while to make.
pytestmark = pytest.mark.xdist_group("pairsets")

HERE = [name for name, card in PAIRSETS.items() if card.fingerprint is not None]
FIRST = {
    # Pairs in which the first column is the cause, counted in the files.
    "SIM": 50,
    "SIM-c": 53,
    "SIM-ln": 50,
    "SIM-G": 50,
    "AN": 55,
    "AN-s": 52,
    "LS": 49,
    "LS-s": 53,
    "MN-U": 61,
    "tuebingen": 73,
    "tuebingen-all": 78,
    "tuebingen-nine": 5,
}


@cache
def loaded(name: str, home: Path) -> PairSet:
    return load_pairs(name, data_home=home)


every_card = pytest.mark.parametrize("card", PAIRSETS.values(), ids=list(PAIRSETS))
every_set_here = pytest.mark.parametrize("name", HERE)


@every_card
def test_a_card_says_what_the_set_is_and_where_it_comes_from(card) -> None:
    assert PAIRSETS[card.name] is card
    for text in (card.about, card.source.citation, card.source.licence, card.n_rows):
        assert text.strip()
    assert card.n_pairs > 0
    assert card.layout in FORMATS.values()
    address = urlsplit(card.download.address)
    assert address.scheme == "https"
    assert address.hostname
    assert card.download.archive == "zip"


@every_card
def test_files_lie_below_the_data_home_in_a_folder_of_their_own(card) -> None:
    folder = PurePosixPath(card.folder)
    assert not folder.is_absolute()
    assert ".." not in folder.parts
    others = {other.folder for other in PAIRSETS.values() if other.source is not card.source}
    assert card.folder not in others


@every_card
def test_a_fingerprint_is_known_or_openly_unknown(card) -> None:
    if card.name.startswith("CE-"):
        assert card.fingerprint is None
    else:
        assert re.fullmatch(r"[0-9a-f]{64}", card.fingerprint)


def test_the_sets_of_the_paper_are_those_of_its_table() -> None:
    listed = "SIM SIM-c SIM-ln SIM-G AN AN-s LS LS-s MN-U tuebingen"
    assert listed.split() == list(PAPER_PAIRSETS)
    fingerprints = [card.fingerprint for card in PAIRSETS.values() if card.fingerprint]
    assert len(set(fingerprints)) == len(fingerprints) == 12


@pytest.mark.data
@every_set_here
def test_the_files_are_the_published_ones(name, data_home) -> None:
    card, pairs = PAIRSETS[name], loaded(name, data_home)
    assert pairs.fingerprint == card.fingerprint
    assert pairs.source is card.source
    assert len(pairs) == card.n_pairs
    rows = [len(item.pair) for item in pairs]
    spread = f"{min(rows):,}" if min(rows) == max(rows) else f"{min(rows):,} to {max(rows):,}"
    assert spread == card.n_rows


@pytest.mark.data
@every_set_here
def test_keys_are_unique_and_begin_with_the_name(name, data_home) -> None:
    pairs = loaded(name, data_home)
    keys = [item.pair.key for item in pairs] + [one.key for one in pairs.refused]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(rf"{name}/[0-9]{{4}}", key) for key in keys)


@pytest.mark.data
@every_set_here
def test_labels_are_two_and_roughly_balanced_where_the_order_was_drawn(name, data_home) -> None:
    pairs = loaded(name, data_home)
    first = sum(item.truth is Direction.X_TO_Y for item in pairs)
    assert first == FIRST[name]
    assert sum(item.truth is Direction.Y_TO_X for item in pairs) == len(pairs) - first
    if not name.startswith("tuebingen"):
        # Within three standard deviations of a hundred fair coins.
        assert 35 <= first <= 65


@pytest.mark.data
@every_set_here
def test_column_names_tell_nothing(name, data_home) -> None:
    pairs = loaded(name, data_home)
    assert {(item.pair.x_name, item.pair.y_name) for item in pairs} == {("x", "y")}


@pytest.mark.data
@pytest.mark.parametrize("name", [name for name in HERE if not name.startswith("tuebingen")])
def test_simulated_pairs_count_the_same_and_none_is_refused(name, data_home) -> None:
    pairs = loaded(name, data_home)
    assert {item.weight for item in pairs} == {1.0}
    assert pairs.refused == ()


@pytest.mark.data
@pytest.mark.parametrize("name", ["AN", "AN-s", "LS", "LS-s", "MN-U"])
def test_labels_agree_with_the_headers_which_give_them_away(name, data_home) -> None:
    folder = data_home / PAIRSETS[name].folder
    headers = {Direction.X_TO_Y: set(), Direction.Y_TO_X: set()}
    for number, item in enumerate(loaded(name, data_home), start=1):
        lines = (folder / f"pair_{number}.txt").read_text().splitlines()
        headers[item.truth].add(lines[0])
    assert headers[Direction.Y_TO_X] == {'"","x","y"'}
    other = '"","V1","V2"' if name == "AN-s" else '"","x_pa","x_child"'
    assert headers[Direction.X_TO_Y] == {other}


@pytest.mark.data
def test_the_weights_of_tuebingen_are_fractions_and_sum_to_the_sources(data_home) -> None:
    pairs = loaded("tuebingen", data_home)
    by_key = {item.pair.key: item for item in pairs}
    assert by_key["tuebingen/0001"].weight == 0.166
    assert by_key["tuebingen/0108"].weight == 1.0
    assert {type(item.weight) for item in pairs} == {float}
    assert sum(item.weight for item in pairs) == pytest.approx(35.4979)
    every = loaded("tuebingen-all", data_home)
    assert sum(item.weight for item in every) == pytest.approx(38.9979)


@pytest.mark.data
def test_tuebingen_is_the_99_pairs_of_the_paper(data_home) -> None:
    pairs = loaded("tuebingen", data_home)
    listed = {*range(1, 47), *range(48, 52), *range(56, 70), *range(72, 105), 106, 108}
    assert {int(item.pair.key[-4:]) for item in pairs} == listed
    assert len(listed) == 99
    binary = {one.key[-4:] for one in pairs.refused if "two values" in one.reason}
    assert binary == {"0047", "0070", "0107"}


@pytest.mark.data
def test_all_of_tuebingen_are_108_pairs_of_which_six_are_vectors(data_home) -> None:
    pairs = loaded("tuebingen-all", data_home)
    assert (len(pairs), pairs.refused) == (108, ())
    by_number = {item.pair.key[-4:]: item for item in pairs}
    vectors = {
        number: (item.pair.x.shape[1], item.pair.y.shape[1])
        for number, item in by_number.items()
        if isinstance(item.pair, VectorPair)
    }
    assert vectors == {
        "0052": (4, 4),
        "0053": (1, 3),
        "0054": (3, 2),
        "0055": (16, 16),
        "0071": (6, 2),
        "0105": (9, 1),
    }
    for number in ("0047", "0070", "0107"):
        pair = by_number[number].pair
        assert min(len(np.unique(pair.x)), len(np.unique(pair.y))) == 2


@pytest.mark.data
def test_vectors_of_tuebingen_have_the_columns_of_their_files(data_home) -> None:
    for item in loaded("tuebingen-nine", data_home):
        table = np.loadtxt(data_home / "tuebingen" / f"pair{item.pair.key[-4:]}.txt")
        np.testing.assert_array_equal(np.column_stack((item.pair.x, item.pair.y)), table)


@pytest.mark.data
def test_the_nine_beside_the_99_count_the_same_and_are_none_of_them(data_home) -> None:
    nine, paper = (loaded(name, data_home) for name in ("tuebingen-nine", "tuebingen"))
    assert {item.weight for item in nine} == {1.0}
    numbers = {item.pair.key[-4:] for item in nine}
    assert len(numbers) == 9
    assert numbers.isdisjoint(item.pair.key[-4:] for item in paper)
    assert numbers == {one.key[-4:] for one in paper.refused}


@pytest.mark.data
def test_all_nine_pairs_are_judged_and_assessed(data_home) -> None:
    for item in loaded("tuebingen-nine", data_home):
        assert isfinite(bqcd.decide_pair(item.pair).confidence)
        if item.pair.key.endswith("0054"):
            assert assess_pair(item.pair, replicates=10).answer == "cannot tell"


@pytest.mark.data
def test_tuebingen_agrees_with_the_arrows_in_its_description(data_home) -> None:
    text = (data_home / "tuebingen" / "README_polished_may18.tab").read_text()
    rows = [line.split("\t") for line in text.splitlines()]
    arrows = {row[0][-4:]: row[5] for row in rows}
    for item in loaded("tuebingen-all", data_home):
        assert item.truth.value == arrows[item.pair.key[-4:]], item.pair.key


@pytest.mark.data
def test_a_third_column_of_tuebingen_does_not_count(data_home) -> None:
    by_key = {item.pair.key: item.pair for item in loaded("tuebingen", data_home)}
    for number in ("0081", "0082", "0083"):
        table = np.genfromtxt(data_home / "tuebingen" / f"pair{number}.txt")
        assert table.shape == (365, 3)
        np.testing.assert_array_equal(by_key[f"tuebingen/{number}"].x, table[:, 0])
        np.testing.assert_array_equal(by_key[f"tuebingen/{number}"].y, table[:, 1])


@pytest.mark.data
@every_set_here
def test_random_order_leaves_the_pairs_as_they_are_but_for_the_order(name, data_home) -> None:
    pairs = loaded(name, data_home)
    turned = pairs.with_random_order(np.random.default_rng(0))
    assert turned.fingerprint != pairs.fingerprint
    for before, after in zip(pairs, turned, strict=True):
        again = after if after.truth is before.truth else after.exchanged()
        assert np.array_equal(again.pair.x, before.pair.x)
        assert np.array_equal(again.pair.y, before.pair.y)
        assert again.weight == before.weight
