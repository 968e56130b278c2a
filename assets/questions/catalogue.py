"""The templates that are released. `composition.py` chose them from the grammar; people read them one by one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from assets.questions.template import Template

FILE = Path(__file__).with_name("catalogue.txt")
"""One template's id per line, a paragraph per cell."""


@cache
def catalogue() -> tuple[Template, ...]:
    """The released templates, sorted by id.

    Raises:
        ValueError: A line of `catalogue.txt` is no template; the message says which and why.
    """
    return tuple(sorted(map(_parsed, FILE.read_text(encoding="utf-8").split()), key=lambda template: template.id))


def _parsed(id_: str) -> Template:
    try:
        return Template.parse(id_)
    except ValueError as error:
        raise ValueError(f"{FILE.name}, {id_}: {error}; take the line out or add the word") from error
