"""Killed, out of disk, or two at once: nothing is lost, nothing doubled, nothing torn."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from socket import gethostname

import pytest

from bqcd.errors import InvalidResultsError
from bqcd.scans.folder import ScanFolder
from tests.scans.stand_ins import NAMES, PAIRS, rows_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and mounts")

ROOT = Path(__file__).parents[2]
TILES = 150

WRITING = """
import sys
from bqcd.errors import InvalidResultsError
from bqcd.scans.folder import ScanFolder
from bqcd.scans.tile_files import tile_bytes, tile_table
from tests.scans.stand_ins import NAMES, rows_of

folder, first, last = ScanFolder(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
if len(sys.argv) > 4:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[4]),) * 2)
tile_bytes(tile_table(rows_of(0), NAMES), "", 0)
print("up", flush=True)
try:
    sys.stdin.readline()
    with folder.held():
        folder.agree({"tiles": 150})
        print("held", flush=True)
        for number in sorted(set(range(first, last)) - folder.done_tiles()):
            folder.write_tile(rows_of(number), NAMES)
            print(number, flush=True)
        sys.stdin.read()
except InvalidResultsError as error:
    print("refused:", error, flush=True)
"""


def writer(path, first=0, last=TILES, *more) -> subprocess.Popen:
    """A process that writes tiles as soon as it is sent a line, and holds on until killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITING, *map(str, (path, first, last, *more))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout.readline() == "up\n"
    return process


def go(process: subprocess.Popen) -> None:
    process.stdin.write("\n")
    process.stdin.flush()


def end(process: subprocess.Popen) -> list[str]:
    """Lines said before the process was killed."""
    process.kill()
    said, _ = process.communicate()
    return said.splitlines()


def finish(path) -> ScanFolder:
    folder = ScanFolder(path)
    with folder.held():
        folder.agree({"tiles": TILES})
        for number in sorted(set(range(TILES)) - folder.done_tiles()):
            folder.write_tile(rows_of(number), NAMES)
    return folder


def test_killed_at_random_moments_and_gone_on_with_gives_the_table_of_one_run(tmp_path):
    rng, confirmed = random.Random(7), set()
    for _ in range(6):
        process = writer(tmp_path / "killed")
        go(process)
        assert process.stdout.readline() == "held\n"
        time.sleep(rng.uniform(0.0, 0.06))
        new = {int(line) for line in end(process)}
        assert not new & confirmed, "a finished tile was made again"
        confirmed |= new
        assert confirmed <= ScanFolder(tmp_path / "killed").done_tiles(), "a tile was lost"
    assert 0 < len(confirmed) < TILES, "the processes were not killed at work"
    table = finish(tmp_path / "killed").read()
    assert table.num_rows == TILES * PAIRS
    assert table.equals(finish(tmp_path / "at once").read())
    assert list((tmp_path / "killed" / "tiles").glob(".*")) == []


def test_of_two_processes_on_one_folder_one_writes_and_one_is_told(tmp_path):
    both = [writer(tmp_path / "scan", 0, 5) for _ in range(2)]
    for process in both:
        go(process)
    first = {process.pid: process.stdout.readline() for process in both}
    (winner,) = [pid for pid, line in first.items() if line == "held\n"]
    (refusal,) = [line for line in first.values() if line != "held\n"]
    for process in both:
        end(process)
    assert refusal == (
        f"refused: Another scan (process {winner} on {gethostname()}) is writing to "
        f"{tmp_path / 'scan'} now.\n"
    )
    assert finish(tmp_path / "scan").read().num_rows == TILES * PAIRS


def test_a_limit_on_files_keeps_what_is_finished_and_says_how_to_go_on(tmp_path):
    folder = ScanFolder(tmp_path)
    with folder.held():
        folder.agree({"tiles": TILES})
        folder.write_tile(rows_of(0), NAMES)
    process = writer(tmp_path, 0, 5, 2000)
    go(process)
    said, _ = process.communicate()
    assert said.startswith("held\nrefused: There is no room for")
    assert "File too large" in said
    assert "run the same scan again to go on" in said
    assert folder.done_tiles() == {0}
    assert [path.name for path in folder.tiles.iterdir()] == ["000000.parquet"]


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of 64 kB, where this user may mount one."""
    mount = shutil.which("mount")
    home = tmp_path / "tiny"
    home.mkdir()
    asked = [mount or "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(home)]
    if not mount or subprocess.run(asked, capture_output=True).returncode:
        pytest.skip("a file system can be mounted by the superuser only")
    yield home
    subprocess.run(["umount", str(home)], check=True)


def test_a_full_disk_keeps_what_is_finished_and_is_gone_on_with_when_there_is_room(tiny_disk):
    ballast = tiny_disk.parent / "elsewhere"
    folder = ScanFolder(tiny_disk / "scan")
    with pytest.raises(InvalidResultsError, match="No space left on device"):
        finish(folder.path)
    done = ScanFolder(folder.path).done_tiles()
    assert done == set(range(len(done)))
    assert 0 < len(done) < TILES
    assert list(folder.tiles.glob(".*")) == []
    assert folder.read().num_rows == len(done) * PAIRS
    shutil.copytree(folder.path, ballast)
    assert finish(ballast).n_done == TILES


@pytest.mark.slow
def test_killed_at_a_hundred_moments_and_gone_on_with_gives_the_table_of_one_run(tmp_path):
    rng = random.Random(int(os.environ.get("BQCD_TEST_SEED", "0")))
    confirmed: set[int] = set()
    for _ in range(100):
        process = writer(tmp_path / "killed")
        go(process)
        time.sleep(rng.uniform(0.0, 0.1))
        confirmed |= {int(line) for line in end(process) if line != "held"}
        folder = ScanFolder(tmp_path / "killed")
        if (folder.path / "manifest.json").exists():
            assert confirmed <= folder.done_tiles()
    assert finish(tmp_path / "killed").read().equals(finish(tmp_path / "at once").read())
