"""The language of DOT and DAGitty: statements on nodes and edges between braces.

What tools write is understood: quoted and joined names, ports, attribute lists, chains of
edges, groups of nodes in braces, comments. What an arrow means is left to the readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, NamedTuple, NoReturn

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats.assembly import MAX_ELEMENTS, check_name

MAX_DEPTH = 50
"""Most groups within each other."""

# In DOT a backslash guards a backslash, and both stay; in DAGitty it guards only quotes.
_STRINGS = {"dot": r'"(?:[^"\\]++|\\.)*+"', "dagitty": r'"(?:[^"\\]++|\\"?)*+"'}
_ESCAPES = {"dot": r'\\(?:\\|"|\r?\n)', "dagitty": r'\\(?:"|\r?\n)'}
_REST = r"""
    |(?P<arrow> <-> | <-@ | <- | -> | @-> | @-@ | @-- | --@ | -- )
    |(?P<word> (?<![\w.])-(?:\d+\.?\d*|\.\d+) | [\w.\u00a1-\U0010ffff]+ )
    |(?P<mark> [{}\[\]=;,:+] )
    |(?P<space> \s+ | //[^\n]* | /\*.*?\*/ | \#[^\n]* )
"""


class Token(NamedTuple):
    """A piece of text and where it is; a quoted one is a string, whatever it says."""

    kind: str
    text: str
    line: int


class StatedEdge(NamedTuple):
    """An edge as it is written: two names, the arrow between them, and attributes."""

    left: str
    right: str
    arrow: str
    attributes: Mapping[str, str]


@dataclass
class StatedGraph:
    """Everything a text says: keyword before the braces, nodes with attributes, edges."""

    keyword: str
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[StatedEdge] = field(default_factory=list)


def stated_graph(
    text: str, source: str, *, language: Literal["dot", "dagitty"], keywords: tuple[str, ...]
) -> StatedGraph:
    """What a text in DOT or in DAGitty's language says.

    Parameters
    ----------
    text : str
        The text.
    source : str
        What is read, for messages.
    language : {"dot", "dagitty"}
        In DOT, ``node``, ``edge`` and ``graph`` before an attribute list set defaults; in
        DAGitty they are names like any other.
    keywords : tuple of str
        Words of which one must come before the braces.

    Raises
    ------
    InvalidGraphError
        If the text is not in the language. The message names the line.
    """
    parser = _Parser(text, source, language)
    keyword = parser.header(keywords)
    graph = StatedGraph(keyword)
    parser.body(graph)
    return graph


def _tokens(text: str, source: str, language: str) -> Iterator[Token]:
    pattern = re.compile(f"(?P<string>{_STRINGS[language]}){_REST}", re.VERBOSE | re.DOTALL)
    at, line, after_equals = 0, 1, False
    while at < len(text):
        if after_equals and text[at] == "<":
            kind, end = "string", _html_end(text, at, line, source)
            found = text[at:end]
        else:
            match = pattern.match(text, at)
            if match is None:
                snippet = text[at : at + 20].split("\n")[0]
                raise InvalidGraphError(
                    f"{source} cannot be read at line {line}: unexpected {snippet!r}; names with "
                    "other signs than letters, digits, '.' and '_' go in double quotes."
                )
            kind, found, end = str(match.lastgroup), match.group(), match.end()
        if kind != "space":
            yield Token(kind, _unquoted(found, language) if found[0] == '"' else found, line)
            after_equals = found == "="
        line += found.count("\n")
        at = end
    yield Token("end", "end of the file", line)


def _html_end(text: str, start: int, line: int, source: str) -> int:
    depth = 0
    for match in re.compile("[<>]").finditer(text, start):
        depth += 1 if match.group() == "<" else -1
        if depth == 0:
            return match.end()
    raise InvalidGraphError(f"{source} cannot be read at line {line}: '<' is never closed.")


def _unquoted(text: str, language: str) -> str:
    return re.sub(_ESCAPES[language], _unescaped, text[1:-1])


def _unescaped(match: re.Match[str]) -> str:
    return {'\\"': '"', "\\\\": "\\\\"}.get(match.group(), "")


def quoted(text: str, format_name: str) -> str:
    """Text in double quotes as both languages read it.

    Raises
    ------
    InvalidGraphError
        If a backslash comes last or before a quote, which neither can hold.
    """
    if re.search(r'\\(?:"|$)', text):
        raise InvalidGraphError(
            f"Text in {format_name} must have no backslash at its end or before a quote, "
            f"got {text!r}."
        )
    return '"' + text.replace('"', '\\"') + '"'


class _Parser:
    """Tokens read one by one, with one ahead."""

    def __init__(self, text: str, source: str, language: str) -> None:
        self._tokens = _tokens(text, source, language)
        self._source = source
        self._has_defaults = language == "dot"
        self._next = next(self._tokens)

    def _take(self) -> Token:
        token = self._next
        if token.kind != "end":
            self._next = next(self._tokens)
        return token

    def _sees(self, mark: str) -> bool:
        return self._next.kind == "mark" and self._next.text == mark

    def _takes(self, mark: str) -> bool:
        if self._sees(mark):
            self._take()
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._takes(mark):
            self._fail(f"expected {mark!r}, got {self._next.text[:40]!r}")

    def _fail(self, what: str) -> NoReturn:
        raise InvalidGraphError(f"{self._source} cannot be read at line {self._next.line}: {what}.")

    def header(self, keywords: tuple[str, ...]) -> str:
        """Keyword before the first brace, which is taken too."""
        token = self._take()
        if token.kind == "word" and token.text.lower() == "strict":
            token = self._take()
        keyword = token.text.lower()
        if token.kind != "word" or keyword not in keywords:
            self._fail(f"expected one of {', '.join(keywords)}, got {token.text[:40]!r}")
        if not self._sees("{"):
            self._name()
        self._expect("{")
        return keyword

    def body(self, graph: StatedGraph) -> None:
        """Add what is said up to the last brace."""
        self._statements(graph, {}, 0)
        self._takes(";")
        if self._next.kind != "end":
            self._fail(f"expected one graph, got {self._next.text[:40]!r} after it")

    def _statements(
        self, graph: StatedGraph, defaults: dict[str, str], depth: int
    ) -> dict[str, None]:
        """Names of the nodes between braces, of which the first was taken."""
        if depth > MAX_DEPTH:
            self._fail(f"groups must not be more than {MAX_DEPTH} deep")
        members: dict[str, None] = {}
        while not self._takes("}"):
            if not (self._takes(";") or self._takes(",")):
                members.update(self._statement(graph, defaults, depth))
        return members

    def _statement(
        self, graph: StatedGraph, defaults: dict[str, str], depth: int
    ) -> dict[str, None]:
        word = self._next if self._next.kind == "word" else None
        names = self._operand(graph, defaults, depth)
        if word and self._has_defaults and word.text.lower() in ("graph", "node", "edge"):
            told = self._attributes()
            if word.text.lower() == "edge":
                defaults.update(told)
            return {}
        if self._takes("="):
            self._name()
            return {}
        chain, arrows = [names], []
        while self._next.kind == "arrow":
            arrows.append(self._take().text)
            chain.append(self._operand(graph, defaults, depth))
        told = self._attributes()
        for group in chain:
            self._add_nodes(graph, group, told if not arrows else {})
        for left, arrow, right in zip(chain, arrows, chain[1:], strict=False):
            self._add_edges(graph, left, right, arrow, {**defaults, **told})
        return {name: None for group in chain for name in group}

    def _operand(self, graph: StatedGraph, defaults: dict[str, str], depth: int) -> dict[str, None]:
        """Names at one end of an edge: one, or those of a group."""
        if self._takes("{"):
            return self._statements(graph, dict(defaults), depth + 1)
        keyword = self._next.kind == "word" and self._next.text.lower() == "subgraph"
        name = self._name()
        if keyword and self._has_defaults:
            if not self._sees("{"):
                self._name()
            self._expect("{")
            return self._statements(graph, dict(defaults), depth + 1)
        while self._takes(":"):
            self._name()
        return {name: None}

    def _name(self) -> str:
        if self._next.kind not in ("word", "string"):
            self._fail(f"expected a name, got {self._next.text[:40]!r}")
        token = self._take()
        parts = [token.text]
        while token.kind == "string" and self._takes("+"):
            if self._next.kind != "string":
                self._fail(f"expected text in quotes after '+', got {self._next.text[:40]!r}")
            parts.append(self._take().text)
        return "".join(parts)

    def _attributes(self) -> dict[str, str]:
        told: dict[str, str] = {}
        while self._takes("["):
            while not self._takes("]"):
                if self._takes(",") or self._takes(";"):
                    continue
                key = self._name()
                told[key] = self._name() if self._takes("=") else ""
        return told

    def _add_nodes(self, graph: StatedGraph, names: dict[str, None], told: dict[str, str]) -> None:
        for name in names:
            graph.nodes.setdefault(check_name(name, self._source), {}).update(told)
        self._check_number(len(graph.nodes), "nodes")

    def _add_edges(
        self,
        graph: StatedGraph,
        left: dict[str, None],
        right: dict[str, None],
        arrow: str,
        told: dict[str, str],
    ) -> None:
        self._check_number(len(graph.edges) + len(left) * len(right), "edges")
        graph.edges += (StatedEdge(*ends, arrow, told) for ends in product(left, right))

    def _check_number(self, number: int, what: str) -> None:
        if number > MAX_ELEMENTS:
            self._fail(f"there must be at most {MAX_ELEMENTS:,} {what}")
