"""The table of published benchmarks: what they are, where they lie and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from bqcd.benchmark.datasets.formats import FORMATS, Layout
from bqcd.benchmark.datasets.records import Source


@dataclass(frozen=True, slots=True)
class Download:
    """An archive at its publisher's, and where in it a benchmark lies.

    Parameters
    ----------
    address : str
        Where the publisher hands the archive out.
    inside : str, default=""
        End of the path of the benchmark's folder in the archive; empty stands for the one
        folder with files of its layout.
    archive : str, default="zip"
        Type of the archive.
    sha256 : str, optional
        Checksum of the archive, where the publisher always sends the same bytes. What is
        unpacked is checked in any case, see :class:`PairSetCard`.
    """

    address: str
    inside: str = ""
    archive: str = "zip"
    sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSetCard:
    """One row of the table of benchmarks.

    Parameters
    ----------
    name : str
        Name on the command line and in results.
    about : str
        What the pairs are, in one line.
    source : Source
        Citation and terms of use.
    layout : Layout
        How the files are laid out.
    folder : str
        Where the files lie below the data home.
    n_pairs : int
        Number of pairs that are not refused.
    n_rows : str
        Rows of a pair, in words.
    download : Download
        Where the files come from.
    fingerprint : str, optional
        :attr:`PairSet.fingerprint` of the published files, which every copy must have
        whatever its white space. None if it is not known: then the one at first download
        is written down beside the files, and they are checked against that.
    left_out : mapping from str to str, optional
        Pairs that stand in the files but not in the set, and the reasons.
    unweighted : bool, default=False
        Whether all pairs count the same, whatever the files say.
    """

    name: str
    about: str
    source: Source
    layout: Layout
    folder: str
    n_pairs: int
    n_rows: str
    download: Download
    fingerprint: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    unweighted: bool = False


MOOIJ = Source(
    "Mooij, Peters, Janzing, Zscheischler, Schölkopf: Distinguishing cause from effect using "
    "observational data: methods and benchmarks. JMLR 17(32), 2016",
    "free for research, cite the paper",
)
TAGASOVSKA = Source(
    "Tagasovska, Chavez-Demoulin, Vatter: Distinguishing cause from effect using quantiles: "
    "bivariate quantile causal discovery. ICML 2020",
    "published with the authors' code, without a licence of its own",
)
GOUDET = Source(
    "Goudet, Kalainathan, Caillou, Guyon, Lopez-Paz, Sebag: Learning functional causal models "
    "with generative neural networks. 2018. Data: doi.org/10.7910/DVN/3757KX",
    "terms of the Harvard Dataverse page",
)

_BINARY = "one of the variables has two values only; not among the 99 pairs of the paper"

_VECTOR = "one of the variables is a vector; not among the 99 pairs of the paper"
_BINARY_PAIRS = ("0047", "0070", "0107")
_VECTOR_PAIRS = ("0052", "0053", "0054", "0055", "0071", "0105")
_SCALAR_PAIRS = tuple(
    number
    for number in (f"{at:04d}" for at in range(1, 109))
    if number not in (*_BINARY_PAIRS, *_VECTOR_PAIRS)
)

_TUEBINGEN = Download("https://webdav.tuebingen.mpg.de/cause-effect/pairs.zip")


def _in_bqcd_repository(inside: str) -> Download:
    """Download from the paper's repository, at the one commit it has."""
    commit = "0e6eefefc46f1abcd876fe34751e18fbd9d23ef8"
    return Download(f"https://github.com/tagas/bQCD/archive/{commit}.zip", inside)


def _sim(name: str, about: str, fingerprint: str) -> PairSetCard:
    return PairSetCard(
        name=name,
        about=about,
        source=MOOIJ,
        layout=FORMATS["pairmeta"],
        folder=f"SIM_pairs/{name}",
        n_pairs=100,
        n_rows="1,000",
        download=_in_bqcd_repository(f"SIM_pairs/{name}"),
        fingerprint=fingerprint,
    )


def _anlsmn(name: str, about: str, fingerprint: str) -> PairSetCard:
    return PairSetCard(
        name=name,
        about=about,
        source=TAGASOVSKA,
        layout=FORMATS["numbered"],
        folder=f"ANLSMN_pairs/{name}",
        n_pairs=100,
        n_rows="1,000",
        download=_in_bqcd_repository(f"ANLSMN_pairs/{name}"),
        fingerprint=fingerprint,
    )


