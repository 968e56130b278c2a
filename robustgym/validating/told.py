"""What the validation of a verifier found, as a person reads it."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Group
from rich.table import Table
from rich.text import Text

from schemas.validation import ErrorRate, VerifierValidation

SHOWN = 20
"""False verdicts that are told one by one."""


@dataclass(frozen=True)
class Told:
    """The error rates by sort and by operator, every false verdict with its reason, and whether the target is met."""

    validation: VerifierValidation

    def __rich__(self) -> Group:
        found = self.validation
        lines: list[Table | Text] = [
            _table("sort of submission", found.by_sort),
            Text(),
            _table("operator", found.by_operator),
            Text(),
        ]
        for wrong in found.wrong[:SHOWN]:
            lines.append(Text(f"{wrong.task_id} {wrong.operator}, {wrong.sort}: {wrong.outcome}. {wrong.reason}"))
        if len(found.wrong) > SHOWN:
            lines.append(Text(f"and {len(found.wrong) - SHOWN} more; --json lists them all"))
        return Group(*lines, Text(found.summary, "bold"))


def _table(of: str, rates: tuple[ErrorRate, ...]) -> Table:
    table = Table(of, box=None, pad_edge=False)
    for column in ("must succeed", "false rejects", "must fail", "false accepts"):
        table.add_column(column, justify="right")
    for rate in rates:
        cells = (rate.to_succeed, rate.false_rejects, rate.to_fail, rate.false_accepts)
        table.add_row(rate.name, *map(str, cells), style="red" if rate.false_rejects or rate.false_accepts else None)
    return table
