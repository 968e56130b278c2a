"""Small tables in markdown: what a maintainer looks at beside an asset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from assets.release.facts import drops_by_reason
from robustgym.report.coverage import COLUMNS, Tally, by_operator
from robustgym.report.numbers import percent
from schemas.noise import Level
from schemas.pairs import GoldRow, Pair
from schemas.questions import Intent, Scope
from schemas.release import Covered, Drop, Shortcut

SHADES = "·░▒▓█"
"""No pair, and four shades up to the fullest cell."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""A markdown table.

    >>> print(table(["a", "b"], [[1, "x|y"]]))
    | a | b |
    | --- | --- |
    | 1 | x\|y |
    """
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def heat_map(rows: Iterable[GoldRow]) -> str:
    """How many pairs each of the 36 cells has: intents down, scopes and levels across, shaded."""
    counts = Counter((row.intent, row.scope, row.level) for row in rows if row.condition == "noise")
    fullest = max(counts.values(), default=0)

    def cell(n: int) -> str:
        shade = -(-n * (len(SHADES) - 1) // fullest) if n else 0
        return f"{SHADES[shade]} {n}"

    columns = [(scope, level) for scope in Scope for level in Level]
    return table(
        ["", *(f"{scope}, {level}" for scope, level in columns)],
        [[intent, *(cell(counts[intent, scope, level]) for scope, level in columns)] for intent in Intent],
    )


def shortcuts(found: Iterable[Shortcut]) -> str:
    """How far the condition can be told before the first query, group by group."""

    def measured(one: Shortcut) -> list[object]:
        if one.auc is None:
            return ["not measured", one.why]
        return [f"{one.auc:.3f}", f"{one.low:.3f} to {one.high:.3f}"]

    return table(
        ["pairs", "AUC", "95% interval", "at most", "train", "test", "what weighs most"],
        [
            [one.of, *measured(one), one.bound or "", one.train_pairs, one.test_pairs, ", ".join(one.tells)]
            for one in found
        ],
    )


def coverage(rows: Iterable[Covered]) -> str:
    """Operators against the twelve cells of their level: pairs published, kept of tried, shaded by the share kept."""

    def cell(tally: Tally | None) -> str:
        if tally is None:
            return ""
        shade = SHADES[-(-tally.kept * (len(SHADES) - 1) // tally.candidates)]
        return f"{shade} {tally.published} ({tally.kept}/{tally.candidates})"

    return table(
        ["level", "operator", "bite", *(f"{intent}, {scope}" for intent, scope in COLUMNS)],
        [
            [o.level, o.name, percent(o.tally.bite_rate), *(cell(o.cells.get(column)) for column in COLUMNS)]
            for o in by_operator(rows)
        ],
    )


def covered(rows: Iterable[Covered]) -> str:
    """One operator's templates, severity by severity: candidates, kept, bites, drops by reason."""
    return table(
        ["template", "severity", "promise", "candidates", "kept", "bite", "published", "dropped"],
        [
            [row.template, row.severity, row.promise, row.candidates, row.kept, row.bites, row.published, _told(row)]
            for row in rows
        ],
    )


def _told(row: Covered) -> str:
    return "; ".join(f"{reason} ({n})" for reason, n in row.dropped.items())


def drops(found: Iterable[Drop]) -> str:
    """Dropped candidates by reason, most frequent first."""
    return table(["reason", "dropped"], drops_by_reason(found).items())


def sample(pairs: Sequence[Pair], n: int = 5) -> str:
    """A few pairs as a person reads them, spread over all there are."""
    shown = [pairs[i * len(pairs) // n] for i in range(n)] if len(pairs) > n else pairs
    return "\n\n".join(_pair(pair) for pair in shown) or "none"


def _pair(pair: Pair) -> str:
    clean, noise = pair.clean, pair.noise
    cell = f"{clean.intent}, {clean.scope}, {clean.level}"
    asked = "" if noise.question == clean.question else f"\n- noise: {noise.question}"
    return (
        f"**{clean.pair_id}** ({cell}; {noise.operator}, {noise.severity})\n"
        f"- clean: {clean.question}{asked}\n"
        f"- answers: `{_short(clean.gold)}`, with noise `{_short(noise.gold)}` ({noise.promise})\n"
        f"- edits: {len(noise.overlay.edits)}"
    )


def _short(gold: object) -> str:
    text = str(gold)
    return text if len(text) <= 80 else text[:79] + "…"
