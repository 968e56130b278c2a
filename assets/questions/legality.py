"""Which combinations of words are questions: the rest has no meaning, or nobody would ask it.

The rules are those that a second reading of composed questions asked for (docs/questions.md). They guard the curated
catalogue now and will cut the space when templates are drawn from the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator

from assets.questions.grammar import Shape, Side
from assets.questions.template import Template
from schemas.questions import Scope

ONCE = frozenset({"only", "names", "number_of_names", "any_of", "count_of", "lowest", "highest"})
"""What can be asked of the one record, or the one list, that an admission has."""

NEVER_A_COURSE = frozenset({"race", "language", "marital_status"})
"""Asked at an admission or over the whole record: nobody follows race over a year."""

COMPARABLE = frozenset(
    {"first", "last", "highest", "lowest", "worst", "mean", "median", "total", "per_hour", "hours_beyond", "covered"}
)
"""Selectors whose measures in two windows can be subtracted."""

SPLIT_BY = {"aged": "by_age_band", "care_unit": "by_care_unit"}
"""Cohorts that already fix what an aggregator would split by."""


def problems(template: Template) -> list[str]:
    """Why a template is no question, one sentence each; none for one that is.

    >>> problems(Template.parse("labs-patient-lab-icu_stay-first"))
    []
    >>> problems(Template.parse("labs-patient-lab-first_24h_of_stay-trend"))
    ['trend needs a window of more than 2 days']
    >>> problems(Template.parse("diagnoses-patient-codes-whole_record-mean"))
    ['codes has no v, which mean needs']
    """
    return [*_records(template), *_windows(template), *_scope(template), *_disjoint(template)]


def _records(template: Template) -> Iterator[str]:
    """A selector asks only for what the kind has."""
    stream, selector = template.example_stream, template.selector
    has = {"t": stream.time, "t2": stream.end, "v": stream.value, "name": stream.text, "hit": stream.hit}
    for need in selector.needs:
        if not has.get(need, "always"):
            yield f"{template.kind_name} has no {need}, which {template.selector_name} needs"
    if template.kind.intent is not template.intent:
        yield f"{template.kind_name} belongs to {template.kind.intent}"
    if selector.closed and not stream.hit:
        yield f"{template.selector_name} needs declared coverage, which {template.kind_name} has not"
    if stream.hit and "hit" not in selector.needs:
        yield f"{template.kind_name} holds every record of its sort, and {template.selector_name} would count them all"
    if "threshold" in selector.uses and stream.threshold is None:
        yield f"{template.kind_name} has no threshold"


def _windows(template: Template) -> Iterator[str]:
    """Windows long enough, with a start where hours are counted, and single only for what happens once."""
    selector, stream = template.selector, template.example_stream
    for window in template.windows:
        if window.days is not None and selector.longer_than >= window.days:
            yield f"{selector.name} needs a window of more than {selector.longer_than:g} days"
        if selector.from_start and not window.start:
            yield f"{selector.name} counts from the start of its window, and {window.name} has none"
        if window.single and selector.name not in ONCE:
            yield f"{selector.name} needs several records, and {window.name} is one moment"
    if selector.name == "only" and not template.window.single and template.kind_name != "death":
        yield f"only goes with one moment, and {template.window_name} may hold several records"
    if template.kind_name in NEVER_A_COURSE and template.window.side in (Side.BEFORE, Side.AFTER):
        yield f"{template.kind_name} is asked at an admission or over the whole record"
    if template.versus:
        if selector.name not in COMPARABLE:
            yield f"two windows cannot be compared by {selector.name}"
        if len({window.unit.name for window in template.windows}) > 1:
            yield "two windows that are compared belong to one unit"
        if len({window.anchor for window in template.windows if window.anchor}) > 1:
            yield "two windows that are compared share their anchor"
    if template.condition and (not stream.time or stream.partner is not None):
        yield f"{template.condition_name} needs records with a time of their own"


def _scope(template: Template) -> Iterator[str]:
    """Population words for population questions only, and measures that can be put together."""
    cohort, aggregator = template.cohort, template.aggregator
    if template.scope is Scope.PATIENT:
        if cohort or aggregator:
            yield "a question about one patient has neither cohort nor aggregator"
        return
    if cohort is None or aggregator is None:
        yield "a question about a population has a cohort and an aggregator"
        return
    if template.selector.shape not in aggregator.shapes:
        yield f"{aggregator.name} cannot put together {template.selector.shape} measures"
    for word in (cohort, aggregator):
        if template.unit.name not in word.units:
            yield f"{word.name} does not go with a {template.unit.noun}"
    if SPLIT_BY.get(cohort.name) == aggregator.name:
        yield f"{cohort.name} fixes what {aggregator.name} splits by"
    if template.selector.shape in (Shape.TIME, Shape.DAY):
        yield "clock times of different patients have nothing in common: every calendar is shifted"


def _disjoint(template: Template) -> Iterator[str]:
    """An anchor's or a condition's records are no targets: else removing the targets moves the window."""
    stream = template.example_stream
    streams = [stream, *([stream.minus] if stream.minus else [])]
    targets = {s.target.table for s in streams} | {s.partner.table for s in streams if s.partner}
    broad = all(s.target.concept == "TRUE" for s in streams)
    for role, word in (("anchor", template.anchor), ("condition", template.condition)):
        if word is None:
            continue
        concept = template.example.concepts.get(role)
        function = getattr(word, "event", None) or word.during  # type: ignore[union-attr]
        table = (function(concept) if concept else function()).target.table
        if table in targets and (broad or template.pools.get(role) is None):
            yield f"the {role}'s records in {table} may be targets too"
