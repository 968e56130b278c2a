"""As people ask each other at the bedside and in the corridor."""

from __future__ import annotations

from assets.questions.wording.register import Register

REGISTER = Register(
    name="conversation",
    one="Quick question about {whom}: {asked}",
    many="Quick question about {whom}: {asked}",
    brief=True,
)
