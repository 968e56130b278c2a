"""The published models as JSON Schema, for readers that are not Python."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from schemas.pairs import GoldRow, Task
from schemas.release import Manifest

PUBLISHED: dict[str, type[BaseModel]] = {"task": Task, "gold": GoldRow, "manifest": Manifest}
"""The models whose schema goes with a release, by file name."""


def json_schema(model: type[BaseModel], comment: str = "") -> str:
    """A model's JSON Schema (draft 2020-12) as text; `comment` goes into `$comment`.

    >>> json_schema(Task).splitlines()[1]
    '  "$schema": "https://json-schema.org/draft/2020-12/schema",'
    """
    schema: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    if comment:
        schema["$comment"] = comment
    return json.dumps(schema | model.model_json_schema(mode="serialization"), indent=2, ensure_ascii=False) + "\n"
