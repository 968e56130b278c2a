"""Which combinations of words are questions: the rest has no meaning, or nobody would ask it.

The general rules. Which words go with which kind is in `fitting.py`. `composition.py` draws the catalogue from what
both leave.
"""

from __future__ import annotations

from collections.abc import Iterator

from assets.questions.fitting import COMPARED, fits, lifts
from assets.questions.grammar import Shape, Side
from assets.questions.template import Template
from assets.questions.wording.speech import lacking
from schemas.questions import Scope

COMPARABLE = frozenset({"last", "highest", "lowest", "worst", "mean", "median"})
"""Selectors whose measures in two windows can be subtracted. A baseline is a last value or a mean, never a first."""

EXTREMES = frozenset({"highest", "lowest", "worst"})

SUBTRACTED = {
    "lab": COMPARABLE,
    "ratio": frozenset({"last"}),
    "vital": COMPARABLE,
    "gas_vital": frozenset({"last", "worst", "mean"}),
    "clinic": frozenset({"last", "mean", "median"}),
    "output": frozenset({"total", "per_hour"}),
    "fluid_balance": frozenset({"total", "per_hour"}),
    "fluid_given": frozenset({"total"}),
    "dose_given": frozenset({"total"}),
    "infusion": frozenset({"highest", "covered"}),
    "ingredient": frozenset({"total"}),
    "hospital_stay": frozenset({"total"}),
}
"""Kinds whose course is worth a subtraction, and by which selectors. Ordinal levels and positions are not."""

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

DURING = {
    "while_in_icu": frozenset({"admission"}),
    "while_infused": frozenset({"icu_stay", "first_24h_of_stay"}),
    "while_ventilated": frozenset({"icu_stay", "first_24h_of_stay"}),
}
"""The windows a condition goes with: whole units, and the first day of what is measured all the time."""

ALL_THE_TIME = frozenset({"lab", "ratio", "vital", "gas_vital"})

CONDITIONED = {
    "lab": frozenset({"while_in_icu", "while_infused", "while_ventilated"}),
    "ratio": frozenset({"while_in_icu", "while_ventilated"}),
    "vital": frozenset({"while_infused", "while_ventilated"}),
    "gas_vital": frozenset({"while_ventilated"}),
    "output": frozenset({"while_infused", "while_ventilated"}),
    "fluid_given": frozenset({"while_ventilated"}),
    "given": frozenset({"while_in_icu", "while_ventilated"}),
    "given_or_not": frozenset({"while_in_icu", "while_ventilated"}),
    "dose": frozenset({"while_in_icu"}),
    "dose_withheld": frozenset({"while_in_icu"}),
    "culture_growth": frozenset({"while_in_icu", "while_ventilated"}),
    "culture_organism": frozenset({"while_in_icu", "while_ventilated"}),
    "order_type": frozenset({"while_in_icu"}),
    "flagged": frozenset({"while_in_icu"}),
    "consult": frozenset({"while_in_icu"}),
}
"""Conditions worth stating, by kind: what is charted in intensive care alone needs no "while in intensive care"."""

CLEAR = {
    "lab": frozenset({"level", "ever_beyond", "worst_time"}),
    "ratio": frozenset({"level", "ever_beyond"}),
    "vital": frozenset({"level", "ever_beyond", "worst_time"}),
    "gas_vital": frozenset({"level", "ever_beyond"}),
    "output": frozenset({"total"}),
    "fluid_given": frozenset({"total"}),
    "given": frozenset({"first_time", "last_time", "days_with"}),
    "dose": frozenset({"first", "last", "highest"}),
    "culture_organism": frozenset({"names", "number_of_names"}),
    "consult": frozenset({"names", "number_of_names"}),
}
"""Selectors or families that a condition leaves clear, by kind; of the others, any, how many and on how many days."""

LAST_HOURS = frozenset({"last_24h_of_stay", "last_48h_of_admission"})
FIRST_HOURS = frozenset({"first_24h_of_stay", "first_24h_of_admission"})

NEEDS_DAYS = frozenset(
    {"days_of", "days_with", "hours_to_nth", "longest_pause", "longest_gap", "episodes", "longest_run", "largest_day"}
)
"""Selectors that mean something only in windows of more than two days."""

LARGEST = frozenset({"highest", "worst", "total", "covered", "longest_stretch", "hours_beyond", "only"})
"""Selectors whose largest measure singles a unit out for review; small counts would tie."""

