"""What was settled on admission: who admitted, and which service took over."""

from __future__ import annotations

from assets.questions.grammar import Phrases, Stream
from assets.questions.kinds._kind import kind
from assets.questions.kinds._labels import PROVIDERS
from assets.questions.records import admissions, known
from assets.questions.sql import listed
from schemas.concepts import Pool, Term
from schemas.questions import Intent, Role, Selection


@kind(Intent.DEMOGRAPHICS)
def admitting_provider() -> Stream:
    """Who admitted the patient: one doctor's patient, or everybody's."""
    return Stream(
        target=admissions("admit_provider_id IS NOT NULL", names=("admit_provider_id",)),
        label=PROVIDERS,
        named="l.provider_id = x.admit_provider_id",
        words=Phrases(
            entries="admitting providers",
            listed="providers admitted the patient",
            tally="providers",
            counts="admissions whose admit_provider_id is in the provider table, by their time of admission; where "
            "there is none, there is no answer, not even 0",
            own={
                "names_once": ("which provider admitted the patient {when}", "admitting provider"),
                "nth_names": (
                    "which provider admitted the patient at the {nth} admission that names one {when}",
                    "admitting providers of the {nth} admission",
                ),
                "first_names": (
                    "which provider admitted the patient at the first admission that names one {when}",
                    "admitting providers of the first admission",
                ),
                "last_names": (
                    "which provider admitted the patient at the last admission that names one {when}",
                    "admitting providers of the last admission",
                ),
            },
        ),
        time="x.admittime",
        text="l.provider_id",
        no_route="orders name who placed them, not who admitted",
    )


@kind(Intent.DEMOGRAPHICS, Pool.SERVICE)
def under_service(concept: Term) -> Stream:
    """Take-overs by one sort of service, among all: was a surgeon ever in charge?"""
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
            happened=f"did {concept.lay_name} take the patient over",
            counted=f"take-overs by {concept.lay_name} were recorded",
            events=f"take-overs by {concept.lay_name}",
            whole="service records",
            part=f"take-overs by {concept.lay_name}",
            tally="take-overs",
            own={
                "first_of": (
                    f"when did {concept.lay_name} first take the patient over {{when}}",
                    f"time at which {concept.lay_name} first took the patient over",
                )
            },
            counts="service records with a service and a time; in what begins with the admission, those noted earlier "
            "count as well",
        ),
        time="x.transfertime",
        early=True,
        hit=f"x.curr_service IN {listed(concept.values)}",
        definition=f"service records with {concept.definition}",
        no_route="the question names service records; orders and wards name teams and places",
    )
