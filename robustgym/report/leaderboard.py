"""The leaderboard as text: one table for the runs that may be held against each other, as Markdown and as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from robustgym.metrics import Metric
from robustgym.metrics.intervals import UNIT
from robustgym.report.published import Published
from robustgym.report.results import Evaluated, Group, Results

GROUPS = (
    "The runs below are over {} releases or splits, each in a table of its own: a figure of one says nothing against "
    "one of another."
)
PUBLISHED = (
    "Figures marked *published* were measured by others, on other data and with another harness; they are no part of "
    "the comparison."
)
YARDSTICK = "Agents marked *yardstick* are given gold rows, or what they say of the templates: they bound the score."
INTERVALS = f"Brackets: 95% intervals, bootstrap over {UNIT}. Rates in percent, calls, turns and tokens per episode."


class Column(NamedTuple):
    """A column of the leaderboard."""

    head: str
    metric: str
    condition: str
    rate: bool = True
    """Whether it is printed in percent, else as a mean."""
    interval: bool = False


def columns(k: int) -> tuple[Column, ...]:
    """The figures of a leaderboard.

    Args:
        k: pass^k is given for this k, if it is more than 1.
    """
    often = (Column(f"pass^{k}, noise", f"pass_hat_{k}", "noise", interval=True),) if k > 1 else ()
    return (
        Column("clean", "success", "clean", interval=True),
        Column("noise", "success", "noise", interval=True),
        Column("gap", "robustness_gap", "all", interval=True),
        *often,
        Column("both of a pair", "pair_success", "all"),
        Column("over-abstention", "over_abstention", "all"),
        Column("unsupported answers", "unsupported_answers", "all"),
        Column("evidence", "evidence_rate", "all"),
        Column("invalid calls", "invalid_calls", "all", rate=False),
        Column("turns", "turns", "all", rate=False),
        Column("tokens", "tokens", "all", rate=False),
        Column("cost, $", "cost", "all", rate=False),
    )


def figure(metric: Metric, column: Column) -> str:
    """A figure as it is printed; a dash where there is none.

    >>> figure(Metric("success", "clean", 0.5, 0.251, 0.75, 8, 8), Column("clean", "success", "clean", True, True))
    '50.0 [25.1, 75.0]'
    >>> figure(Metric("cost", "all", None, None, None, 0, 0), Column("cost", "cost", "all", False))
    '–'
    """
    if metric.value is None:
        return "–"
    if not column.rate:
        return (
            f"{metric.value:,.0f}" if metric.value >= 100 else f"{metric.value:.{3 if metric.name == 'cost' else 1}f}"
        )
    text = f"{100 * metric.value:.1f}"
    if not column.interval or metric.low is None or metric.high is None:
        return text
    return f"{text} [{100 * metric.low:.1f}, {100 * metric.high:.1f}]"


def status(run: Evaluated) -> str:
    """How the figure came about."""
    return "re-run, yardstick" if run.yardstick else "re-run"


def label(run: Evaluated, group: Group) -> str:
    """Who was evaluated; with the run's name where one agent has several."""
    several = sum(other.agent == run.agent for other in group.runs) > 1
    return f"{run.agent} ({run.name})" if several else run.agent


def markdown(results: Results) -> str:
    """`leaderboard.md`."""
    parts = ["# Leaderboard\n"]
    if len(results.groups) > 1:
        parts.append(GROUPS.format(len(results.groups)) + "\n")
    for group in results.groups:
        wanted = columns(group.k)
        rows = [
            [
                label(run, group),
                status(run),
                *(figure(run.metric(c.metric, c.condition), c) for c in wanted),
                f"{len(run.tasks):,} × {run.manifest.k}",
            ]
            for run in group.runs
        ]
        rows += [
            [f"{p.name} ({p.metric})", "**published**", _percent(p.clean), _percent(p.noise), _gap(p)]
            + ["–"] * (len(wanted) - 2)
            for p in results.published
        ]
        heads = ["agent", "status", *(c.head for c in wanted), "tasks × k"]
        parts.append(f"## {group.title}\n")
        parts.append(_table(heads, rows))
        parts += [f"- {warning}" for warning in group.warnings]
        parts += [""] * bool(group.warnings)
    parts.append(INTERVALS)
    if any(run.yardstick for run in results.runs):
        parts.append(f"\n{YARDSTICK}")
    if results.published:
        parts.append(f"\n{PUBLISHED}\n")
        parts += [
            f"- {p.name}: {p.measured_on}. Source: {p.source}. Confidence: {p.confidence}." for p in results.published
        ]
    tests = [(group, made) for group in results.groups for made in group.comparisons]
    if tests:
        parts.append("\n## Paired tests\n")
        parts.append(
            _table(
                ["runs", "tasks of", "figure", "difference", "p", "p after Holm", "tasks", "test"],
                [
                    [
                        f"{t.one} – {t.other}",
                        t.condition,
                        said(t.metric),
                        f"{100 * t.difference:+.1f}",
                        p_value(t.p),
                        p_value(t.p_adjusted),
                        f"{t.tasks:,}",
                        t.test,
                    ]
                    for _, t in tests
                ],
            )
        )
    return "\n".join(parts).rstrip() + "\n"


def latex(results: Results) -> str:
    """`leaderboard.tex`: one `tabular` a group, in the manner of booktabs."""
    parts = ["% Needs \\usepackage{booktabs}."]
    for group in results.groups:
        wanted = [c for c in columns(group.k) if c.interval]
        parts.append(f"% {group.title}")
        parts.append(f"\\begin{{tabular}}{{ll{'r' * (len(wanted) + 1)}}}\n\\toprule")
        parts.append(_line(["agent", "status", *(c.head for c in wanted), "tasks"]) + "\n\\midrule")
        for run in group.runs:
            cells = [figure(run.metric(c.metric, c.condition), c) for c in wanted]
            parts.append(_line([label(run, group), status(run), *cells, f"{len(run.tasks)}"]))
        for p in results.published:
            rest = [""] * (len(wanted) - 2)
            parts.append(_line([p.name, "published", _percent(p.clean), _percent(p.noise), _gap(p), *rest]))
        parts.append("\\bottomrule\n\\end{tabular}")
    return "\n".join(parts) + "\n"


def said(metric: str) -> str:
    """A figure's name as it is printed.

    >>> said("pass_hat_4"), said("pass_at_1 (first trial)"), said("over_abstention")
    ('pass^4', 'Pass@1 (first trial)', 'over abstention')
    """
    return metric.replace("pass_hat_", "pass^").replace("pass_at_", "Pass@").replace("_", " ")


def p_value(p: float) -> str:
    r"""A p value as it is printed.

    >>> p_value(0.04321), p_value(0.00002), p_value(1.0)
    ('0.043', '<\u202f0.001', '1.000')
    """
    return "<\u202f0.001" if p < 0.001 else f"{p:.3f}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * 2 + ["---:"] * (len(heads) - 2), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return " & ".join(_tex(cell) for cell in cells) + r" \\"


def _tex(text: str) -> str:
    escaped = re.sub(r"([&%$#_{}])", r"\\\1", text.replace("\\", "/"))
    return escaped.replace("–", "--").replace("^", r"\textasciicircum{}").replace("~", r"\textasciitilde{}")


def _percent(rate: float | None) -> str:
    return "–" if rate is None else f"{100 * rate:.1f}"


def _gap(published: Published) -> str:
    if published.clean is None or published.noise is None:
        return "–"
    return f"{100 * (published.clean - published.noise):.1f}"
