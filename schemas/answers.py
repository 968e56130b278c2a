"""What a question asks to be given back: the answer's type, its contract in words, and the gold value.

NULL, 0, false and the empty list are four different answers. NULL alone abstains.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Frozen(BaseModel):
    """Base of everything that is published: immutable, and no key that is not declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class AnswerKind(StrEnum):
    """The kinds of answer a template can declare."""

    QUANTITY = "quantity"
    """A number with a unit."""
    COUNT = "count"
    """A whole number of things."""
    YES_NO = "yes_no"
    CATEGORY = "category"
    """A text as the record has it."""
    CODE = "code"
    """A code as text, leading zeros kept; with `version` where ICD-9 and ICD-10 are mixed."""
    TIME = "time"
    """A naive timestamp or date of the patient's own calendar."""
    DURATION = "duration"
    """A length of time with a unit."""
    SET = "set"
    """Distinct texts, in any order."""
    ROWS = "rows"
    """Records with a key, in any order."""


GUESSED: Mapping[AnswerKind, float] = {
    AnswerKind.YES_NO: 0.5,
    AnswerKind.CATEGORY: 0.3,
    AnswerKind.CODE: 0.3,
    AnswerKind.SET: 0.3,
}
"""Kinds of answer that could be guessed from the template, and the share of its questions that one answer may have."""


class AnswerType(Frozen):
    """The contract of an answer: what counts as right. The question's text says the same in words."""

    kind: AnswerKind
    unit: str | None = None
    """Unit of a quantity or duration. An answer may leave it out, never change it."""
    unit_synonyms: tuple[str, ...] = ()
    decimals: int = 0
    """Decimals the reference rounds to. The tolerance is half the last digit, inclusive."""
    resolution: str = "minute"
    """Of a time: `second`, `minute` or `day`."""
    with_version: bool = False
    """Of a code: whether `icd_version` is part of the answer."""
    key: tuple[str, ...] = ()
    """Of rows: the columns that identify one."""
    columns: tuple[tuple[str, AnswerType], ...] = ()
    """Of rows: every column with its type, key columns included."""
    synonyms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Of a category: other spellings that mean the same, by canonical text."""

    @model_validator(mode="after")
    def _complete(self) -> AnswerType:
        if self.kind in (AnswerKind.QUANTITY, AnswerKind.DURATION) and self.unit is None:
            raise ValueError(f"a {self.kind} needs a unit")
        if self.kind is AnswerKind.ROWS and not (self.key and self.columns):
            raise ValueError("rows need key and columns")
        if self.kind is AnswerKind.ROWS and not set(self.key) <= {name for name, _ in self.columns}:
            raise ValueError("every key column is one of the columns")
        return self

    @property
    def tolerance(self) -> float:
        """Half of the last digit reported, in the answer's own unit."""
        return 0.5 * 10.0**-self.decimals

    @property
    def contract(self) -> str:
        """What to return, in the words that stand under the question.

        >>> AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1).contract
        'a number in mmol/L, to 1 decimal'
        >>> AnswerType(kind=AnswerKind.CODE, with_version=True).contract
        'a code as text together with its version, as {"code": ..., "version": ...}'
        """
        digits = (
            f"to {self.decimals} decimal{'' if self.decimals == 1 else 's'}"
            if self.decimals
            else "rounded to a whole number"
        )
        match self.kind:
            case AnswerKind.QUANTITY | AnswerKind.DURATION:
                return f"a number in {self.unit}, {digits}"
            case AnswerKind.COUNT:
                return "a whole number"
            case AnswerKind.YES_NO:
                return "yes or no"
            case AnswerKind.CATEGORY:
                return "one text, as the record has it"
            case AnswerKind.CODE:
                versioned = ' together with its version, as {"code": ..., "version": ...}'
                return "a code as text" + (versioned if self.with_version else "")
            case AnswerKind.TIME:
                return "a date" if self.resolution == "day" else f"a date and time, to the {self.resolution}"
            case AnswerKind.SET:
                return "a list of distinct texts, as the record has them, in any order"
            case AnswerKind.ROWS:
                parts = ", ".join(f"{name} ({kind.contract})" for name, kind in self.columns)
                return f"a list of rows, in any order, with {parts}"


Gold = Any
"""A gold answer as JSON has it: number, text, boolean, list, object, or None for abstention. Times are ISO text."""
