"""Which combinations of words are questions: the rest has no meaning, or nobody would ask it.

The general rules. Which words go with which kind is in `fitting.py`. `composition.py` draws the catalogue from what
both leave.
"""

from __future__ import annotations

from collections.abc import Iterator

from assets.questions.fitting import COMPARED, fits
from assets.questions.grammar import Shape, Side
from assets.questions.template import Template
from schemas.questions import Scope

NEVER_A_COURSE = frozenset({"race", "language", "marital_status"})
"""Asked at an admission or over the whole record: nobody follows race over a year."""

COMPARABLE = frozenset(
    {"first", "last", "highest", "lowest", "worst", "mean", "median", "total", "per_hour", "hours_beyond", "covered"}
)
"""Selectors whose measures in two windows can be subtracted."""

PLAIN = frozenset({"level", "once", "sum", "stretch", "listing", "wait", "closed", "pace"})
"""Families of selectors whose measures a condition leaves clear: "hours above while …" has no meaning at its edges."""

DURING = {
    "while_in_icu": frozenset({"admission"}),
    "while_infused": frozenset({"icu_stay", "first_24h_of_stay", "last_24h_of_stay"}),
    "while_ventilated": frozenset({"icu_stay", "first_24h_of_stay", "last_24h_of_stay"}),
}
"""The windows a condition goes with: whole units and their ends."""

SPLIT_BY = {"aged": "by_age_band", "care_unit": "by_care_unit"}
"""Cohorts that already fix what an aggregator would split by."""

SPLIT_FROM = {
    "age": "by_age_band",
    "death": "by_death",
    "died": "by_death",
    "insurance": "by_insurance",
    "discharged_to": "by_death",
    "discharge_location": "by_death",
}
"""Kinds that an aggregator would split by themselves."""

LARGEST = frozenset(
    {"highest", "worst", "total", "covered", "longest_stretch", "hours_beyond", "count_of", "number_of_names", "only"}
)
"""Selectors whose largest measure singles a unit out for review."""

JUDGED = frozenset({"level", "once", "sum", "stretch", "wait", "spread", "burden"})
"""Families whose measures have a size worth a limit."""


def problems(template: Template) -> list[str]:
    """Why a template is no question, one sentence each; none for one that is.

    >>> problems(Template.parse("labs-patient-lab-icu_stay-first"))
    []
    >>> problems(Template.parse("labs-patient-lab-first_24h_of_stay-trend"))
    ['trend needs a window of more than 2 days']
    >>> problems(Template.parse("diagnoses-patient-codes-whole_record-mean"))
    ['nobody combines codes, whole_record and mean', 'codes has no v, which mean needs']
    """
    return [*measure_problems(template), *population_problems(template)]


def measure_problems(template: Template) -> list[str]:
    """What is wrong with the measure of one unit: kind, window, selector, condition."""
    return [*_fit(template), *_records(template), *_windows(template), *_condition(template), *_disjoint(template)]


def population_problems(template: Template) -> list[str]:
    """What is wrong with the cohort and the aggregator that put measures together."""
    return [*_scope(template), *_lifted(template)]


def _fit(template: Template) -> Iterator[str]:
    """Words that a clinician combines, and two windows worth comparing."""
    names = tuple(window.name for window in template.windows)
    if not fits(template.kind_name, names, template.selector_name):
        yield f"nobody combines {template.kind_name}, {' and '.join(names)} and {template.selector_name}"
    if template.versus and names not in COMPARED:
        yield f"nobody compares {names[0]} with {names[1]}"


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
    if stream.daily and selector.shape is Shape.HOURS:
        yield f"{template.kind_name} has dates only, and {template.selector_name} answers in hours"


