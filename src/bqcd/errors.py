"""Errors bqcd raises on purpose: one root, each named after what is wrong.

And how foreign names stand in messages: in one line, not too long, without anything that a
terminal would obey.
"""

from __future__ import annotations

LONGEST_MESSAGE = 500
"""Letters of the longest message."""


class BqcdError(Exception):
    """Root of every error bqcd raises on purpose.

    Its message has at most ``LONGEST_MESSAGE`` letters, see :func:`brief`.
    """

    def __init__(self, *told: object) -> None:
        super().__init__(*(brief(one) if isinstance(one, str) else one for one in told))


class InvalidPairError(BqcdError, ValueError):
    """The two columns cannot be compared: wrong shape, not finite, constant, too short."""


class InvalidTableError(BqcdError, ValueError):
    """The table cannot be read or lacks the column asked for."""


class InvalidSettingError(BqcdError, ValueError):
    """A setting is outside its range. The message names the setting, the range and the value."""


class UnknownNameError(BqcdError, LookupError):
    """No method, regressor, table or setting has this name. The message lists the nearest names."""


class MissingPackageError(BqcdError, ImportError):
    """An optional package is absent. The message gives the ``pip install`` line."""


class InvalidRegressorError(BqcdError, ValueError):
    """A quantile regressor broke its contract: wrong shape, not finite, or crossing."""


class InvalidVerdictError(BqcdError, ValueError):
    """A method gave back something other than a verdict with a finite confidence."""


class InvalidResultsError(BqcdError, ValueError):
    """A folder or file of results cannot be read, is in use, or belongs to another run."""


class DamagedResultsWarning(UserWarning):
    """Some results in a folder were damaged after they had been written, and do not count."""


class WorkerError(BqcdError, RuntimeError):
    """Worker processes cannot be started or reached, or end before their work is done.

    The message may hold their whole trace, and is never shortened.
    """

    def __init__(self, *told: object) -> None:
        Exception.__init__(self, *told)


class InvalidGraphError(BqcdError, ValueError):
    """A graph cannot be read or used: a cycle, an edge twice, a node that is no column."""


class InvalidKnowledgeError(BqcdError, ValueError):
    """Statements about edges contradict each other or the graph. The message names both."""


class UndefinedMetricError(BqcdError, ValueError):
    """The metric has no value on these data, e.g. an ROC area when all truths are equal."""


def counted(number: int, noun: str) -> str:
    """A number of things in words.

    Examples
    --------
    >>> counted(1, "pair"), counted(1000, "pair")
    ('1 pair', '1,000 pairs')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def printable(text: str) -> str:
    r"""Text in one line, with what cannot be printed written as Python would.

    Control characters, line breaks, marks that turn the direction of text and letters without
    width are among the latter.

    Examples
    --------
    >>> print(printable("a\tb\u202e [red]"))
    a\tb\u202e [red]
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def shortened(text: str, most: int = 80) -> str:
    """Text of at most so many letters, the middle left out if there are more.

    Examples
    --------
    >>> shortened("a name that is far too long", most=16)
    'a name th...long'
    """
    if len(text) <= most:
        return text
    end = most // 4
    return f"{text[: most - 3 - end]}...{text[-end:]}"


def brief(message: str, most: int = LONGEST_MESSAGE) -> str:
    """Message of at most so many letters: names and values are shortened, the words stay.

    What stands in quotes is shortened first, then words without end, and only if that is not
    enough, as in a list of hundreds, the middle of the whole.

    Parameters
    ----------
    message : str
        Sentences with names and values in quotes, as ``repr`` writes them.
    most : int, default=500
        Letters that it may have.

    Examples
    --------
    >>> brief(f"Column {'a' * 1000!r} must vary, but it is constant.", most=70)
    "Column 'aaaaaaaaaaaa...aaaaa' must vary, but it is constant."
    """
    # Loaded here: a short message, and a command that has not begun, can do without.
    import re

    for longest in (200, 80, 40, 20):
        if len(message) <= most:
            return message
        message = _with_short_quotes(message, longest)
        # Twice as long: what was in quotes is short by then.
        endless = rf"\S{{{2 * longest + 3},}}"
        message = re.sub(endless, lambda word: shortened(word.group(), 40), message)
    return shortened(message, most)


_OPENING = r"""(?<!\w)['"]"""
_CLOSING = {mark: rf"(?<!\\)(?:\\\\)*{mark}(?!\w)" for mark in "'\""}


def _with_short_quotes(message: str, longest: int) -> str:
    """Message in which nothing within quotes has more letters."""
    import re

    ends = {mark: re.compile(pattern) for mark, pattern in _CLOSING.items()}
    parts, at, open_ended = [], 0, set()
    for opening in re.finditer(_OPENING, message):
        mark = opening.group()
        if opening.start() < at or mark in open_ended:
            continue
        closing = ends[mark].search(message, opening.end())
        if closing is None:
            open_ended.add(mark)
            continue
        inside = message[opening.end() : closing.end() - 1]
        parts += [message[at : opening.end()], shortened(inside, longest), mark]
        at = closing.end()
    return "".join([*parts, message[at:]])
