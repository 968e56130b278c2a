"""Which windows, selectors, cohorts and aggregators a clinician would combine with a kind.

A word here is a window or a selector, or a family of them: a new window or selector goes with the kinds that name its
family. General rules, which hold for every kind, are in `legality.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from assets.questions import vocabulary

COMPARED: tuple[tuple[str, str], ...] = (
    ("last_24h_of_stay", "first_24h_of_stay"),
    ("last_48h_of_admission", "first_24h_of_admission"),
    ("after_dose_48h", "before_dose_48h"),
    ("after_furosemide_6h", "before_furosemide_6h"),
    ("after_ventilation_24h", "on_ventilator"),
    ("after_intubation_24h", "before_icu_24h"),
    ("after_discharge_90d", "year_before_admission"),
    ("year_after_discharge", "year_before_admission"),
)
"""Two windows of one unit worth comparing: the later, then the earlier."""


@dataclass(frozen=True)
class Use:
    """Windows and selectors that go together for one kind, as names or families separated by blanks."""

    windows: str
    selectors: str

    @cached_property
    def window_names(self) -> frozenset[str]:
        """The windows meant."""
        return _named(self.windows, {name: w.family for name, w in vocabulary.windows().items()})

    @cached_property
    def selector_names(self) -> frozenset[str]:
        """The selectors meant."""
        return _named(self.selectors, {name: s.family for name, s in vocabulary.selectors().items()})


def _named(words: str, families: dict[str, str]) -> frozenset[str]:
    """Names and families as names.

    Raises:
        ValueError: A word is neither.
    """
    asked = words.split()
    unknown = [word for word in asked if word not in families and word not in families.values()]
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: neither a name nor a family of assets/questions")
    return frozenset(name for name, family in families.items() if name in asked or family in asked)


_MEASURED = (
    Use("hospital stay ventilation", "level spread burden course"),
    Use("emergency dose pressor ward", "level ever_beyond share_beyond worst_time hours_to_beyond"),
    Use("years record", "level spread ever_beyond share_beyond hours_to_beyond trend"),
)
_ORDERED_NAMES = "names number_of_names most_frequent first_names last_names"
_STRETCHES = "stretch hours_to_first first_time last_time"

USES: dict[str, tuple[Use, ...]] = {
    # Demographics
    "age": (Use("moment", "only"),),
    "death": (Use("at_admission at_icu_admission at_diagnosis at_ventilation year_after_discharge", "only"),),
    "admission_type": (Use("record years", "names number_of_names most_frequent first_names last_names nth_names"),),
    "admission_location": (
        Use("record years", "names number_of_names most_frequent first_names last_names nth_names"),
    ),
    "discharge_location": (
        Use("record years", "names number_of_names most_frequent first_names last_names nth_names"),
        Use("at_admission", "names"),
    ),
    "insurance": (Use("whole_record", "names number_of_names first_names last_names nth_names most_frequent"),),
    "language": (Use("whole_record", "names number_of_names last_names"),),
    "marital_status": (Use("whole_record", "names number_of_names first_names last_names most_frequent"),),
    "race": (Use("whole_record", "names number_of_names last_names most_frequent"),),
    "discharged_to": (Use("record years", "closed"), Use("at_admission", "any_of")),
    "died": (Use("at_admission", "any_of"),),
    "visit": (Use("record years", "pace stretch hours_to_first hours_to_nth nth_time first_time last_time"),),
    "service": (Use("hospital", "listing"),),
    # Vitals
    "vital": (
        Use("stay ventilation", "level spread burden course"),
        Use("pressor diuretic", "level ever_beyond share_beyond time_weighted_mean worst_time"),
    ),
    "gas_vital": (Use("stay ventilation pressor", "level spread ever_beyond share_beyond worst_time hours_to_beyond"),),
    "clinic": (Use("years record", "level spread ever_beyond share_beyond trend worst_time days_with"),),
    "output": (
        Use("stay ventilation", "sum days_with longest_gap highest first_time last_time hours_to_first"),
        Use("pressor diuretic", "total per_hour"),
    ),
    "infusion_weight": (Use("stay ventilation", "first last highest lowest range change"),),
    "fluid_balance": (Use("stay ventilation pressor diuretic", "sum"),),
    # Medications
    "order": (Use("hospital stay ward", f"{_STRETCHES} {_ORDERED_NAMES} longest_gap hours_to_nth nth_time"),),
    "dose": (Use("hospital stay ward", "first last nth highest lowest range change mean"),),
    "given": (Use("hospital stay ward culture", "moment hours_to_first hours_to_nth pace"),),
    "given_or_not": (Use("hospital stay ward culture dose", "any_of count_of share_of first_of days_of"),),
    "dose_withheld": (Use("hospital stay ward", "any_of count_of share_of first_of days_of"),),
    "dose_given": (
        Use("hospital stay ward", "total highest lowest first last nth mean median largest_day range days_with"),
    ),
    "infusion": (
        Use(
            "stay", "first last highest lowest nth share_beyond worst_time stretch hours_to_first first_time last_time"
        ),
        Use("ventilation", "first last highest covered episodes longest_stretch hours_to_first"),
        Use("admission", "highest covered longest_stretch hours_to_first first_time"),
    ),
    "fluid_given": (
        Use("stay ventilation pressor", "sum highest days_with hours_to_first first_time last_time longest_gap"),
        Use("admission", "total days_with"),
    ),
    "class_order": (Use("hospital stay ward", f"{_STRETCHES} {_ORDERED_NAMES}"),),
    # Cost
    "icu_time": (
        Use("admission", f"covered episodes longest_stretch longest_pause hours_to_first {_ORDERED_NAMES}"),
        Use("years record", "covered episodes longest_stretch first_time last_time first_names last_names"),
    ),
    "hospital_stay": (
        Use("at_admission", "only"),
        Use("years record", "total highest lowest mean median nth first last range change episodes"),
    ),
    "ward_move": (Use("hospital emergency ward", f"{_ORDERED_NAMES} highest median nth_names"),),
    "time_in_unit": (
        Use("hospital ward", "covered episodes longest_stretch longest_pause hours_to_first first_time"),
    ),
    "drg_level": (
        Use("at_admission", "only names"),
        Use("years record", "highest lowest mean first last nth change"),
    ),
    "order_type": (Use("hospital stay ward", "any_of count_of share_of first_of days_of"),),
    "device": (Use("stay hospital ventilation", f"{_STRETCHES} nth_time"),),
    "billed": (Use("at_admission", "any_of"), Use("record years", "closed")),
    # Labs
    "lab": _MEASURED,
    "ratio": (
        Use("hospital stay ventilation", "level spread ever_beyond share_beyond hours_to_beyond worst_time"),
        Use("dose pressor years", "level ever_beyond share_beyond"),
    ),
    "culture_organism": (Use("hospital stay ventilation years record", f"{_ORDERED_NAMES} nth_names"),),
    "culture_turnaround": (Use("hospital stay years", "highest lowest median mean first last"),),
    "culture_growth": (Use("hospital stay ventilation years record", "any_of count_of share_of first_of"),),
    # Diagnoses
    "diagnosis": (Use("at_admission", "any_of count_of share_of"), Use("record years", "closed")),
    "coded_admission": (Use("record years", "moment hours_to_first hours_to_nth longest_gap"),),
    "code_position": (Use("at_admission", "lowest"), Use("record years", "lowest highest first last nth mean")),
    "codes": (
        Use("at_admission", "names number_of_names"),
        Use("record years", "number_of_names most_frequent new_names"),
    ),
    "principal": (
        Use("at_admission", "names"),
        Use("record years", "names number_of_names most_frequent first_names last_names nth_names"),
    ),
    "procedure": (Use("hospital stay years record", "moment days_to_first days_to_nth days_with"),),
    "procedure_codes": (
        Use("hospital stay", f"{_ORDERED_NAMES} nth_names days_with days_to_first days_to_nth"),
        Use("years record", "number_of_names most_frequent first_names last_names days_with"),
    ),
}
"""By kind. A kind without a line is never asked about."""


def fits(kind: str, windows: tuple[str, ...], selector: str) -> bool:
    """Whether a kind's table names this selector with all of these windows."""
    return any(set(windows) <= use.window_names and selector in use.selector_names for use in USES.get(kind, ()))
