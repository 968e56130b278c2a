"""What a user did that cannot work, said in a sentence; never a traceback."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input: where it is, what it is, what to do about it."""

    where: str
    """File, table, column, line or key, most general first: `hosp/labevents.csv.gz, line 12, column valuenum`."""
    what: str
    """What was found, in one clause without a full stop: "`abc` is not a number"."""
    do: str = ""
    """What the user can do about it, as an imperative sentence without a full stop."""

    def __str__(self) -> str:
        """Put the parts into one line.

        >>> str(Problem("hosp/patients.csv", "the file is empty", "download it again"))
        'hosp/patients.csv: the file is empty; download it again'
        """
        return f"{self.where}: {self.what}" + (f"; {self.do}" if self.do else "")

    @property
    def order(self) -> tuple[tuple[tuple[str, int], ...], str]:
        """Its place among others: by `where`, numbers as numbers (line 17 before line 142), then by text."""
        parts = re.findall(r"([^0-9]+)([0-9]*)|([0-9]+)", self.where)
        return tuple((text, int(digits or leading or -1)) for text, digits, leading in parts), str(self)


def problems_in(where: str, error: ValidationError) -> list[Problem]:
    """What pydantic finds wrong with a document, field by field.

    Args:
        where: The document, a file most of the time.
        error: What its model says of it.
    """
    return [
        Problem(f"{where}, {'.'.join(map(str, fault['loc']))}", fault["msg"][0].lower() + fault["msg"][1:])
        for fault in error.errors()
    ]


class InputError(Exception):
    """The call or the input was wrong. Carries every problem of the run, not only the first.

    The command line prints the problems, one per line, and exits with code 2.

    >>> lines = (Problem(f"labs.csv, line {line}", "`abc` is not a number") for line in (142, 17))
    >>> print(InputError(lines))
    labs.csv, line 17: `abc` is not a number
    labs.csv, line 142: `abc` is not a number
    """

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        found = {problems} if isinstance(problems, Problem) else set(problems)
        self.problems = tuple(sorted(found, key=lambda problem: problem.order))
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        """What a worker process sends of it: the problems, not the text that is made of them."""
        return type(self), (self.problems,)