JUDGED = frozenset({"level", "once", "sum", "stretch", "wait"})
"""Families whose measures have a size worth a limit."""

VARIED = frozenset({"procedure", "billed_drg", "admission_type", "aged", "abnormal_lab"})
"""Cohorts too mixed for the course of one value to say something."""

MANY = frozenset({"specimens", "prescriber", "ordering_provider", "abnormal_tests", "urgent_tests"})
"""Kinds of which a day holds many different names."""

PAYER_WINDOWS = frozenset(
    {
        "at_admission",
        "admission",
        "arrival_to_discharge",
        "emergency_department",
        "first_24h_of_admission",
        "year_before_admission",
        "year_after_discharge",
        "after_discharge_90d",
    }
)
"""Access and process, by insurance; physiology in intensive care is none of a payer's."""


def problems(template: Template) -> list[str]:
    """Why a template is no question, one sentence each; none for one that is.

    >>> problems(Template.parse("labs-patient-lab-icu_stay-first"))
    []
    >>> problems(Template.parse("labs-patient-lab-first_24h_of_stay-trend"))
    ['nobody combines lab, first_24h_of_stay and trend', 'trend needs a window of more than 2 days']
    >>> problems(Template.parse("diagnoses-patient-codes-whole_record-mean"))
    ['nobody combines codes, whole_record and mean', 'codes has no v, which mean needs', 'codes has no words...
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
    for window in template.windows:
        if not fits(template.kind_name, window.name, template.selector_name):
            yield f"nobody combines {template.kind_name}, {window.name} and {template.selector_name}"
    if template.versus and (template.window_name, template.versus) not in COMPARED:
        yield f"nobody compares {template.window_name} with {template.versus}"


def _records(template: Template) -> Iterator[str]:
    """A selector asks only for what the kind has."""
    stream, selector = template.example_stream, template.selector
    has = {"t": stream.time, "t2": stream.end, "v": stream.value, "name": stream.text, "hit": stream.hit}
    for need in selector.needs:
        if not has.get(need, "always"):
            yield f"{template.kind_name} has no {need}, which {template.selector_name} needs"
    one_anchor = len({window.anchor for window in template.windows if window.anchor}) < 2
    if one_anchor and (missing := lacking(template)):
        yield f"{template.kind_name} has no words for {', '.join(missing)}, which {template.selector_name} names"
    if template.kind.intent is not template.intent:
        yield f"{template.kind_name} belongs to {template.kind.intent}"
    if selector.closed and not stream.hit:
        yield f"{template.selector_name} needs declared coverage, which {template.kind_name} has not"
    if stream.hit and "hit" not in selector.needs:
        yield f"{template.kind_name} holds every record of its sort, and {template.selector_name} would count them all"
    if "threshold" in selector.uses and stream.threshold is None:
        yield f"{template.kind_name} has no threshold"
    if selector.name == "times_of" and not stream.time.endswith(".admittime"):
        yield f"{template.kind_name} is not dated by its admission: times_of would count its times"
    if stream.daily and selector.shape is Shape.HOURS:
        yield f"{template.kind_name} has dates only, and {template.selector_name} answers in hours"


def _windows(template: Template) -> Iterator[str]:
    """Windows long enough, with a start where hours are counted, and comparisons that mean something."""
    selector, stream = template.selector, template.example_stream
    for window in template.windows:
        if window.days is not None and selector.longer_than >= window.days:
            yield f"{selector.name} needs a window of more than {selector.longer_than:g} days"
        elif window.days is not None and window.days <= 2 and selector.name in NEEDS_DAYS:
            yield f"{selector.name} needs a window of more than 2 days"
        if selector.from_start and not window.start:
            yield f"{selector.name} counts from the start of its window, and {window.name} has none"
        if window.name in LAST_HOURS and selector.name in (
            "first_time",
            "first_names",
            "first_of",
            "nth_time",
            "hours_to_first",
        ):
            yield f"nobody asks for the first of the last hours: {window.name}"
        if window.name in FIRST_HOURS and selector.name in ("last_time", "last_names"):
            yield f"nobody asks for the last of the first hours: {window.name}"
        fixed = window.days is not None and window.days >= 1 and not template.versus
        if selector.name == "per_hour" and fixed and template.kind_name != "output":
            yield f"in {window.name} the total says the same as the rate"
    if selector.name == "only" and not template.window.single and template.kind_name != "death":
        yield f"only goes with one moment, and {template.window_name} may hold several records"
    if selector.name == "nth" and not template.window.start and template.window.side is not Side.ALWAYS:
        yield f"the second value since when? {template.window_name} has no start"
    if stream.daily and template.window.days is not None and template.window.days <= 2:
        yield f"{template.kind_name} has dates only, too coarse for {template.window_name}"
    if template.versus:
        yield from _versus(template)


def _versus(template: Template) -> Iterator[str]:
    selector, pair = template.selector, (template.window_name, template.versus)
    later, earlier = template.windows
    alike = later.days is not None and later.days == earlier.days
    if selector.name not in SUBTRACTED.get(template.kind_name, ()):
        yield f"nobody subtracts the {selector.name} of {template.kind_name}"
    if selector.name in (*EXTREMES, "total", "per_hour", "covered") and not alike:
        yield f"of windows of different length, a {selector.name} says which is longer"
    if "year_before_admission" in pair and template.kind_name == "ratio":
        yield "ratios are drawn when ill: there is no baseline"
    if "before_icu_24h" in pair and template.kind_name != "lab":
        yield f"{template.kind_name} is hardly recorded before intensive care"
    if len({window.unit.name for window in template.windows}) > 1:
        yield "two windows that are compared belong to one unit"
    if len({window.anchor for window in template.windows if window.anchor}) > 1:
        yield "two windows that are compared share their anchor"


def _condition(template: Template) -> Iterator[str]:
    """A condition goes with records that have a time, with whole units, and with measures it leaves clear."""
    if template.condition is None:
        return
    stream, selector, name = template.example_stream, template.selector, template.condition_name
    if not stream.time or stream.partner is not None or stream.daily:
        yield f"{name} needs records with a time of their own"
    if stream.end:
        yield f"{name} would cut stretches short"
    if name not in CONDITIONED.get(template.kind_name, ()):
        yield f"nobody asks for {template.kind_name} {name}"
    whole = template.window_name in ("admission", "icu_stay") or template.kind_name in ALL_THE_TIME
    if template.window_name not in DURING.get(name, {template.window_name}) or template.versus or not whole:
        yield f"{name} does not go with {template.window_name}"
    clear = CLEAR.get(template.kind_name, {"any_of", "count_of", "days_of"})
    if not {selector.name, selector.family} & clear or selector.name == "nth":
        yield f"{name} leaves {selector.name} without a clear meaning"


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
    """What a population would be asked, and by what it would be split."""
    cohort, aggregator, selector = template.cohort_name, template.aggregator_name, template.selector
    if template.scope is Scope.PATIENT:
        return
    names = [window.name for window in template.windows]
    if not lifts(template.kind_name, names, selector.name, cohort, aggregator):
        yield f"nobody asks {template.kind_name} of a population by {cohort} and {aggregator} with {selector.name}"
    if template.condition_name:
        yield "a condition and a cohort in one sentence: nobody keeps them apart"
    if {"nth", "nth_names", "new_names", "longest_run"} & {selector.name}:
        yield f"{selector.name} hangs on how often one patient was measured"
    anchor = template.anchor.name if template.anchor else ""
    if anchor == "ventilation" and cohort in ("ventilated", "ordered", "procedure"):
        yield f"the window is the cohort's: {cohort}"
    if anchor == "diagnosis" and template.kind_name == "death" and cohort != "all":
        yield "whoever lived to be in the cohort had not died before: immortal time"
    if anchor == "diagnosis" and cohort not in (("all",) if template.window.days else ("all", "coded")):
        yield "the first admission with a diagnosis makes the cohort already"
    if (
        (selector.family in ("spread", "course") or template.versus)
        and cohort in VARIED
        and template.kind_name != "clinic"
    ):
        yield f"{selector.name} among {cohort}: no one's question"
    yield from _summary(template)
    yield from _split(template)


def _summary(template: Template) -> Iterator[str]:
    """One number for all: limits that everyone would choose, tails and middles that say something."""
    aggregator, selector = template.aggregator_name, template.selector
    short = any(window.days is not None and window.days <= 2 for window in template.windows)
    if aggregator == "share_beyond":
        if selector.family not in JUDGED or template.versus or selector.name == "hours_to_nth":
            yield f"there is no limit for {selector.name} that everyone would choose"
        hourly = template.kind_name == "output"
        if (selector.name == "total" and hourly) or (selector.name == "per_hour" and not hourly):
            yield "the limit is of the other: an hour's of an output, a total's of what is given"
        if selector.name in ("highest", "lowest"):
            yield f"{selector.name} has a wrong side: `worst` asks it in the right direction"
        if selector.shape is Shape.VALUE and template.example_stream.threshold is None:
            yield f"{template.kind_name} has no threshold"
        if selector.family == "stretch" and short:
            yield "a stretch of a day is never longer than a day"
        if selector.shape in (Shape.PERCENT, Shape.YES_NO, Shape.COUNT):
            yield f"a percentage of units by their {selector.name} says little"
    if aggregator == "top_unit":
        if selector.name not in LARGEST or (selector.family == "stretch" and short):
            yield f"nobody reviews the case with the largest {selector.name}, or several tie"
        if template.cohort_name == "all" or template.versus:
            yield "a case is picked for review from a cohort, by one measure"
    if aggregator == "p90":
        level = selector.shape is Shape.VALUE and selector.family not in ("sum", "once")
        if (level and selector.name not in ("highest", "worst")) or selector.shape is Shape.PERCENT or template.versus:
            yield f"the upper tail of a {selector.name} is no one's question"
        if selector.shape is Shape.VALUE and template.example_stream.worse == "low":
            yield f"of {template.kind_name} the lower tail worries"
    if selector.name == aggregator or (selector.name == "median" and aggregator.startswith("by_")):
        yield f"the {selector.name} of a {selector.name}"
    if selector.name == "hours_beyond" and short and aggregator not in ("mean", "p90", "top_unit"):
        yield "in a day the median of hours_beyond is 0"
    rare = selector.name in ("count_of", "days_of", "share_of", "times_of", "share_beyond", "episodes")
    if rare and aggregator != "mean" and selector.shape is not Shape.YES_NO and aggregator not in ("p90", "top_unit"):
        yield f"the median of {selector.name} is 0 or 1 for most things: ask for the mean"
    if selector.name == "number_of_names" and aggregator == "p90" and short and template.kind_name not in MANY:
        yield "in so short a time the upper tail is two or three for everything"
    if selector.name == "most_frequent" and aggregator == "top_names" and template.kind_name != "race":
        yield "the most common of the most frequent: `names` asks it"


def _split(template: Template) -> Iterator[str]:
    """Groups that exist, differ for a reason, and are not the cohort or the measure again."""
    cohort, aggregator, selector = template.cohort_name, template.aggregator_name, template.selector
    names = {window.name for window in template.windows}
    if SPLIT_BY.get(cohort) == aggregator:
        yield f"{cohort} fixes what {aggregator} splits by"
    if SPLIT_FROM.get(template.kind_name) == aggregator:
        yield f"{aggregator} splits by {template.kind_name} itself"
    if aggregator == "by_death":
        if any(window.side is Side.AFTER for window in template.windows):
            yield "those who died in hospital have no time after discharge"
        if names & LAST_HOURS:
            yield "the last hours of those who died are the outcome itself"
    if names & LAST_HOURS and aggregator in ("by_age_band", "by_sex") and selector.name != "last":
        yield f"{selector.name} of the last hours {aggregator}: no one's question"
    if aggregator == "by_insurance":
        if not names <= PAYER_WINDOWS or cohort == "aged":
            yield "insurance speaks of access and process, and the aged share one"
        if selector.family in ("spread", "course") or (selector.family == "burden" and selector.name != "ever_beyond"):
            yield f"{selector.name} by insurance: no one's question"
    if aggregator == "by_anchor_year_group" and cohort in (
        "aged",
        "coded_without",
        "ordered",
        "procedure",
        "abnormal_lab",
    ):
        yield f"nobody asks for an era among {cohort}"
    if aggregator == "by_anchor_year_group" and selector.family in ("spread", "course"):
        yield f"{selector.name} by era: no hypothesis"
    if template.versus and aggregator == "by_care_unit" and cohort in ("billed_drg", "procedure"):
        yield "both windows, one group of cases and one unit: too few to mean something"
    if names & LAST_HOURS and aggregator == "by_sex" and template.kind_name == "ratio":
        yield "a last ratio by sex: no one's question"
    if template.versus and aggregator in ("by_age_band", "by_insurance", "by_anchor_year_group"):
        yield f"differences {aggregator}: too few in each group to mean something"
    short = any(window.days is not None and window.days <= 2 for window in template.windows)
    if selector.name == "number_of_names" and aggregator.startswith("by_") and short and template.kind_name not in MANY:
        yield "in so short a time nearly everybody has one"


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
