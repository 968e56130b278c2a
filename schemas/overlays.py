"""What a noise operator did to the hospital: a short list of edits, laid over the clean tables as views.

Nothing is ever written into the hospital. The overlay is also the mask: it says what changed, before and after.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.answers import Frozen

Value = bool | int | float | str | None
"""A cell. Times are text as MIMIC-IV writes them: `2150-05-06 22:23:00`."""


class Update(Frozen):
    """One record with other values in some columns."""

    kind: Literal["update"] = "update"
    table: str
    row: int
    """The record's row number in its table (see schemas.tables.Table)."""
    subject_id: int | None = None
    """The patient it belongs to; None in dictionary tables."""
    before: dict[str, Value]
    after: dict[str, Value]

    @model_validator(mode="after")
    def _same_columns(self) -> Update:
        if set(self.before) != set(self.after):
            raise ValueError("`before` and `after` name the same columns")
        return self


class Delete(Frozen):
    """One record that is no longer there."""

    kind: Literal["delete"] = "delete"
    table: str
    row: int
    subject_id: int | None = None
    before: dict[str, Value]
    """The columns a reader needs to recognise it."""


class Insert(Frozen):
    """One record that was not there. Columns left out are NULL."""

    kind: Literal["insert"] = "insert"
    table: str
    subject_id: int | None = None
    after: dict[str, Value]


class UpdateWhere(Frozen):
    """Every record that meets a predicate, with other values in some columns."""

    kind: Literal["update_where"] = "update_where"
    table: str
    where: str
    """SQL over the table's own columns, as they are in the clean hospital."""
    put: dict[str, str]
    """SQL expression over the table's own columns, by column."""


class DeleteWhere(Frozen):
    """Every record that meets a predicate, gone."""

    kind: Literal["delete_where"] = "delete_where"
    table: str
    where: str


class CopyWhere(Frozen):
    """Every record that meets a predicate, there a second time with other values in some columns."""

    kind: Literal["copy_where"] = "copy_where"
    table: str
    where: str
    put: dict[str, str]


RowEdit = Update | Delete | Insert
SetEdit = UpdateWhere | DeleteWhere | CopyWhere
Edit = Annotated[RowEdit | SetEdit, Field(discriminator="kind")]


class Overlay(Frozen):
    """All edits of one pair. The empty overlay is the clean hospital.

    A table is edited row by row (patient scope) or by predicate (population scope), never both: so each table has one
    form of view and one cost.
    """

    edits: tuple[Edit, ...] = ()

    @model_validator(mode="after")
    def _one_form_per_table(self) -> Overlay:
        for table, edits in self.by_table().items():
            forms = {isinstance(edit, Update | Delete | Insert) for edit in edits}
            if len(forms) > 1:
                raise ValueError(f"{table} is edited both row by row and by predicate")
            rows = [edit.row for edit in edits if isinstance(edit, Update | Delete)]
            if len(rows) != len(set(rows)):
                raise ValueError(f"{table} has two edits of one record")
        return self

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables it changes, sorted."""
        return tuple(sorted({edit.table for edit in self.edits}))

    def by_table(self) -> Mapping[str, tuple[Edit, ...]]:
        """Its edits by table, in their order."""
        found: defaultdict[str, list[Edit]] = defaultdict(list)
        for edit in self.edits:
            found[edit.table].append(edit)
        return {table: tuple(found[table]) for table in sorted(found)}

    def __add__(self, other: Overlay) -> Overlay:
        """Both lists of edits, one after the other."""
        return Overlay(edits=self.edits + other.edits)
