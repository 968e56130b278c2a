"""The templates that are released. `composition.py` chose them from the grammar; people read them one by one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from assets.questions.template import Template

FILE = Path(__file__).with_name("catalogue.txt")
"""One template's id per line, a paragraph per cell."""


@cache
def catalogue() -> tuple[Template, ...]:
    """The released templates, sorted by id."""
    ids = FILE.read_text(encoding="utf-8").split()
    return tuple(sorted((Template.parse(id_) for id_ in ids), key=lambda template: template.id))
