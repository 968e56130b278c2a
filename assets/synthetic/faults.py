"""How often the synthetic record is wrong in the ways MIMIC-IV is wrong.

Each rate names the key of `noise_ops.faults.FAULTS` it models, so that tests can hold the tables against it. A rate
is the probability per row unless it says otherwise. What follows from how a hospital works (results
copied into two tables, the unit a coding system lacks) is not drawn but built into the tables.
"""

from __future__ import annotations

from typing import Final

LAB_HADM_LOST: Final = 0.02
"""2: labevents.hadm_id NULL although drawn during an admission."""
LAB_HADM_ED: Final = 0.7
"""1: NULL for samples taken in the emergency department before the admission."""
LAB_VALUE_MASKED: Final = 0.062
"""5: labevents.value is `___`; valuenum keeps the number in 98% of them."""
LAB_VALUE_ABSENT: Final = 0.05
"""3, 6: value and valuenum NULL; what there is stands in the comment."""
LAB_UNIT_LOST: Final = 0.012
"""8: labevents.valueuom NULL on a number that needs a unit."""
LAB_UNIT_SPELLING: Final = 0.004
"""8: another spelling of the unit (mEq/L, meq/L)."""
LAB_SECOND_SPECIMEN: Final = 0.0015
"""9: per panel: a sample analysed twice: same patient, time and item, other specimen and value."""
LAB_IMPOSSIBLE: Final = 0.00006
"""10: drawn above an infusion: sodium 84 with glucose 1,601."""
LAB_PROVIDER: Final = 0.28
"""12: share of labevents with an order_provider_id."""
LAB_STORETIME_ABSENT: Final = 0.016
"""12"""
HEART_RATE_IMPOSSIBLE: Final = 0.0004
"""15: zero, or digits typed twice (86 becomes 8686)."""
SATURATION_ABOVE_100: Final = 0.0002
"""16"""
FAHRENHEIT_AS_CELSIUS: Final = 0.01
"""17: share of values under 223762 (Celsius) that are degrees Fahrenheit."""
HEIGHT_IMPOSSIBLE: Final = 0.002
"""18: per height charted."""
WEIGHT_IMPOSSIBLE: Final = 0.002
"""20: per weight charted: grams, or pounds under kilograms."""
FIO2_AS_FRACTION: Final = 0.03
"""21: 0.5 where 50 is meant."""
INFUSION_REWRITTEN: Final = 0.004
"""27: an order cancelled and written anew; the amount stays in the record."""
INFUSION_WEIGHT_SLIP: Final = 0.01
"""25: per stay: one shift reckons with another weight."""
INGREDIENT_UNIT_SLIP: Final = 0.002
"""29: calcium in grams labelled mg, per row."""
OUTPUT_IMPLAUSIBLE: Final = 0.0002
"""30: a whole day's urine in one entry."""
OUTPUT_ZERO: Final = 0.03
"""30"""
DISCHARGE_BEFORE_ADMISSION: Final = 0.0003
"""31: per admission."""
ADMISSION_OVERLAP: Final = 0.0002
"""32: per admission that has a successor."""
DEATH_BEFORE_ADMISSION: Final = 0.0004
"""34: per patient with a date of death: a year too early."""
DISCHARGE_LOCATION_ABSENT: Final = 0.12
"""39: on top of the observation stays, which rarely have one."""
MARITAL_ABSENT: Final = 0.03
"""39"""
RACE_CONFLICT: Final = 0.025
"""41: per admission, another race than the patient's other admissions."""
MARITAL_CONFLICT: Final = 0.05
"""41"""
INSURANCE_CONFLICT: Final = 0.035
"""41"""
LANGUAGE_UNKNOWN: Final = 0.04
"""40: per admission, `?` instead of the language."""
RACE_UNKNOWN: Final = 0.03
"""40: per admission, on top of the patients of whom it is never known."""
DEATH_AFTER_DISCHARGE: Final = 0.27
"""42: per death in hospital: deathtime is not dischtime."""
ICU_STAY_MISSING: Final = 0.005
"""44: per admission without an ICU stay: an ICU ward in transfers all the same."""
CODE_REPEATED: Final = 0.0006
"""48: per admission: one diagnosis coded twice."""
CODELESS: Final = 0.001
"""49: per admission: no diagnosis at all."""
DRG_ABSENT: Final = 0.15
"""56: per admission."""
STOP_BEFORE_START: Final = 0.042
"""57"""
STOP_EQUALS_START: Final = 0.025
"""57"""
NDC_ZERO: Final = 0.05
"""58: on top of the forms that have none, which brings it to 14%."""
POE_ID_LOST: Final = 0.01
"""58: prescriptions.poe_id NULL."""
DOSE_RANGE: Final = 0.045
"""59: on top of the forms written as a range: `1-2`, `325-650`, `25,000`."""
UNIT_SPELLING: Final = 0.25
"""60: gm for g, per row in grams."""
DRUG_SPELLING: Final = 0.02
"""61: case or a trailing blank, on top of the strings MIMIC-IV itself writes in several ways."""
ORDER_REPEATED: Final = 0.025
"""63: an order line entered twice, apart from its ids."""
EMAR_MEDICATION_ABSENT: Final = 0.01
"""65, 71"""
EMAR_DETAIL_REPEATED: Final = 0.00005
"""66"""
PHARMACY_MEDICATION_ABSENT: Final = 0.066
"""67"""
MICRO_HADM_ABSENT: Final = 0.3
"""69: on top of the outpatients."""
MICRO_TIME_ABSENT: Final = 0.063
"""70: charttime NULL, chartdate known."""
MICRO_CANCELLED: Final = 0.006
"""71: org_name CANCELLED."""
MICRO_COMMENT_MASKED: Final = 0.12
"""72"""
HEIGHT_IN_FEET: Final = 0.003
"""74: height 5 under inches, and the body mass index reckoned from it."""
OMR_REPEATED: Final = 0.03
"""75: the same day's value entered again."""
OMR_CONFLICT: Final = 0.02
"""75: entered again with another value."""

# Built into the tables rather than drawn: 4, 7, 13, 14, 19, 22–24, 35, 36, 38, 45–47, 50–55, 62, 64, 65, 68, 73.
# Left out: 11 (a change between releases), 26 and 28 (documentation of MIMIC-III), 33 (readmitted alive after death),
# 37 (a mistake of readers), 76 (there are no newborns), 77 (another database).
