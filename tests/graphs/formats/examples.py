"""Graphs with awkward names, for round trips through every format."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from bqcd.graphs.partial import PartialGraph

AWKWARD = [
    "a",
    "A",
    "0",
    "1",
    "n0",
    "-1.5",
    "two words",
    " edge ",
    "->",
    "a -> b",
    'quo"te',
    '"quoted"',
    "it's",
    "'=1+1",
    "=1+1",
    "+x",
    "-x",
    "@sum",
    "a,b",
    "a;b",
    "semi;colon{brace}",
    "[label]",
    "[]",
    "()",
    "NAN",
    "node",
    "edge",
    "graph",
    "subgraph",
    "dag",
    "from",
    "to",
    "type",
    "row-causes-column",
    "a\\b",
    "a\\\\b",
    "\\n",
    "&amp;",
    "&#65;",
    "<b>bold</b>",
    "]]>",
    "# no comment",
    "/* no */",
    "// no",
    "größe",
    "温度",
    "\N{SNOWMAN}\N{GRINNING FACE}",
    "e\u0301",
    "\N{NO-BREAK SPACE}",
    "nan",
    "null",
    "x" * 300,
]

printable = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\ufffe\uffff\\"),
    min_size=1,
    max_size=8,
)


@st.composite
def graphs(draw: st.DrawFn) -> PartialGraph:
    """Up to six nodes, each pair of them joined in one of four ways."""
    names = draw(st.lists(st.sampled_from(AWKWARD) | printable, max_size=6, unique=True))
    directed, undirected = [], []
    for first, second in combinations(names, 2):
        way = draw(st.sampled_from(["none", "->", "<-", "--"]))
        if way == "->":
            directed.append((first, second))
        elif way == "<-":
            directed.append((second, first))
        elif way == "--":
            undirected.append((first, second))
    return PartialGraph(names, directed=directed, undirected=undirected)
