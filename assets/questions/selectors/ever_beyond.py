"""Was any value beyond a threshold? Of what was measured: a "no" needs a measurement too."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.YES_NO,
    family="burden",
    needs="v",
    asks="was any {value} {beyond} {when}",
    measure="any {value} {beyond}",
    note="without a single usable measurement there is no answer, not even no",
    uses="threshold",
)
def ever_beyond(of: Series) -> Steps:
    """Was any value beyond a threshold? Of what was measured: a "no" needs a measurement too."""
    return {"measure": f"SELECT {of.keys}, bool_or({of.beyond}) AS m FROM seen GROUP BY {of.keys}"}
