"""Folders of results after crashes and damage: the same numbers, or a word about it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bqcd.errors import InvalidResultsError
from bqcd.scans.reading import read_scan
from bqcd.scans.scanning import scan
from tests.fuzz.cases import Case, check_cases, every_case
from tests.fuzz.mutation import mutated
from tests.scans.test_damage import facts, kept, table
from tests.scans.test_scanning import Guessing, Interrupting

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and forks")

ROOT = Path(__file__).parents[2]


@every_case("killed-scans", share=0.4)
def test_scans_killed_at_random_steps_never_have_numbers_of_another_table(
    target, numbers, tmp_path
):
    command = [sys.executable, "-m", "tests.fuzz.killed_scans", str(tmp_path)]
    done = subprocess.run(
        [*command, str(numbers[0]), str(numbers[-1])],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["case"] for each in told] == list(numbers)
    assert [each for each in told if each["numbers"] not in ("own", "refused")] == []
    assert sum(each["killed"] for each in told) > 0.5 * len(numbers)
    assert len(numbers) < 10 or Counter(each["numbers"] for each in told)["own"] > 0


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A scan that was begun, one that is finished, and its facts."""
    home = tmp_path_factory.mktemp("scans")
    with pytest.raises(KeyboardInterrupt):
        kept(home / "begun", progress=Interrupting(1))
    kept(home / "finished")
    return home, facts(scan(table(), method=Guessing()))


@every_case("damaged-scans")
def test_damaged_folders_of_scans_are_read_gone_on_with_or_refused(
    target, numbers, tmp_path, folders
):
    check_cases(target, numbers, tmp_path, lambda case: damage_one_file(case, *folders))


def damage_one_file(case: Case, home: Path, expected: tuple[object, ...]) -> None:
    folder = case.folder / "scan"
    shutil.copytree(home / case.pick(("begun", "finished")), folder)
    path = case.pick(sorted(each for each in folder.rglob("*.*") if each.is_file()))
    whole = path.read_bytes()
    if case.chance(0.7):
        data = bytearray(whole)
        for bit in case.rng.integers(8 * len(data), size=case.pick((1, 1, 2, 5))):
            data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bytes(data))
    elif case.chance(0.5):
        path.write_bytes(mutated((whole,), case.rng))
    else:
        path.unlink()
    for ask in (read_scan, kept):
        try:
            found = ask(folder)
        except InvalidResultsError:
            continue
        if found.complete:
            assert facts(found) == expected, f"other numbers, by {ask.__name__}, in {path.name}"
