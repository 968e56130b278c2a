"""Noise operator: the numbers of a drug's package or order are blank."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import NotApplicable, Severity, noise_op
from noise_ops._edits import chosen_targets, overlay
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Selection

PACKAGE: Mapping[str, Mapping[str, Value]] = {"prescriptions": {"ndc": "0"}}
"""By table, how a package that the pharmacy did not dispense is written. The number of the generic product (`gsn`) is
NULL beside it where there is no drug, as in flushes and bags; the 99 orders of a drug of ours that the demo has with
NDC 0 all keep it."""

ORDER: Mapping[str, Mapping[str, Value]] = {"prescriptions": {"poe_id": None}, "pharmacy": {"poe_id": None}}
"""By table, how a line that no provider's order led to is written: 118 of the demo's 18,087 prescriptions and 86 of its
15,306 pharmacy entries."""


@noise_op(
    level="value",
    promise="abstention",
    severities={
        "order": Severity({"blank": "order"}, promise="unchanged"),
        "package": Severity({"blank": "package"}, promise="unchanged"),
        "half": Severity({"share": 0.5}, promise="recomputed"),
        "all": {"share": 1.0},
    },
    realism=(58,),
)
def id_blank(
    question: Question,
    rng: Random,
    *,
    blank: Literal["asked", "package", "order"] = "asked",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Write NDC 0 for a drug's package, or no number for the order behind it.

    Ward stock, fluids and mixtures are not dispensed from a package, and a standing order has no provider's order
    behind it: NDC is 0 in 2,610 of the demo's 18,087 prescriptions. Asked for the code, nobody can tell it: the same
    strength of the same drug comes in up to nine packages, whatever its generic sequence number. Asked for the drug by
    its name, nothing is lost, except for whoever looks drugs up by their code or drops lines without an order.

    Limits: only prescriptions and pharmacy entries. The number by which two tables belong together (`pharmacy_id`) is
    left alone.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        blank: `asked` blanks the code that the question asks for; `package` and `order` blank what it does not.
        share: Share of the records to blank, at least one.

    Raises:
        NotApplicable: No target has such a number, the question asks for it or does not, or half of one record is asked
            for.

    Examples:
        >>> from schemas.examples import first_lactate, heparin_hours
        >>> from schemas.examples_registered import heparin_packages
        >>> id_blank(heparin_packages(), Random(0)).overlay.edits[0].after
        {'ndc': '0'}
        >>> [order] = id_blank(heparin_hours(), Random(0), blank="order").overlay.edits
        >>> order.before, order.after
        ({'poe_id': '10000007-31'}, {'poe_id': None})

        >>> id_blank(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is known by the code of a package
    """
    cells = ORDER if blank == "order" else PACKAGE
    targets = [s for s in chosen_targets(question, share) if s.table in cells]
    if blank == "asked":
        targets = [selection for selection in targets if _asks(selection, cells)]
    elif any(_asks(selection, cells) for selection in targets):
        raise NotApplicable("the question asks for what would be blank")
    if not targets:
        kept = "the number of an order" if blank == "order" else "the code of a package"
        raise NotApplicable(f"no target is known by {kept}")
    blanked = [question.put(selection, cells[selection.table], share, rng) for selection in targets]
    return Noise(overlay=overlay(*blanked), worlds=siblings(question, rng))


def _asks(selection: Selection, cells: Mapping[str, Mapping[str, Value]]) -> bool:
    return not set(cells[selection.table]).isdisjoint((*selection.names, *selection.value))
