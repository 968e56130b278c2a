"""Numbers as reports and cards print them. What was not measured is printed as such, never as 0."""

from __future__ import annotations

NOT_MEASURED = "not measured"


def of(part: int, whole: int) -> str:
    """A share in percent.

    >>> of(1, 8), of(0, 0)
    ('12.5%', 'not measured')
    """
    return f"{100 * part / whole:.1f}%" if whole else NOT_MEASURED


def percent(score: float | None) -> str:
    """A score in percent.

    >>> percent(0.5), percent(None)
    ('50.0%', 'not measured')
    """
    return NOT_MEASURED if score is None else f"{100 * score:.1f}%"


def decimal(number: float | None, digits: int) -> str:
    """A number with that many decimals.

    >>> decimal(41.25, 1), decimal(3, 0), decimal(None, 1)
    ('41.2', '3', 'not measured')
    """
    return NOT_MEASURED if number is None else f"{number:.{digits}f}"


def counted(n: int, noun: str, plural: str = "") -> str:
    """A number of things, the noun in its plural where it must be.

    >>> counted(1, "pair"), counted(2, "test pair"), counted(0, "reply", "replies")
    ('1 pair', '2 test pairs', '0 replies')
    """
    return f"{n} {noun if n == 1 else plural or f'{noun}s'}"


def thousands(n: int) -> str:
    """A whole number with thin spaces between its thousands.

    >>> thousands(1234567)
    '1\u202f234\u202f567'
    """
    return f"{n:,}".replace(",", "\u202f")


def words(name: str) -> str:
    """A key as words.

    >>> words("silence_without_evidence"), words("test/Labs")
    ('silence without evidence', 'test, Labs')
    """
    return name.replace("_", " ").replace("/", ", ")
