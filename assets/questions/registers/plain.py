"""Whole names and whole sentences: a form or a protocol that anybody must understand."""

from __future__ import annotations

from assets.questions.wording.register import Register

REGISTER = Register(
    name="plain",
    one="For {whom}, {asked}",
    always="Over {whom}, {asked}",
    many="Among {whom}, {asked}",
)
