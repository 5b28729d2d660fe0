"""What became of edges, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bqcd.graphs.bootstrapping import Bootstrap
from bqcd.graphs.comparison import Comparison
from bqcd.graphs.notes import Code, GraphNote
from bqcd.graphs.orienting.orientation import Orientation
from bqcd.graphs.orienting.records import Bar, EdgeRecord, Judgement, Outcome
from bqcd.methods.answers import BARS
from bqcd.show.chances import probability_text
from bqcd.show.words import counted
from bqcd.show.words.verdicts import choice_words


def sentence(record: EdgeRecord) -> str:
    """What became of an edge and why, in one sentence."""
    return f"{record.arrow}: {reason(record)}."


def reason(record: EdgeRecord) -> str:
    """Why an edge came out as it did, for a sentence."""
    return f"{_REASONS[record.outcome](record)}{_frequency_words(record)}"


def summary(orientation: Orientation) -> str:
    """How many edges there are, and how they were settled."""
    edges = orientation.edges
    if not edges:
        return "The graph has no edges."
    directed = Counter(record.outcome for record in edges if record.tail is not None)
    learners = {record.learner for record in edges if record.learner}
    left = Counter(record.outcome for record in edges if record.tail is None)
    verb = "has" if 1 in (directed.total(), len(edges)) else "have"
    told = f"{directed.total():,} of {counted(len(edges), 'edge')} {verb} a direction"
    told = f"{told}{_settled(directed, *learners)}{_strengths(edges)}."
    if not left:
        return told
    verb = "is" if left.total() == 1 else "are"
    return f"{told} {left.total():,} {verb} left open{_settled(left, *learners)}."


def _settled(counts: Counter[Outcome], learner: str = "") -> str:
    """How edges were settled, at the end of a clause."""
    words = dict(_SETTLED)
    if learner:
        words[Outcome.LEARNT] = f"learnt by {learner}"
        words[Outcome.V_STRUCTURE] = f"learnt by {learner} as part of a collider"
    if len(counts) < 2:
        return "".join(f", {words[outcome]}" for outcome in counts)
    told = (f"{counts[one]:,} {words[one]}" for one in Outcome if one in counts)
    return f": {', '.join(told)}"


def _surest(counted: tuple[str, int]) -> int:
    """Place of a strength, the surest first."""
    return ("clear", "leaning", "borderline").index(counted[0])


def _strengths(edges: Sequence[EdgeRecord]) -> str:
    """How many learnt directions are how sure, at the end of a sentence."""
    counts = Counter(record.strength for record in edges if record.strength is not None)
    told = ", ".join(f"{count:,} {one}" for one, count in sorted(counts.items(), key=_surest))
    return f"; of the learnt ones {told} by the pair alone" if told else ""


_SETTLED: Mapping[Outcome, str] = {
    Outcome.GIVEN: "as given",
    Outcome.LEARNT: "learnt",
    Outcome.V_STRUCTURE: "given as part of a collider",
    Outcome.KNOWLEDGE: "known beforehand",
    Outcome.JUDGED: "judged from the data",
    Outcome.COMPELLED: "compelled by other directions",
    Outcome.TURNED: "turned by other directions",
    Outcome.COMPLETED: "added for a full DAG",
    Outcome.BORDERLINE: "not sure enough",
    Outcome.ABSTAINED: "without a verdict",
    Outcome.BLOCKED: "blocked both ways",
    Outcome.EXCLUDED: "against the graph",
}


def comparison_summary(comparison: Comparison) -> str:
    """Distances between two graphs, in one line."""
    told = [f"SHD {comparison.shd}", f"SID {_sid_words(comparison)}"]
    for what, part in (("links", comparison.skeleton), ("directions", comparison.orientation)):
        told.append(f"{what} {part.n_both} right of {part.n_found} found and {part.n_true} true")
    return f"{'; '.join(told)}."


def _sid_words(comparison: Comparison) -> str:
    if comparison.sid is not None:
        return str(comparison.sid)
    if comparison.sid_lower is None:
        return "not defined"
    return f"{comparison.sid_lower} to {comparison.sid_upper}"


def bootstrap_summary(bootstrap: Bootstrap) -> str:
    """How many sub-samples there were, and how many edges are in most of them."""
    often = [edge for edge in bootstrap.edges if edge.joined >= _OFTEN]
    steady = [edge for edge in often if edge.share(edge.most) >= _OFTEN and "->" in edge.most]
    failed = f" {len(bootstrap.failed)} more gave no graph." if bootstrap.failed else ""
    drawn = "1 sub-sample" if bootstrap.draws == 1 else f"{bootstrap.draws} sub-samples"
    return (
        f"{drawn} of {bootstrap.rows:,} rows: {len(often)} of "
        f"{len(bootstrap.edges)} links are in {_OFTEN:.0%} or more, {len(steady)} of them one way "
        f"in as many.{failed}"
    )


# Links and directions in so many sub-samples are called steady.
_OFTEN = 0.8


def note_words(note: GraphNote) -> str:
    """A note on a graph.

    Examples
    --------
    >>> note_words(GraphNote("rows left out", {"at_most": 1200}))
    'Rows with missing values left out of a pair: 1,200 at most.'
    """
    return _NOTES[note.code](dict(note.facts))


_NOTES: Mapping[Code, Callable[[dict[str, Any]], str]] = {
    "learner": lambda facts: f"The graph was learnt by {facts['learner']}.",
    "directions right": lambda facts: (
        f"Of the directions of {facts['learner']}, {facts['simulated']:.0%} of "
        f"{facts['n_simulated']:,} were right on simulated tables, and {facts['proteins']} of "
        f"{facts['n_proteins']} on protein signals (benchmarks/results/learners.md)."
    ),
    "contradictory colliders": lambda facts: (
        f"{' <-> '.join(map(repr, facts['nodes']))} of contradictory colliders is left undirected."
    ),
    "cycle": lambda facts: f"The cycle {' -> '.join(facts['nodes'])} is left undirected.",
    "columns that are no node": lambda facts: (
        f"Columns that are no node of the graph: {', '.join(facts['columns'])}."
    ),
    "unknown nodes": lambda facts: (
        f"Background knowledge names columns that are no node: {', '.join(facts['nodes'])}."
    ),
    "overruled": lambda facts: (
        f"{' -> '.join(facts['nodes'])} was learnt, and is turned, as {facts['why']}."
    ),
    "edges that are absent": lambda facts: (
        "Required directions of what the graph does not join: "
        f"{', '.join(' -> '.join(edge) for edge in facts['required'])}."
    ),
    "rows left out": lambda facts: (
        f"Rows with missing values left out of a pair: {facts['at_most']:,} at most."
    ),
}


def _verdict_words(record: EdgeRecord) -> str:
    judgement = record.judgement
    if judgement is None:
        return ""
    if record.verdict is None and not judgement.confidence:
        return judgement.message or "the method abstained"
    if record.verdict is None:
        return f"its direction {_untold_words(record)}{_withheld_words(judgement)}"
    return f"{record.verdict[0]} -> {record.verdict[1]} {_strength_words(record)}"


def _strength_words(record: EdgeRecord) -> str:
    if record.judgement is None:
        return ""
    return f"{_picked_words(record)}with {_measure_words(record)}"


def _untold_words(record: EdgeRecord) -> str:
    """That a direction cannot be told: its size is no measure of how sure that is."""
    return f"cannot be told {_picked_words(record)}".rstrip() + f", {_measure_words(record)}"


def _picked_words(record: EdgeRecord) -> str:
    choice = None if record.judgement is None else record.judgement.choice
    return "" if choice is None else f"by {choice.method} "


def _measure_words(record: EdgeRecord) -> str:
    """Probability or confidence, rank and stability."""
    judgement = record.judgement
    if judgement is None:
        return ""
    words = _size_words(judgement)
    if record.rank is not None:
        words += f", rank {record.rank}"
    if judgement.share is not None:
        words += f", {judgement.share:.0%} of replicates"
    return words


def _withheld_words(judgement: Judgement) -> str:
    """Why a direction is not told though the method that was picked has one."""
    if judgement.choice is None or not judgement.choice.withheld:
        return ""
    return f": {choice_words(judgement.choice).rstrip('.')}"


def _size_words(judgement: Judgement) -> str:
    """Probability or confidence of a verdict, next to the bar it had to pass."""
    words = f"confidence {abs(judgement.confidence):.3g}"
    if judgement.probability is not None:
        bar = BARS.clear if judgement.told == "clear" else BARS.leaning
        name = "clear" if judgement.told == "clear" else "leaning"
        sure = probability_text(judgement.probability)
        return f"probability {sure} ({name} from {bar:.2f}), {words}"
    if judgement.limit is not None:
        words += f" ({judgement.limit:.3g} is common where no direction exists)"
    return words


def _frequency_words(record: EdgeRecord) -> str:
    """What became of an edge on sub-samples, at the end of a sentence."""
    found = record.frequency
    if found is None:
        return ""
    if not found.counts:
        return f"; in none of {found.draws} sub-samples"
    words = f"; in {found.joined:.0%} of {found.draws} sub-samples"
    way = "left open" if record.tail is None else "this way"
    return f"{words}, {way} in {found.share(record.arrow):.0%}"


def _rule_words(record: EdgeRecord) -> str:
    because = " and ".join(record.because)
    if record.rule is None:
        return f"compelled, as the other direction would {record.obstacles[0].made}"
    name = "Meek's rule " if record.ends is None else "Zhang's rule R"
    return f"compelled by {name}{record.rule} through {because}"


def _with_verdict(words: str, record: EdgeRecord) -> str:
    if record.verdict:
        return f"{words}; the pair alone says {_verdict_words(record)}"
    untold = f"; from the pair alone {_verdict_words(record)}" if record.confidence else ""
    return f"{words}{untold}"


def _known(record: EdgeRecord) -> str:
    """A direction that is known, and what it overrules."""
    against = f", against {record.head} -> {record.tail} in the graph" if record.overruled else ""
    return f"known, as {record.knowledge}{against}"


def _known_too(record: EdgeRecord) -> str:
    return f", and known, as {record.knowledge}" if record.knowledge else ""


def _learnt(record: EdgeRecord) -> str:
    """A direction that a learner found, and how far the pair alone says the same."""
    part = ""
    if record.outcome is Outcome.V_STRUCTURE:
        first, middle, second = record.because
        part = f", part of the v-structure {first} -> {middle} <- {second}"
    words = f"learnt by {record.learner}{part}{_known_too(record)}"
    if record.strength is None:
        return words
    if record.strength != "borderline":
        return f"{words}, {record.strength} {_strength_words(record)}"
    if record.verdict is None:
        return f"{words}, borderline: from the pair alone {_verdict_words(record)}"
    return f"{words}, borderline: the pair alone says {_verdict_words(record)}"


def _in_a_collider(record: EdgeRecord) -> str:
    """An edge of a collider of the graph."""
    if record.learner:
        return _learnt(record)
    first, middle, second = record.because
    told = f"given in the graph, part of the v-structure {first} -> {middle} <- {second}"
    return f"{told}{_known_too(record)}"


def _judged(record: EdgeRecord) -> str:
    """A verdict that was followed: how sure it is, or that it was followed by demand only."""
    answer = "leaning" if record.judgement is None else record.judgement.told
    if answer == "cannot tell":
        return f"judged by the sign alone, as asked: it {_untold_words(record)}"
    return f"judged {answer} {_strength_words(record)}"


def _turned(record: EdgeRecord) -> str:
    if record.rule is not None:
        reason = f"it is {_rule_words(record)}"
    else:
        reason = f"that would {record.obstacles[0].made}"
    return f"turned against its verdict {_verdict_words(record)}, because {reason}"


def _completed(record: EdgeRecord) -> str:
    by = {
        "verdict": "by its verdict",
        "sign": "by the sign of the confidence",
        "alphabet": "in alphabetical order",
    }
    how = by.get(record.completed_by) or f"as {record.obstacles[0].told}"
    words = f"completed to a full DAG, {how}"
    if record.verdict == (record.tail, record.head):
        return f"{words} {_strength_words(record)}"
    return _with_verdict(words, record)


def _borderline(record: EdgeRecord) -> str:
    answer = "" if record.judgement is None else f"{record.judgement.told}, "
    words = f"left open as borderline: {answer}{_verdict_words(record)}"
    if record.below is not None and record.below.of == "answer":
        return f"left open: {_verdict_words(record)}"
    return words if record.below is None else f"{words}; {_bar_words(record.below)}"


def _bar_words(bar: Bar) -> str:
    if bar.limit is None:
        return "less than the bar is left open"
    least = f"{bar.limit:g}" if bar.of == "confidence" else f"{bar.limit:.0%} of replicates"
    return f"less than {least} is left open"


def _blocked(record: EdgeRecord) -> str:
    told = ", and ".join(blocked.told for blocked in record.obstacles)
    return f"left open, as either direction is blocked: {told}"


_REASONS: Mapping[Outcome, Callable[[EdgeRecord], str]] = {
    Outcome.GIVEN: lambda record: f"given in the graph{_known_too(record)}",
    Outcome.LEARNT: _learnt,
    Outcome.V_STRUCTURE: _in_a_collider,
    Outcome.KNOWLEDGE: lambda record: _with_verdict(_known(record), record),
    Outcome.JUDGED: _judged,
    Outcome.COMPELLED: lambda record: _with_verdict(_rule_words(record), record),
    Outcome.TURNED: _turned,
    Outcome.COMPLETED: _completed,
    Outcome.BORDERLINE: _borderline,
    Outcome.ABSTAINED: lambda record: f"left open: {_verdict_words(record)}",
    Outcome.BLOCKED: _blocked,
    Outcome.EXCLUDED: lambda record: (
        f"left open: the pair alone says {_verdict_words(record)}, which the graph excludes"
    ),
}
