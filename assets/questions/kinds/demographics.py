"""Demographics: age, death, what registration says at each admission, and the path through the hospital."""

from __future__ import annotations

from assets.questions.grammar import Kind, Phrases, Route, Stream
from assets.questions.kinds._kind import kind
from assets.questions.records import admissions, known, ward_ends
from assets.questions.sql import listed
from schemas.concepts import Pool, Term, load
from schemas.questions import Intent, Role, Selection


@kind(Intent.DEMOGRAPHICS)
def age() -> Stream:
    """Age at the window's start. Ages above 89 are masked as 91, so no exact age exists for them."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="patients",
            support="anchor_age <= 89 AND anchor_year IS NOT NULL",
            label="age",
            value=("anchor_age",),
            time=("anchor_year",),
            low=0.0,
            high=89.0,
        ),
        words=Phrases(
            value="patient's age",
            of_many="age",
            counts="patients with an anchor_age of 89 or less; age is anchor_age plus the years since anchor_year",
        ),
        value="x.anchor_age + date_part('year', f.origin) - x.anchor_year",
        unit="years",
        threshold=65.0,
        no_route="no other table has an age or a date of birth",
    )


@kind(Intent.DEMOGRAPHICS)
def death() -> Stream:
    """Days from the window's start to death. An absent date of death means alive or lost to follow-up, never "no"."""
    in_hospital = Selection(
        name="",
        role=Role.ROUTE,
        table="admissions",
        support="deathtime IS NOT NULL",
        label="death in hospital",
        time=("deathtime",),
    )
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="patients",
            support="dod IS NOT NULL",
            label="date of death",
            time=("dod",),
        ),
        words=Phrases(
            own={
                "only": (
                    "how many days after {start} did the patient die {rest}",
                    "number of days from {start} to death {rest}",
                )
            },
            value="number of days from {start} to death",
            event="death",
            events="deaths",
            counts="patients with a recorded date of death, in calendar days from the one date to the other",
        ),
        time="CAST(x.dod AS TIMESTAMP)",
        value="date_diff('day', CAST(f.origin AS DATE), x.dod)",
        daily=True,
        unit="days",
        threshold=30.0,
        worse="low",
        routes=(Route(in_hospital, time="CAST(x.deathtime AS TIMESTAMP)", daily=True),),
    )


def _quoted(text: str) -> str:
    """A spelling in a sentence, where a bare question mark would end it."""
    return "a question mark" if text == "?" else repr(text)


def _states_nothing(spellings: tuple[str, ...]) -> str:
    """What the contract adds of spellings of "unknown".

    >>> _states_nothing(("UNKNOWN", "?")), _states_nothing(("UNKNOWN",)), _states_nothing(())
    (" ('UNKNOWN' and a question mark state nothing)", " ('UNKNOWN' states nothing)", '')
    """
    if not spellings:
        return ""
    *most, last = map(_quoted, spellings)
    return f" ({', '.join(most)} and {last} state nothing)" if most else f" ({last} states nothing)"


def _attribute(column: str, noun: str, nouns: str, own: dict[str, tuple[str, str]] | None = None) -> Kind:
    """What registration noted at each admission in one column of `admissions`."""
    unknown = load().unknown.get(("admissions", column), ())

    def stream() -> Stream:
        return Stream(
            target=admissions(known("admissions", column), names=(column,)),
            words=Phrases(
                entries=nouns,
                listed=f"{nouns} were recorded",
                counts=f"admissions that state it, each by the time it began{_states_nothing(unknown)}",
                own=own
                or {
                    "names": (f"which {nouns} were recorded {{when}}", nouns),
                    "names_once": (f"which {noun} was recorded {{when}}", noun),
                    "nth_names": (
                        f"what {noun} was recorded at the {{nth}} admission that states one {{when}}",
                        f"{nouns} at the {{nth}} admission",
                    ),
                    "first_names": (
                        f"what {noun} was recorded at the first admission that states one {{when}}",
                        f"{nouns} at the first admission",
                    ),
                    "last_names": (
                        f"what {noun} was recorded at the last admission that states one {{when}}",
                        f"{nouns} at the last admission",
                    ),
                    "agreed_name": (
                        f"what is the patient's {noun}, on which all admissions that state one agree {{when}}",
                        f"{nouns} on which all admissions that state one agree",
                    ),
                },
            ),
            time="x.admittime",
            text=f"x.{column}",
            no_route="the question asks what was stated at that admission; other records tell of other admissions, or "
            "only that the patient died",
        )

    return Kind(name=column, intent=Intent.DEMOGRAPHICS, pool=None, stream=stream)


race = _attribute("race", "race", "races")
marital_status = _attribute("marital_status", "marital status", "marital statuses")
language = _attribute("language", "language", "languages")
insurance = _attribute("insurance", "insurance", "insurances")
admission_type = _attribute("admission_type", "admission type", "admission types")
admission_location = _attribute("admission_location", "place of origin", "places of origin")
discharge_location = _attribute("discharge_location", "discharge destination", "discharge destinations")