def _ce(name: str, about: str) -> PairSetCard:
    # format=original: as uploaded, not as the tables that Dataverse makes of them.
    bundle = "https://dataverse.harvard.edu/api/access/dataset/:persistentId/"
    return PairSetCard(
        name=name,
        about=about,
        source=GOUDET,
        layout=FORMATS["kaggle"],
        folder=f"CE_pairs/{name}",
        n_pairs=300,
        n_rows="about 1,500",
        download=Download(f"{bundle}?persistentId=doi:10.7910/DVN/3757KX&format=original"),
    )


PAIRSETS: Mapping[str, PairSetCard] = MappingProxyType(
    {
        card.name: card
        for card in (
            _sim(
                "SIM",
                "simulated: Gaussian processes of the cause and a noise, no confounder",
                "4521e2dc931930ef6c5b623dd428ad0408d42bfa7a73474c10a7af4b7f2a7cfe",
            ),
            _sim(
                "SIM-c",
                "like SIM, with a confounder",
                "6416ec33b0419352fc3b16892dabbea199f6fdd440abe4f471df20fca774005d",
            ),
            _sim(
                "SIM-ln",
                "like SIM, with low noise",
                "0d4bb8e532636e2270c5a95657ad8645f8a8c0360bcdc44097fd898f2cccb0a9",
            ),
            _sim(
                "SIM-G",
                "like SIM, with nearly Gaussian cause and noise",
                "21acdfc0a939e19f6c9b153e4c6aaa8a3c6033e31e6488ceff6db9c013854949",
            ),
            _anlsmn(
                "AN",
                "additive noise, Gaussian process",
                "1d874c2e0034b80ced8424f2d9d968c2a8fd9238de3905b514ff5b2b23bb044d",
            ),
            _anlsmn(
                "AN-s",
                "additive noise, sigmoid",
                "52df2caa0a403ff1482257c8d780dedf089ba975bd98f54527749c98a483e694",
            ),
            _anlsmn(
                "LS",
                "location and scale noise, Gaussian process",
                "8e0109923f4d5d30cb246ee06fb8b7397f930125a58004833811e5372d9c77fb",
            ),
            _anlsmn(
                "LS-s",
                "location and scale noise, sigmoid",
                "80046e260c39fe11aba9acd4fc8aa8b8204f153701315310fc22d02a1101e90a",
            ),
            _anlsmn(
                "MN-U",
                "multiplicative uniform noise, sigmoid",
                "229f60f1f5ae67a4c57ebb0b9deb06686bf8f83fc3bc476fa98d205c36b85bef",
            ),
            PairSetCard(
                name="tuebingen",
                about="real data from 37 sources: the 99 pairs of the paper",
                source=MOOIJ,
                layout=FORMATS["pairmeta"],
                folder="tuebingen",
                n_pairs=99,
                n_rows="94 to 16,382",
                download=_TUEBINGEN,
                fingerprint="d84f1bf667f14b068290f30046b30f9ffdd16ec582dc2115d5f4383f4e59f4c9",
                left_out={
                    **dict.fromkeys(_BINARY_PAIRS, _BINARY),
                    **dict.fromkeys(_VECTOR_PAIRS, _VECTOR),
                },
            ),
            PairSetCard(
                name="tuebingen-all",
                about="real data from 37 sources: all 108 pairs, 6 of them of vectors",
                source=MOOIJ,
                layout=FORMATS["pairmeta"],
                folder="tuebingen",
                n_pairs=108,
                n_rows="72 to 16,382",
                download=_TUEBINGEN,
                fingerprint="88566a8c624eb4d6b9ec7c1108367c627f2bc59a5791d76c1b100222ddd9687c",
            ),
            PairSetCard(
                name="tuebingen-nine",
                about="the nine Tübingen pairs beside the paper's 99: 6 of vectors, 3 with a "
                "binary variable; all count the same",
                source=MOOIJ,
                layout=FORMATS["pairmeta"],
                folder="tuebingen",
                n_pairs=9,
                n_rows="72 to 10,226",
                download=_TUEBINGEN,
                fingerprint="2875a49d843ea9d208730e6cdde27a52a71e6c7b8f05b7fb06d812e6d8ef756c",
                left_out=dict.fromkeys(_SCALAR_PAIRS, "among the 99 pairs of the paper"),
                unweighted=True,
            ),
            _ce("CE-Cha", "real and artificial pairs of the Kaggle challenge of 2013"),
            _ce("CE-Multi", "linear and polynomial mechanisms, noise before or after them"),
            _ce("CE-Net", "networks of random weights, causes of various distributions"),
        )
    }
)
"""Published benchmarks by name; those of the paper's table first, in its order."""

PAPER_PAIRSETS = tuple(PAIRSETS)[:10]
"""Names of the benchmarks in the paper's table, in its order."""
