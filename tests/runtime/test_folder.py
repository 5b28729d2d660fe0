"""A held folder: its record is whole or refused, and one run at a time writes to it."""

from __future__ import annotations

import pytest

from bqcd.errors import InvalidResultsError
from bqcd.runtime.folder import HeldFolder, is_part_of


class Shelf(HeldFolder):
    contents = "books"
    writer = "reader"
    absent = "There are no books"
    record_name = "books.json"
    parts = frozenset({"pages"})

    def check_record(self) -> None:
        """Take every record for one of books."""


def test_a_record_is_read_as_it_was_written(tmp_path):
    shelf = Shelf(tmp_path)
    with shelf.held():
        shelf.write_record({"title": "Größe", "pages": [1, 2.5, None]})
    assert Shelf(tmp_path).read_record() == {"title": "Größe", "pages": [1, 2.5, None]}
    assert {path.name for path in tmp_path.iterdir()} == {"lock", "books.json"}


def test_a_record_in_which_a_letter_was_changed_is_none(tmp_path):
    shelf = Shelf(tmp_path)
    shelf.write_record({"title": "Ulysses"})
    shelf.record.write_text(shelf.record.read_text().replace("Ulysses", "Odyssey"))
    with pytest.raises(ValueError, match="its checksum does not fit"):
        shelf.read_record()


def test_a_folder_without_a_record_says_so(tmp_path):
    with pytest.raises(InvalidResultsError, match=r"^There are no books in .*nowhere\.$"):
        Shelf(tmp_path / "nowhere").read_record()


@pytest.mark.parametrize("names", [["thesis.tex"], ["pages"], ["lock", "thesis.tex"]])
def test_a_folder_that_was_not_begun_with_a_lock_is_left_alone(tmp_path, names):
    for name in names:
        (tmp_path / name).write_text("mine")
    with pytest.raises(InvalidResultsError, match="holds other things than books: take"):
        Shelf(tmp_path).held().__enter__()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


@pytest.mark.parametrize("names", [[], ["lock"], ["lock", "pages", ".books.json.4f2a.part"]])
def test_a_folder_that_was_just_begun_is_gone_on_with(tmp_path, names):
    for name in names:
        (tmp_path / name).write_text("")
    with Shelf(tmp_path).held():
        assert (tmp_path / "lock").exists()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(InvalidResultsError, match=r"^Books must be in a folder, but .*out is a fi"):
        Shelf(tmp_path / "out").held().__enter__()


def test_a_second_writer_is_told_who_the_first_is(tmp_path):
    with (
        Shelf(tmp_path).held(),
        pytest.raises(InvalidResultsError, match=r"^Another reader \(process \d+ on .*\) is writi"),
        Shelf(tmp_path).held(),
    ):
        pass


@pytest.mark.parametrize("name", ["plan.json", ".plan.json", ".plan.jsonx.1.part", ".notes.part"])
def test_a_file_of_another_name_is_no_unfinished_record(name):
    assert is_part_of("plan.json", ".plan.json.0a.part")
    assert not is_part_of("plan.json", name)
