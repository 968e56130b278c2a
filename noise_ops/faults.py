"""Faults that MIMIC-IV really has, and ways in which real users ask wrongly: what the operators copy.

Numbers with # are issues of MIT-LCP/mimic-code unless another repository is named. "demo" means counted on the MIMIC-IV
Clinical Database Demo 2.2 (100 patients). The dimensions are those of Weiskopf and Weng, J Am Med Inform Assoc 2013
(PMC3555312), and Kahn et al. 2016 (by way of PMC7727392).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Fault:
    """One known fault: where it lies, what it is, who saw it."""

    dimension: Literal["completeness", "conformance", "plausibility", "concordance", "question"]
    where: str
    """Table and column."""
    what: str
    source: str


FAULTS: dict[int | str, Fault] = {
    1: Fault(
        "completeness",
        "labevents.hadm_id",
        "NULL for outpatient/ED-adjacent labs",
        "73.8M of 158.4M rows in v3.1 (csdn 146185889); #1823, #1703, #1294",
    ),
    2: Fault(
        "concordance",
        "labevents.hadm_id",
        "NULL although inside an admission window",
        "58.13M stored of 59.33M joinable (98%), mimic.mit.edu labevents",
    ),
    3: Fault("completeness", "labevents.value", "NULL", "16.06M v3.1 (csdn 146185889)"),
    4: Fault("completeness", "labevents.valuenum", "NULL while value is text", "21.49M v3.1 (csdn 146185889); #1282"),
    5: Fault("conformance", "labevents.value", "'___' mask while valuenum holds the number", "rows quoted in #1703"),
    6: Fault(
        "completeness",
        "labevents.comments",
        'result lives only in comments ("DETECTED", "NEG"), partly redacted',
        "#941, mimic-iv #4, #1938",
    ),
    7: Fault("conformance", "labevents.value", "qualitative codes (NEG, MOD, OCC, TR, SM), '<x'", "#1282, #1938"),
    8: Fault(
        "conformance",
        "labevents/chartevents.valueuom",
        "NULL or case variants (mL, ml/min, mL/min)",
        "17.99M NULL labevents v2.2, #1768; #1688",
    ),
    9: Fault("concordance", "labevents", "same patient/time/itemid, different specimen and value", "#1959"),
    10: Fault(
        "plausibility",
        "labevents.valuenum",
        "physiologically impossible, dilution draws",
        "#749 (Na 84/glucose 1601), #2168",
    ),
    11: Fault("completeness", "labevents (itemid 50820)", "values vanish between releases", "#1533"),
    12: Fault("completeness", "labevents.order_provider_id, storetime", "NULL 113.9M / 2.57M", "csdn 146185889"),
    13: Fault(
        "concordance",
        "d_labitems.label",
        "same label/fluid/category, several itemids; 'Delete', 'VOIDED' labels",
        "#1937; demo: 64 duplicate triples, 209 duplicate labels, 32 'Delete…', 20 'Voided…', 13 glucose items",
    ),
    14: Fault("concordance", "chartevents vs labevents", "lab values copied in both", "#1206"),
    15: Fault(
        "plausibility",
        "chartevents.valuenum (220045 HR)",
        "≤0: 3,611; >1000: 22; max 10,000,000; digit concatenation 102102, 86101; all 'bpm'",
        "#2168 (v3.1)",
    ),
    16: Fault("plausibility", "chartevents.valuenum SpO2", ">100%", "#517; vitalsign.sql keeps ≤100"),
    17: Fault(
        "plausibility",
        "chartevents 223762",
        "Fahrenheit numbers under Celsius item",
        "CLIF-MIMIC #30; vitalsign.sql ranges 70–120 F / 10–50 C",
    ),
    18: Fault("plausibility", "chartevents 226707", "height 825070 inch", "#1781"),
    19: Fault("concordance", "chartevents 226707/226730", "height charted twice (in + cm), 33,700 of 33,707", "#1781"),
    20: Fault("plausibility", "chartevents 226512/224639", "weight bounds needed (0–1500)", "weight_durations.sql"),
    21: Fault(
        "conformance",
        "chartevents 223835, labevents 50816 FiO2",
        "fraction vs percent vs L/min flow",
        "bg.sql, ventilator_setting.sql comments",
    ),
    22: Fault("conformance", "chartevents 223900", "GCS verbal 'No Response-ETT' not a score", "gcs.sql"),
    23: Fault("concordance", "chartevents BP", "art/non-inv/ART itemids give several SBP per time", "vitalsign.sql"),
    24: Fault(
        "concordance", "chartevents", "ties at same charttime/storetime (O2 flow)", "oxygen_delivery.sql comment"
    ),
    25: Fault("plausibility", "inputevents.patientweight", "differs up to 170 kg within 2 h of one stay", "#1539"),
    26: Fault("conformance", "inputevents.rateuom", "'mg/kg/min' rows documented wrongly", "norepinephrine.sql"),
    27: Fault(
        "concordance",
        "inputevents.statusdescription",
        "'Rewritten'/cancelled audit rows, negative amounts, start>end",
        "#457, #757, mimic.mit.edu #99, #217 (III; same MetaVision source)",
    ),
    28: Fault("conformance", "inputevents.amount", "base-unit vs stated-unit error", "#116 (III)"),
    29: Fault("conformance", "ingredientevents.amountuom", "calcium in g labelled mg?", "#1752"),
    30: Fault(
        "plausibility",
        "outputevents.value",
        "irrigant in counted as urine; 8000 ml single entry",
        "urine_output.sql; demo max 8000, 320/9362 zeros",
    ),
    31: Fault(
        "plausibility", "admissions.admittime/dischtime", "dischtime ≤ admittime", "142 stays, #1691; disc. #1702"
    ),
    32: Fault("concordance", "admissions", "overlapping stays of one patient", "59 (disc. #1701); #1520"),
    33: Fault("concordance", "admissions", "dies, then readmitted 1 min later alive", "110 patients, #1194"),
    34: Fault(
        "concordance", "patients.dod", "before an ICU admission by years; date vs timestamp negatives", "#1346, #1427"
    ),
    35: Fault("completeness", "patients.dod", "censored >1 year after last discharge", "#1798"),
    36: Fault("conformance", "patients.anchor_age", "all >89 become 91", "#1231; demo 3/100"),
    37: Fault("concordance", "patients age", "anchor arithmetic misused (≤12 y error)", "ricu #43; mimic-fhir #126"),
    38: Fault(
        "conformance",
        "all datetimes",
        "per-patient shift: calendar not comparable across patients",
        "docs hosp/patients",
    ),
    39: Fault("completeness", "admissions.discharge_location, marital_status", "NULL", "demo 42/275, 12/275"),
    40: Fault(
        "conformance",
        "admissions.language, race",
        "'?', UNKNOWN, UNABLE TO OBTAIN, DECLINED",
        "demo 20/275, 23/275; #1236 (race=ethnicity)",
    ),
    41: Fault(
        "concordance",
        "admissions.race/marital/insurance",
        "conflict across a patient's stays",
        "demo 4 / 8 / 5 of 100 patients",
    ),
    42: Fault("concordance", "admissions.deathtime", "≠ dischtime", "demo 4/15 deaths"),
    43: Fault("plausibility", "icustays", "outtime before intime", "65 of 76,540 stays, #1288"),
    44: Fault(
        "completeness",
        "icustays",
        "ICU ward in transfers, no icustays row",
        "#1598 (~3k patients estimated by a user), #1165",
    ),
    45: Fault(
        "concordance", "icustays/transfers", "ICU stay includes ward or obs transfers", "#978, mimic-iv #67; MEDS #26"
    ),
    46: Fault("concordance", "icustays.outtime", "after hospital dischtime", "demo 22/140; intime<admittime 2/140"),
    47: Fault(
        "completeness",
        "transfers.hadm_id, careunit",
        "NULL (ED only; discharge rows)",
        "demo 54, 275 of 1190; mimic-iv #105",
    ),
    48: Fault("concordance", "diagnoses_icd", "same code repeated", "321 hadm_id, #1352"),
    49: Fault(
        "completeness", "diagnoses_icd", "admissions without codes (release bug, fixed in v1.0)", "#997 / mimic-iv #27"
    ),
    50: Fault(
        "conformance", "diagnoses_icd.icd_version", "ICD-9 and ICD-10 mixed in one patient", "demo 20/100 patients"
    ),
    51: Fault(
        "concordance",
        "diagnoses_icd.icd_code",
        "same string valid in both versions, other meaning (E8881 fall vs metabolic; E8809)",
        "demo 2 codes",
    ),
    52: Fault(
        "conformance",
        "*_icd.icd_code",
        "no dots; leading zeros; must be text",
        "#1934, #337 (III); demo 1,739/4,506 all-digit",
    ),
    53: Fault(
        "completeness", "d_icd_*", "codes absent from dictionary / obsolete", "#96, #841, #20 (III); mimic-fhir #6"
    ),
    54: Fault(
        "conformance", "procedures_icd.chartdate", "date only, many per day", "demo 174/391 (hadm,date) groups tie"
    ),
    55: Fault(
        "conformance",
        "drgcodes",
        "two systems; HCFA rows have NULL severity/mortality; codes overlap",
        "demo 233/233 NULL, 18 shared codes, 3 codes with 2 descriptions; #1561",
    ),
    56: Fault(
        "completeness",
        "drgcodes, hcpcsevents",
        "admissions without any",
        "demo 42/275 no DRG; 61 HCPCS rows in 41 stays; #856 (no CPT time)",
    ),
    57: Fault(
        "plausibility", "prescriptions.starttime/stoptime", "stop < start", "demo 753/18,087 (4.2%), 459 equal; #1260"
    ),
    58: Fault("completeness", "prescriptions.ndc, gsn", "'0' / NULL", "demo 2,610 (14.4%) / 2,519 (13.9%)"),
    59: Fault(
        "conformance",
        "prescriptions.dose_val_rx",
        "ranges/commas '1-2','25,000','325-650'",
        "demo 1,001 (5.5%); mimic-iv PR #104",
    ),
    60: Fault(
        "conformance", "prescriptions.dose_unit_rx", "g vs gm (820/682), same drug in several units", "demo 21 drugs"
    ),
    61: Fault(
        "conformance",
        "prescriptions.drug",
        "case, salt, brand, route variants",
        "demo 631→598 folded, 13 acetaminophen strings; #1316",
    ),
    62: Fault("concordance", "prescriptions.ndc→drug", "one NDC, several names", "demo 90 NDCs"),
    63: Fault("concordance", "prescriptions", "duplicate order lines apart from ids", "demo 491 groups; #384"),
    64: Fault(
        "concordance",
        "prescriptions vs emar vs inputevents",
        "ordered ≠ given; anaesthetics only in inputevents",
        "#1862, #384",
    ),
    65: Fault("completeness", "emar", "exists only after 2011–2013 roll-out", "mimic.mit.edu PR #185"),
    66: Fault("concordance", "emar_detail", "~3,700 duplicate rows; PK commented out in constraint.sql", "#1326"),
    67: Fault(
        "completeness",
        "pharmacy.medication, frequency",
        "NULL",
        "demo 1,013 and 87 of 15,306; 85 frequency strings; #870",
    ),
    68: Fault("conformance", "pharmacy.status", "'H', discontinued rows mixed with active", "demo"),
    69: Fault("completeness", "microbiologyevents.hadm_id", "NULL", "demo 971/2,899; #1286"),
    70: Fault(
        "conformance",
        "microbiologyevents.charttime",
        "NULL, only chartdate",
        "demo 183/2,899; EHRSQL falls back to chartdate",
    ),
    71: Fault(
        "conformance", "microbiologyevents.org_name", "NULL = negative *or* pending; 'CANCELLED'", "demo 1,641 / 17"
    ),
    72: Fault("conformance", "microbiologyevents.comments", "'___' masks", "demo 352/2,899"),
    73: Fault(
        "conformance",
        "omr.result_value",
        "text; BP '110/65' in same column as kg/lb/inch",
        "demo 872/2,964 non-numeric",
    ),
    74: Fault("plausibility", "omr", "height '5' (feet) under inches ⇒ BMI 4649.4", "demo"),
    75: Fault("concordance", "omr", "same-day repeats (14 copies) and 64 conflicting values", "demo"),
    76: Fault(
        "completeness", "ingredientevents/chartevents for newborns", "60,877 newborns without chart data (v1.0)", "#942"
    ),
    77: Fault(
        "concordance", "MIMIC-IV-ED triage.temperature", "F and C mixed, no unit (outside the 31 tables)", "#1079"
    ),
    "AmbiQT": Fault("question", "the question", "can be read in two ways", "AmbiQT, arXiv 2310.13659"),
    "Damerau": Fault(
        "question",
        "the question",
        "has words with one letter wrong, left out, added or swapped: four fifths of all misspellings",
        "Damerau, Commun ACM 1964, 7(3):171",
    ),
    "Dr.Spider": Fault(
        "question", "the question", "says the same in other words, or asks for one thing else", "arXiv 2301.08881"
    ),
    "EHR-ChatQA": Fault(
        "question", "the question", "uses words that the database does not", "EHR-ChatQA, arXiv 2509.23415"
    ),
    "EHRSQL": Fault(
        "question", "the question", "asks for what the schema or the patient does not hold", "EHRSQL, arXiv 2301.07695"
    ),
    "NL-Augmenter": Fault(
        "question", "the question", "comes with slips of the keyboard and words beside the point", "arXiv 2112.02721"
    ),
    "PRACTIQ": Fault(
        "question", "the question", "names a value or a join that does not exist", "PRACTIQ, arXiv 2410.11076"
    ),
    "TrustSQL": Fault(
        "question", "the question", "is out of the schema, or contradicts itself", "TrustSQL, arXiv 2403.15879"
    ),
}
"""By key: a number is a fault of the records, a name is a study of how people ask."""
