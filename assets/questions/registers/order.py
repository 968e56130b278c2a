"""As orders are given: what is wanted, politely, in the words of the ward."""

from __future__ import annotations

from assets.questions.wording.register import Register

REGISTER = Register(
    name="order",
    one="Please report on {whom}: {asked}",
    many="Please report on {whom}: {asked}",
    noun=True,
    article="the ",
    brief=True,
)
