"""Facts a clinician might ask for that MIMIC-IV does not hold: money, addresses, names of staff, serial numbers.

MIMIC-IV is de-identified and has no billing amounts: names, addresses and contact details were removed before
publication, and `hcpcsevents` and `drgcodes` hold codes, never a price (Johnson et al., Sci Data 2023, 10:1). A
question for one of these can only be declined, and a look at the columns shows why.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.answers import AnswerKind, AnswerType
from schemas.questions import Intent, Scope


@dataclass(frozen=True)
class Attribute:
    """A fact that no column of the 31 tables holds."""

    id: str
    intents: tuple[Intent, ...]
    """The intents among whose questions it sounds natural."""
    phrase: str
    """A noun phrase for what is asked of one record, admission, stay or patient, to put where the answer is named."""
    lifted: str
    """The same of a cohort."""
    answer: AnswerType
    """The contract of the answer, were there one."""
    words: tuple[str, ...]
    """Words a column that held it would be named after. None occurs, as a part between underscores, in any column."""

    def asked(self, scope: Scope) -> str:
        """The noun phrase for that scope.

        >>> ATTRIBUTES["charge_usd"].asked(Scope.POPULATION)
        'the mean amount charged, in US dollars'
        """
        return self.phrase if scope is Scope.PATIENT else self.lifted


_MONEY = AnswerType(kind=AnswerKind.QUANTITY, unit="USD", unit_synonyms=("US dollars", "$"), decimals=2)
_TEXT = AnswerType(kind=AnswerKind.CATEGORY)

ATTRIBUTES: dict[str, Attribute] = {
    attribute.id: attribute
    for attribute in (
        Attribute(
            id="charge_usd",
            intents=(Intent.COST, Intent.MEDICATIONS, Intent.LABS, Intent.DIAGNOSES),
            phrase="the amount charged, in US dollars",
            lifted="the mean amount charged, in US dollars",
            answer=_MONEY,
            words=("charge", "charged", "usd", "dollar", "dollars", "price", "cost", "fee"),
        ),
        Attribute(
            id="monthly_income",
            intents=(Intent.DEMOGRAPHICS, Intent.COST),
            phrase="the patient's monthly household income, in US dollars",
            lifted="the mean monthly household income of these patients, in US dollars",
            answer=_MONEY,
            words=("income", "salary", "wage", "household"),
        ),
        Attribute(
            id="home_address",
            intents=(Intent.DEMOGRAPHICS,),
            phrase="the street address the patient lives at",
            lifted="the postal code most of these patients live in",
            answer=_TEXT,
            words=("address", "street", "city", "zip", "zipcode", "postal", "postcode"),
        ),
        Attribute(
            id="ordering_physician_name",
            intents=(Intent.MEDICATIONS, Intent.LABS, Intent.DIAGNOSES),
            phrase="the full name of the physician responsible for it",
            lifted="the full name of the physician most often responsible for it",
            answer=_TEXT,
            words=("physician", "doctor", "surname", "firstname", "lastname"),
        ),
        Attribute(
            id="device_serial_number",
            intents=(Intent.VITALS, Intent.LABS),
            phrase="the serial number of the device it was measured with",
            lifted="the serial number of the device it was most often measured with",
            answer=_TEXT,
            words=("serial", "device", "manufacturer"),
        ),
    )
}
"""Every such attribute, by id."""
