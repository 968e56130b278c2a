"""The words of a question: lead and question in one of several registers, then definitions and contract."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache

from assets.questions.registry import words
from assets.questions.template import Template
from assets.questions.wording.names import Names
from assets.questions.wording.register import Register
from schemas.overlays import Value
from schemas.questions import spoken

__all__ = ["REGISTER", "Names", "Register", "in_turn", "register_of", "registers", "sentence_of"]

REGISTER = "register"
"""The parameter of a question that names its register. Noise keeps it, as it keeps all it does not change."""


@cache
def registers() -> dict[str, Register]:
    """Registers by name."""
    return words("registers", Register)


def register_of(template: Template, parameters: Mapping[str, Value]) -> Register:
    """The register of a question: the one its parameters name, or else its template's.

    A query operator asks the same template again with other ids, concepts, ordinals or clauses. The register must not
    follow them: it would tell the noisy question from the clean one.

    Raises:
        ValueError: No register has the name.

    >>> template = Template.parse("labs-patient-lab-icu_stay-first")
    >>> register_of(template, {"stay_id": 1}) is register_of(template, {"stay_id": 2, "now": True})
    True
    >>> register_of(template, {"register": "order"}).name
    'order'
    """
    name = parameters.get(REGISTER)
    if name is None:
        return registers()[in_turn(template, 0)]
    if name not in registers():
        raise ValueError(f"{template.id}: the register `{name}` is not one of {', '.join(registers())}")
    return registers()[str(name)]


def in_turn(template: Template, number: int) -> str:
    """The register of a template's n-th question, from 0: each has its turn, beginning where the template's name says.

    >>> template = Template.parse("labs-patient-lab-icu_stay-first")
    >>> sorted(in_turn(template, n) for n in range(len(registers()))) == list(registers())
    True
    """
    first = int(hashlib.sha256(f"register|{template.id}".encode()).hexdigest()[:8], 16)
    names = list(registers())
    return names[(first + number) % len(names)]


def sentence_of(text: str) -> str:
    """Lead and question of a text, without definitions and contract.

    >>> sentence_of("For patient 1, how long was it? Here, it means that. Answer with a whole number.")
    'For patient 1, how long was it?'
    >>> sentence_of("Please report on patient 1: the number of drains. Answer with a whole number.")
    'Please report on patient 1: the number of drains.'
    """
    return spoken(text)[0]