def _windows(template: Template) -> Iterator[str]:
    """Windows long enough, with a start where hours are counted, and single only for what happens once."""
    selector, stream = template.selector, template.example_stream
    for window in template.windows:
        if window.days is not None and selector.longer_than >= window.days:
            yield f"{selector.name} needs a window of more than {selector.longer_than:g} days"
        if selector.from_start and not window.start:
            yield f"{selector.name} counts from the start of its window, and {window.name} has none"
    if selector.name == "only" and not template.window.single and template.kind_name != "death":
        yield f"only goes with one moment, and {template.window_name} may hold several records"
    if template.kind_name in NEVER_A_COURSE and template.window.side in (Side.BEFORE, Side.AFTER):
        yield f"{template.kind_name} is asked at an admission or over the whole record"
    if stream.daily and template.window.days is not None and template.window.days <= 2:
        yield f"{template.kind_name} has dates only, too coarse for {template.window_name}"
    if template.versus:
        if selector.name not in COMPARABLE:
            yield f"two windows cannot be compared by {selector.name}"
        if len({window.unit.name for window in template.windows}) > 1:
            yield "two windows that are compared belong to one unit"
        if len({window.anchor for window in template.windows if window.anchor}) > 1:
            yield "two windows that are compared share their anchor"
        lengths = {window.days for window in template.windows}
        if selector.name in ("total", "hours_beyond", "covered") and len(lengths) > 1:
            yield f"a {selector.name} of windows of different length says only which is longer"


def _condition(template: Template) -> Iterator[str]:
    """A condition goes with records that have a time, with whole units, and with measures it leaves clear."""
    if template.condition is None:
        return
    stream, name = template.example_stream, template.condition_name
    if not stream.time or stream.partner is not None or stream.daily:
        yield f"{name} needs records with a time of their own"
    if stream.end:
        yield f"{name} would cut stretches short"
    if template.window_name not in DURING.get(name, {template.window_name}) or template.versus:
        yield f"{name} does not go with {template.window_name}"
    if template.selector.family not in PLAIN and template.selector_name not in (
        "worst_time",
        "share_beyond",
        "ever_beyond",
    ):
        yield f"{name} leaves {template.selector_name} without a clear meaning"
    if template.selector.from_start or template.selector_name in ("longest_gap", "per_hour"):
        yield f"{name} leaves {template.selector_name} without a clear meaning"


def _scope(template: Template) -> Iterator[str]:
    """Population words for population questions only, and measures that can be put together."""
    cohort, aggregator = template.cohort, template.aggregator
    if template.scope is Scope.PATIENT:
        if cohort or aggregator:
            yield "a question about one patient has neither cohort nor aggregator"
        if template.kind_name == "died":
            yield "of one patient, how the stay ended is its discharge_location"
        return
    if cohort is None or aggregator is None:
        yield "a question about a population has a cohort and an aggregator"
        return
    if template.selector.shape not in aggregator.shapes:
        yield f"{aggregator.name} cannot put together {template.selector.shape} measures"
    for word in (cohort, aggregator):
        if template.unit.name not in word.units:
            yield f"{word.name} does not go with a {template.unit.noun}"
    if template.selector.shape in (Shape.TIME, Shape.DAY):
        yield "clock times of different patients have nothing in common: every calendar is shifted"


def _lifted(template: Template) -> Iterator[str]:
    """What a population would be asked."""
    cohort, aggregator, selector = template.cohort_name, template.aggregator_name, template.selector
    if template.scope is Scope.PATIENT:
        return
    if SPLIT_BY.get(cohort) == aggregator:
        yield f"{cohort} fixes what {aggregator} splits by"
    if SPLIT_FROM.get(template.kind_name) == aggregator:
        yield f"{aggregator} splits by {template.kind_name} itself"
    if template.kind_name == "age" and cohort == "aged":
        yield "aged fixes what age asks"
    if template.kind_name == "drg_level" and cohort == "billed_drg":
        yield "the DRG group fixes what drg_level asks"
    if aggregator == "share_beyond" and (selector.family not in JUDGED or template.versus):
        yield f"there is no limit for {selector.name} that everyone would choose"
    if aggregator == "share_beyond" and selector.shape is Shape.VALUE and template.example_stream.threshold is None:
        yield f"{template.kind_name} has no threshold"
    if aggregator == "share_beyond" and selector.shape in (Shape.PERCENT, Shape.YES_NO):
        yield f"a percentage of units by their {selector.name} says little"
    if aggregator == "top_unit" and selector.name not in LARGEST:
        yield f"nobody reviews the case with the largest {selector.name}"
    if aggregator == "top_unit" and (cohort == "all" or template.versus):
        yield "a case is picked for review from a cohort, by one measure"
    if template.condition_name:
        yield "a condition and a cohort in one sentence: nobody keeps them apart"


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
