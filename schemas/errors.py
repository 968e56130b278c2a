"""What a user did that cannot work, said in a sentence; never a traceback."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
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


class InputError(Exception):
    """The call or the input was wrong. Carries every problem of the run, not only the first.

    The command line prints the problems, one per line, and exits with code 2.
    """

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))
