"""Download of benchmarks from their publishers.

An archive is downloaded and unpacked in a hidden folder of the data home, read, compared with
what was published, and only then renamed to its place: a fetch that fails or is interrupted
leaves things as they were.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bqcd.benchmark.datasets.benchmarks import (
    benchmark_folder,
    load_pairs,
    read_benchmark,
    record_fingerprint,
    recorded_fingerprint,
)
from bqcd.benchmark.datasets.cards import PAIRSETS, PairSetCard
from bqcd.benchmark.datasets.formats import FORMATS
from bqcd.benchmark.datasets.homes import data_homes
from bqcd.benchmark.datasets.transfer import Progress, Transfer
from bqcd.benchmark.datasets.unpacking import unpack
from bqcd.errors import InvalidSettingError, InvalidTableError, UnknownNameError
from bqcd.runtime.atomic import about_file
from bqcd.runtime.settings import check_flag, check_number, nearest_names


@dataclass(frozen=True, slots=True)
class Fetched:
    """A benchmark on disk after :func:`fetch_pairs`.

    Parameters
    ----------
    card : PairSetCard
        The benchmark.
    folder : Path
        Where its files are.
    is_new : bool
        Whether they were downloaded just now; False if they were there before.
    """

    card: PairSetCard
    folder: Path
    is_new: bool


def fetch_pairs(
    *names: str,
    data_home: str | Path | None = None,
    address: str | None = None,
    replace: bool = False,
    timeout: float = 60.0,
    progress: Progress | None = None,
) -> list[Fetched]:
    """Benchmarks of these names, downloaded to the data home unless they are on disk already.

    Parameters
    ----------
    *names : str
        Some of ``PAIRSETS``. Sets of one archive asked for together are downloaded once.
    data_home : path, optional
        Where to put them; by default the first of :func:`bqcd.benchmark.datasets.homes.data_homes`.
    address : str, optional
        Another address of the archive, or the path of a copy on disk. What is in it is
        checked like what comes from the publisher.
    replace : bool, default=False
        Download again what is on disk already.
    timeout : float, default=60.0
        Seconds to wait for the server to answer or to go on.
    progress : callable, optional
        Told the bytes that have come so far, and how many there are or None.

    Raises
    ------
    UnknownNameError
        If no benchmark has one of the names.
    MissingPackageError
        If a download is needed and pooch is not installed.
    ConnectionError
        If the archive cannot be downloaded, also when tried again.
    InvalidTableError
        If the archive, or what is on disk already, does not hold the published pairs.
    """
    cards = [_card(name) for name in names]
    check_flag("fetch_pairs", "replace", replace)
    check_number("fetch_pairs", "timeout", timeout, above=0.0, at_most=1e6)
    wanted: dict[str, list[PairSetCard]] = {}
    for card in cards:
        if replace or benchmark_folder(card, data_home) is None:
            wanted.setdefault(card.download.address, []).append(card)
        else:
            load_pairs(card.name, data_home=data_home)
    if address is not None and len(wanted) > 1:
        raise InvalidSettingError(
            f"address of fetch_pairs must be of one archive, but {' and '.join(names)} come "
            f"from {len(wanted)}."
        )
    home = data_homes(data_home)[0]
    for published, group in wanted.items():
        transfer = Transfer(address or published, group[0].download, timeout, progress)
        _fetch_group(group, home, transfer)
    fresh = {card.name for group in wanted.values() for card in group}
    return [
        Fetched(card, benchmark_folder(card, data_home) or home / card.folder, card.name in fresh)
        for card in cards
    ]


def _card(name: str) -> PairSetCard:
    if name not in PAIRSETS:
        raise UnknownNameError(f"No benchmark is called {name!r}. {nearest_names(name, PAIRSETS)}")
    return PAIRSETS[name]


def _fetch_group(cards: Sequence[PairSetCard], home: Path, transfer: Transfer) -> None:
    """Put benchmarks of one archive in their places."""
    with _scratch_folder(home) as folder:
        archive = transfer.archive(folder)
        try:
            unpacked = unpack(archive, folder / "unpacked")
            for card in cards:
                _collect(card, unpacked, folder / "ready" / card.folder)
            for card in cards:
                _check(card, folder / "ready" / card.folder, home / card.folder, transfer.address)
        except InvalidTableError as error:
            message = str(error).replace(f"{folder / 'ready'}{os.sep}", "")
            raise InvalidTableError(
                f"{transfer.address} is refused, nothing of it is kept: {message}"
            ) from error
        for place in {card.folder: None for card in cards}:
            _install(folder / "ready" / place, home / place, folder / "old")


@contextmanager
def _scratch_folder(home: Path) -> Iterator[Path]:
    """Folder that is removed in the end, and the data home with it if it came to nothing."""
    home.mkdir(parents=True, exist_ok=True)
    try:
        with TemporaryDirectory(prefix=".fetching-", dir=home) as scratch:
            yield Path(scratch)
    except OSError as error:
        if error.errno is None:  # a server, not the system
            raise
        # A full disk is told without a name, and nobody knows the folder in between.
        raise about_file(error, home) from error
    finally:
        if not any(home.iterdir()):
            home.rmdir()


def _collect(card: PairSetCard, unpacked: Path, made: Path) -> None:
    """Move the files of a benchmark from the unpacked archive to a folder of their own."""
    if made.exists():  # another set of the same files
        return
    # A bundle may hold several sets in this layout, told apart by the names of their files.
    shared = card.layout is FORMATS["kaggle"]
    marker = f"{card.name}_pairs.*" if shared else card.layout.marker
    inside = Path(card.download.inside).parts
    parents = {
        path.parent
        for path in unpacked.rglob(marker)
        if path.parent.parts[len(path.parent.parts) - len(inside) :] == inside
    }
    if len(parents) != 1:
        below = f" below {card.download.inside}" if inside else ""
        raise InvalidTableError(
            f"there must be one folder with {marker}{below} in the archive, found {len(parents)}."
        )
    made.mkdir(parents=True)
    for path in sorted(parents.pop().iterdir()):
        if path.is_file() and (not shared or path.name.startswith(f"{card.name}_")):
            path.rename(made / path.name)


def _check(card: PairSetCard, made: Path, place: Path, address: str) -> None:
    """Refuse other pairs than the published ones, and write down where these come from."""
    fingerprint = read_benchmark(card, made).fingerprint
    before = recorded_fingerprint(place, card.name)
    if card.fingerprint is None and before not in (None, fingerprint):
        raise InvalidTableError(
            f"the pairs of {card.name!r} must be those of the first download, with the "
            f"fingerprint {before}, but have {fingerprint}."
        )
    record_fingerprint(made, card.name, fingerprint, address=address)


def _install(made: Path, place: Path, old: Path) -> None:
    """Rename a folder to its place; what was there before goes away with the scratch folder."""
    place.parent.mkdir(parents=True, exist_ok=True)
    old.mkdir(exist_ok=True)
    was_there = place.exists()
    if was_there:
        place.rename(old / place.name)
    try:
        made.rename(place)
    except OSError:
        if was_there:
            (old / place.name).rename(place)
        raise
