"""Figures that others have published, to stand beside re-run ones: never without their source and how far to trust it.

A TOML file with one `[[published]]` table per figure, or a JSON array of the same objects.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le, MinLen
from pydantic import TypeAdapter, ValidationError

from schemas.answers import Frozen
from schemas.errors import InputError, Problem, problems_in

Rate = Annotated[float, Ge(0), Le(1)]
Said = Annotated[str, MinLen(1)]


class Published(Frozen):
    """One published result."""

    name: Said
    """Who was evaluated."""
    metric: Said = "Pass@1"
    clean: Rate | None = None
    """Success on clean tasks, between 0 and 1."""
    noise: Rate | None = None
    measured_on: Said
    """Data and number of tasks it was measured on."""
    source: Said
    """Where it stands: paper, page or table, address."""
    confidence: Said
    """How far it can be trusted: whether intervals, code and data were published, who measured it."""


_LIST = TypeAdapter(tuple[Published, ...])


def read_published(path: Path) -> tuple[Published, ...]:
    """The figures of a file.

    Raises:
        InputError: There is no such file, or something in it is wrong; every such thing is said.
    """
    try:
        text = path.read_text(encoding="utf-8")
        found: Any = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        do = "name a TOML or JSON file (docs/metrics.md)"
        raise InputError(Problem(f"--published {path}", f"cannot be read: {why}", do)) from None
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        what = f"is not {'JSON' if path.suffix == '.json' else 'TOML'}: {error}"
        raise InputError(Problem(f"--published {path}", what, "see docs/metrics.md for an example")) from None
    if isinstance(found, dict):
        if unknown := sorted(found.keys() - {"published"}):
            what = f"holds {', '.join(unknown)}, which means nothing here"
            raise InputError(Problem(f"--published {path}", what, "write [[published]] tables only"))
        found = found.get("published", [])
    try:
        read = _LIST.validate_python(found)
    except ValidationError as error:
        raise InputError(problems_in(f"--published {path}", error)) from None
    if not read:
        raise InputError(Problem(f"--published {path}", "holds no figure", "write a [[published]] table"))
    return read
