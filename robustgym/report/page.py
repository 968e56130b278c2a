"""One HTML file from one template: styles inside, nothing fetched, nothing run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from robustgym.report.numbers import counted, decimal, of, percent, thousands, words


def page(template: str, **context: Any) -> str:
    """The page a template of this package makes.

    Every value is escaped. Colours come from one hue and only repeat what is printed, so that nothing is lost to
    readers who do not see them.

    Args:
        template: File name below `templates`.
        context: What the template names; a name it does not find is an error.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates", encoding="utf-8"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        {"counted": counted, "decimal": decimal, "of": of, "percent": percent, "n": thousands, "words": words}
    )
    return environment.get_template(template).render(context)
