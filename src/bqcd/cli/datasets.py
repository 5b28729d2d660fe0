"""Commands about data with known answers: list, describe, download, generate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from bqcd.cli.completion import generator_names, pairset_names
from bqcd.cli.console import chosen_settings, errors_in_one_line, tell
from bqcd.cli.log_lines import LogLines
from bqcd.errors import printable

if TYPE_CHECKING:
    from bqcd.benchmark.datasets import PairSet, PairSetCard
    from bqcd.benchmark.datasets.transfer import Progress

app = typer.Typer(
    help="""Pairs whose answer is known: list, describe, download, generate.

    **Examples**

    `bqcd datasets list`

    `bqcd datasets info tuebingen`
    """,
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

DataHome = Annotated[
    Path | None,
    typer.Option(help="Folder of the benchmarks, instead of BQCD_DATA or the cache."),
]

_UNKNOWN = (
    "no published fingerprint is known: the one at first download is written down beside the "
    "files, and they are checked against it from then on"
)


@app.command("list")
def list_pairsets(data_home: DataHome = None) -> None:
    """List the published benchmarks, and whether they are on disk.

    **Examples**

    `bqcd datasets list`
    """
    from rich.console import Console
    from rich.table import Column, Table

    from bqcd.benchmark.datasets import ALL_GENERATORS, PAIRSETS
    from bqcd.benchmark.datasets.benchmarks import benchmark_folder

    table = Table("name", Column("pairs", justify="right"), "rows", "on disk", "source")
    for card in PAIRSETS.values():
        on_disk = "no" if benchmark_folder(card, data_home) is None else "yes"
        table.add_row(card.name, str(card.n_pairs), card.n_rows, on_disk, card.source.label)
    console = Console()
    console.print(table)
    console.print(
        "`bqcd datasets info NAME` tells more, `bqcd datasets fetch NAME` downloads. "
        f"`bqcd datasets generate NAME` draws new pairs: {', '.join(ALL_GENERATORS)}.",
        highlight=False,
    )


@app.command()
def info(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Name of a benchmark, or a folder of pairs.",
            autocompletion=pairset_names,
        ),
    ],
    data_home: DataHome = None,
) -> None:
    """Tell all about a benchmark: origin, files, counts, weights, labels, refused pairs.

    **Examples**

    `bqcd datasets info tuebingen`
    """
    with errors_in_one_line():
        from bqcd.benchmark.datasets import PAIRSETS, load_pairs
        from bqcd.benchmark.datasets.benchmarks import benchmark_folder

        card = PAIRSETS.get(name)
        if card is None:
            pairs = load_pairs(name)
            facts = [("fingerprint", pairs.fingerprint), *_counts(pairs)]
        elif (folder := benchmark_folder(card, data_home)) is None:
            hint = f"no; to download them: bqcd datasets fetch {name}"
            facts = [*_published(card, data_home), ("on disk", hint)]
        else:
            pairs = load_pairs(name, data_home=data_home)
            same = "that fingerprint" if card.fingerprint else f"fingerprint {pairs.fingerprint}"
            on_disk = ("on disk", f"in {folder}, with {same}")
            facts = [*_published(card, data_home), on_disk, *_counts(pairs)]
    _print_facts(facts)


@app.command()
def fetch(
    names: Annotated[
        list[str],
        typer.Argument(help="Names of benchmarks.", metavar="NAME", autocompletion=pairset_names),
    ],
    address: Annotated[
        str | None,
        typer.Option("--from", help="Another address of the archive, or a copy on disk."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Download again what is on disk already.")
    ] = False,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for the server.")] = 60.0,
    data_home: DataHome = None,
) -> None:
    """Download benchmarks from their publishers, and check that they are the published ones.

    Sets that come in one archive are best named together.

    **Examples**

    `bqcd datasets fetch tuebingen`

    `bqcd datasets fetch AN AN-s LS LS-s MN-U`
    """
    with errors_in_one_line(), _bar() as progress:
        from bqcd.benchmark.datasets.fetching import fetch_pairs

        done = fetch_pairs(
            *names,
            data_home=data_home,
            address=address,
            replace=replace,
            timeout=timeout,
            progress=progress,
        )
    for one in done:
        state = "downloaded" if one.is_new else "there already"
        tell(f"{one.card.name}: {one.card.n_pairs} pairs {state} and checked, {one.folder}")
        if one.is_new and one.card.fingerprint is None:
            typer.echo(f"  {_UNKNOWN}")


@app.command()
def generate(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Name of a generator; a wrong one lists them.",
            autocompletion=generator_names,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to make.")],
    pairs: Annotated[int, typer.Option(help="Number of pairs.")] = 100,
    rows: Annotated[int, typer.Option(help="Rows of each pair.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed; another one gives other pairs.")] = 0,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting of the generator. May be repeated."
        ),
    ] = None,
) -> None:
    """Write a folder of generated pairs, which `bqcd bench --datasets` can read.

    **Examples**

    `bqcd datasets generate LS --pairs 200 --seed 1 -o more-LS`

    `bqcd datasets generate AN --set noise_scale=0.3 -o loud-AN`
    """
    with errors_in_one_line():
        from bqcd.benchmark.datasets import simulate_pairs, write_pairmeta

        settings = chosen_settings(setting, n_pairs=pairs, n_rows=rows)
        made = simulate_pairs(name, seed=seed, **settings)  # type: ignore[arg-type]
        command = f"generate {name} --pairs {pairs} --rows {rows} --seed {seed}"
        given = (f" --set {quote(item)}" for item in setting or [])
        folder = write_pairmeta(made, out, readme=_readme(made, command + "".join(given)))
    tell(f"{name}: {len(made)} pairs written to {folder}")


def _readme(made: PairSet, command: str) -> str:
    from bqcd import __version__

    return (
        f"{len(made)} generated pairs of a cause and an effect.\n\n"
        f"Made by: bqcd datasets {command}\n"
        f"Version: bqcd {__version__}\n"
        f"Fingerprint: {made.fingerprint}\n"
        f"After: {made.source.citation}\n\n"
        "pairNNNN.txt: two columns, x and y.\n"
        "pairmeta.txt: number of the pair, first and last column of the cause, first and last\n"
        "column of the effect, weight.\n"
    )


def _published(card: PairSetCard, data_home: Path | None) -> list[tuple[str, str]]:
    """What is known of a benchmark without its files."""
    from bqcd.benchmark.datasets.homes import data_homes

    return [
        ("name", card.name),
        ("about", card.about),
        ("citation", card.source.citation),
        ("licence", card.source.licence),
        ("files", card.layout.about),
        ("looked for in", "\n".join(str(home / card.folder) for home in data_homes(data_home))),
        ("publisher", card.download.address),
        ("fingerprint", card.fingerprint or _UNKNOWN),
    ]


def _counts(pairs: PairSet) -> list[tuple[str, str]]:
    """What the files of a benchmark say."""
    if not len(pairs):
        return [("refused", f"{one.key}: {one.reason}") for one in pairs.refused]
    rows = [len(item.pair) for item in pairs]
    weights = [item.weight for item in pairs]
    signs = Counter(item.truth.value for item in pairs)
    facts = [
        ("pairs", f"{len(pairs)}, and {len(pairs.refused)} refused"),
        ("rows", _span(rows)),
        ("labels", f"{signs['->']} x -> y, {signs['<-']} x <- y"),
        ("weights", f"{_span(weights)}, {sum(weights):g} in all"),
    ]
    return facts + [("refused", f"{one.key}: {one.reason}") for one in pairs.refused]


def _span(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:,g} each" if low == high else f"{low:,g} to {high:,g}"


def _print_facts(facts: list[tuple[str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    before = ""
    for label, text in facts:
        shown = "\n".join(map(printable, text.split("\n")))
        table.add_row(Text("" if label == before else label, style="bold"), Text(shown))
        before = label
    Console().print(table)


@contextmanager
def _bar() -> Iterator[Progress]:
    """Progress bar of a download; without a terminal, lines in a log."""
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        lines = LogLines()
        yield lambda done, size: lines.show("downloading bytes", done, size or 0)
        return
    columns = (
        progress.TextColumn("downloading"),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
    )
    with progress.Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("", total=None)
        yield lambda done, size: bars.update(task, completed=done, total=size)
