"""What people ask for and MIMIC-IV has no column for: money, names of staff, addresses."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.answers import AnswerKind, AnswerType
from schemas.questions import Intent

DOLLARS = AnswerType(kind=AnswerKind.QUANTITY, unit="US dollars", unit_synonyms=("USD", "$", "dollars"), decimals=2)
TEXT = AnswerType(kind=AnswerKind.CATEGORY)


@dataclass(frozen=True)
class Attribute:
    """Something that the 31 tables do not hold, asked of the records of a question."""

    id: str
    intents: frozenset[Intent]
    """Whose questions it suits."""
    missing: str
    """What it is, in words: `charge in US dollars`."""
    patient: str
    """The question to one patient's record; `{thing}` is what the template is about."""
    population: str
    answer: AnswerType
    words: tuple[str, ...]
    """Parts of a column's name (between underscores) that would betray such a column; none has them."""

    @property
    def sql_type(self) -> str:
        """The type of its NULL."""
        return "DOUBLE" if self.answer.kind is AnswerKind.QUANTITY else "VARCHAR"


def _of(*intents: Intent) -> frozenset[Intent]:
    return frozenset(intents)


ATTRIBUTES = {
    attribute.id: attribute
    for attribute in (
        Attribute(
            "charge_usd",
            _of(Intent.LABS, Intent.COST, Intent.DIAGNOSES),
            "charge in US dollars",
            "what was charged in US dollars for the {thing} {when}",
            "what was charged in US dollars, in all, for the {thing} {when}",
            DOLLARS,
            ("charge", "charges", "dollar", "dollars", "usd", "price", "cost"),
        ),
        Attribute(
            "drug_price_usd",
            _of(Intent.MEDICATIONS),
            "price of the drug in US dollars",
            "what did the {thing} {when} cost in US dollars",
            "what did the {thing} {when} cost in US dollars, in all",
            DOLLARS,
            ("price", "dollar", "dollars", "usd", "cost"),
        ),
        Attribute(
            "reimbursement_usd",
            _of(Intent.COST),
            "amount the insurer paid in US dollars",
            "what did the insurer pay in US dollars for the {thing} {when}",
            "what did insurers pay in US dollars, in all, for the {thing} {when}",
            DOLLARS,
            ("reimbursement", "payment", "paid", "dollar", "dollars", "usd"),
        ),
        Attribute(
            "physician_name",
            _of(Intent.LABS, Intent.MEDICATIONS, Intent.DIAGNOSES),
            "name of the physician",
            "what is the full name of the physician responsible for the {thing} {when}",
            "what is the full name of the physician responsible for the largest number of {things} {when}",
            TEXT,
            ("physician", "doctor", "surgeon"),
        ),
        Attribute(
            "nurse_name",
            _of(Intent.VITALS, Intent.MEDICATIONS),
            "name of the nurse",
            "what is the full name of the nurse who recorded the {thing} {when}",
            "what is the full name of the nurse who recorded the largest number of {things} {when}",
            TEXT,
            ("nurse", "nurses"),
        ),
        Attribute(
            "serial_number",
            _of(Intent.LABS, Intent.VITALS),
            "serial number of the instrument",
            "what is the serial number of the instrument that measured the {thing} {when}",
            "what is the serial number of the instrument that measured the largest number of {things} {when}",
            TEXT,
            ("serial", "instrument", "instruments"),
        ),
        Attribute(
            "monthly_income_usd",
            _of(Intent.DEMOGRAPHICS),
            "monthly income of the patient in US dollars",
            "what was the patient's monthly income in US dollars {when}",
            "what was the median monthly income of the patients in US dollars {when}",
            DOLLARS,
            ("income", "salary", "wage", "dollar", "dollars", "usd"),
        ),
        Attribute(
            "home_address",
            _of(Intent.DEMOGRAPHICS),
            "home address of the patient",
            "what was the patient's home address {when}",
            "what was the most common home town of the patients {when}",
            TEXT,
            ("address", "street", "town", "city", "zip", "home"),
        ),
        Attribute(
            "employer",
            _of(Intent.DEMOGRAPHICS),
            "employer of the patient",
            "who was the patient's employer {when}",
            "who was the most common employer of the patients {when}",
            TEXT,
            ("employer", "occupation", "job"),
        ),
    )
}
"""By id."""