@kind(Intent.DEMOGRAPHICS, Pool.DESTINATION)
def discharged_to(concept: Term) -> Stream:
    """Discharge to one sort of place, among all admissions that state where the patient went."""
    return Stream(
        target=admissions(known("admissions", "discharge_location"), names=("discharge_location",)),
        words=Phrases(
            happened=f"was the patient discharged to {concept.lay_name}",
            counted=f"discharges to {concept.lay_name} were there",
            events=f"discharges to {concept.lay_name}",
            whole="admissions with a stated discharge destination",
            part=f"discharges to {concept.lay_name}",
            tally="admissions",
            counts="admissions with a discharge_location, each by the time it began, of those who have one there",
            own={
                "any_of": (
                    f"did any admission begin {{when}} that ended with discharge to {concept.lay_name}",
                    f"any admission that ended with discharge to {concept.lay_name}",
                ),
                "any_of_once": (
                    f"was the patient discharged to {concept.lay_name} {{when}}",
                    f"discharge to {concept.lay_name}",
                ),
                "count_of": (
                    f"how many admissions began {{when}} that ended with discharge to {concept.lay_name}",
                    f"number of admissions that ended with discharge to {concept.lay_name}",
                ),
                "share_of": (
                    f"what percentage of the admissions {{when}} ended with discharge to {concept.lay_name}",
                    f"percentage of admissions that ended with discharge to {concept.lay_name}",
                ),
                "first_of": (
                    f"when did the first admission begin {{when}} that ended with discharge to {concept.lay_name}",
                    f"time of the first admission that ended with discharge to {concept.lay_name}",
                ),
            },
        ),
        time="x.admittime",
        hit=f"x.discharge_location IN {listed(concept.values)}",
        definition=concept.definition,
        no_route="the question asks for the stated destination; deathtime tells of deaths alone",
    )


@kind(Intent.DEMOGRAPHICS)
def died() -> Stream:
    """Discharge as dead, among all admissions that state where the patient went."""
    return Stream(
        target=admissions(known("admissions", "discharge_location"), names=("discharge_location",)),
        words=Phrases(
            happened="did the patient die in hospital",
            counted="deaths in hospital were there",
            events="deaths in hospital",
            whole="admissions with a stated discharge destination",
            part="deaths",
            tally="admissions",
            counts="admissions with a discharge_location, of which 'DIED' is a death",
            own={"any_of": ("did the patient die in hospital {when}", "death in hospital")},
        ),
        time="x.admittime",
        hit="x.discharge_location = 'DIED'",
        no_route="the question asks for the stated destination; without one its contract allows no answer",
    )


@kind(Intent.DEMOGRAPHICS)
def visit() -> Stream:
    """Admissions as events in a patient's life, and the time between them."""
    return Stream(
        target=admissions(),
        words=Phrases(
            event="hospital admission",
            events="hospital admissions",
            running="hospital care",
            counts="admissions that end after they begin; where there is none, there is no answer, not even 0",
            own={
                "longest_pause": (
                    "what was the longest time out of hospital between two admissions {when}",
                    "longest time out of hospital between two admissions",
                ),
                "hours_to_first": (
                    "how many hours after {start} did the next hospital admission begin {when}",
                    "number of hours from {start} to the next hospital admission",
                ),
                "hours_to_nth": (
                    "how many hours after {start} did the {nth} hospital admission begin {when}",
                    "number of hours from {start} to the {nth} hospital admission",
                ),
                "nth_time": ("when did the {nth} hospital admission begin {when}", "time of the {nth} admission"),
                "first_time": ("when did the first hospital admission begin {when}", "time of the first admission"),
            },
        ),
        time="x.admittime",
        end="x.dischtime",
        routes=(Route(ward_ends(), time="x.intime"),),
    )


@kind(Intent.DEMOGRAPHICS)
def service() -> Stream:
    """Clinical services that took the patient over: the referral path."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="services",
            support=f"{known('services', 'curr_service')} AND transfertime IS NOT NULL",
            label="clinical service",
            time=("transfertime",),
            names=("curr_service",),
        ),
        words=Phrases(
            entries="clinical services",
            listed="clinical services took care of the patient",
            tally="services",
            counts="service records with a service and a time; in what begins with the admission, those noted earlier "
            "count as well",
            own={
                "first_names": (
                    "which clinical service took the patient over first {when}",
                    "clinical services that took over first",
                ),
                "last_names": (
                    "which clinical service took the patient over last {when}",
                    "clinical services that took over last",
                ),
                "nth_names": (
                    "which clinical service was the {nth} to take the patient over {when}",
                    "clinical services that were the {nth} to take over",
                ),
            },
        ),
        time="x.transfertime",
        text="x.curr_service",
        early=True,
        no_route="the question names service records; orders and wards name teams and places",
    )
