"""Ways in which people write the words of a question: slips, abbreviations, other names, another order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

SHORT = 6
"""Words with fewer letters are not misspelt: one slip makes another word of them."""

NEIGHBOURS: Mapping[str, str] = {
    letter: near
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    for letter, near in zip(
        row, [row[1], *(row[i - 1] + row[i + 1] for i in range(1, len(row) - 1)), row[-2]], strict=True
    )
}
"""Keys beside each key of an English keyboard."""

ABBREVIATIONS: Mapping[str, str] = {
    "hospital admission": "hosp adm",
    "hospital admissions": "hosp adms",
    "emergency department": "ED",
    "blood pressure": "BP",
    "heart rate": "HR",
    "respiratory rate": "RR",
    "temperature": "temp",
    "admission": "adm",
    "admissions": "adms",
    "patient": "pt",
    "patients": "pts",
    "without": "w/o",
    "with": "w/",
    "diagnosis": "dx",
    "diagnoses": "dxs",
    "procedure": "proc",
    "procedures": "procs",
    "medication": "med",
    "hours": "hrs",
    "average": "avg",
    "number of": "no. of",
    "percentage": "pct",
    "between": "btw",
    "before": "bef",
    "information": "info",
    "laboratory": "lab",
    "recorded": "rec'd",
}
"""As charts and pages abbreviate them. "Discharge" is not: D/C also means discontinue (ISMP's list of error-prone
abbreviations)."""

OTHER_NAMES: Mapping[str, str] = {
    "highest": "maximum",
    "lowest": "minimum",
    "largest": "biggest",
    "heart rate": "pulse rate",
    "white blood cell count": "leukocyte count",
    "red blood cell count": "erythrocyte count",
    "platelet count": "thrombocyte count",
    "ALT": "SGPT",
    "AST": "SGOT",
    "creatine kinase": "creatine phosphokinase",
    "serum potassium": "kalium",
    "serum sodium": "natrium",
    "serum bicarbonate": "HCO3",
    "serum phosphate": "phosphorus",
    "partial thromboplastin time": "aPTT",
    "hematocrit": "packed cell volume",
    "blood-gas lactate": "lactic acid on the blood gas",
    "heart failure": "cardiac failure",
    "high blood lipids": "hyperlipidemia",
    "pneumonia": "lung infection",
    "sepsis": "blood poisoning",
    "atrial fibrillation": "AF",
    "urine output": "diuresis",
    "mechanical ventilation": "respirator treatment",
    "acetaminophen": "paracetamol",
    "norepinephrine": "noradrenaline",
    "epinephrine": "adrenaline",
    "furosemide": "frusemide",
    "albuterol": "salbutamol",
    "was given": "was administered",
    "were given": "were administered",
    "began": "started",
}
"""The same under another name: older names of tests (SGOT, kalium), other names of drugs (INN, BAN), lay words."""

BRANDS: Mapping[str, str] = {
    "acetaminophen": "Tylenol",
    "albuterol": "Ventolin",
    "amiodarone": "Cordarone",
    "amlodipine": "Norvasc",
    "apixaban": "Eliquis",
    "atorvastatin": "Lipitor",
    "bisacodyl": "Dulcolax",
    "carvedilol": "Coreg",
    "cefazolin": "Ancef",
    "ceftriaxone": "Rocephin",
    "ciprofloxacin": "Cipro",
    "clopidogrel": "Plavix",
    "dexmedetomidine": "Precedex",
    "diltiazem": "Cardizem",
    "docusate": "Colace",
    "enoxaparin": "Lovenox",
    "famotidine": "Pepcid",
    "fentanyl": "Sublimaze",
    "furosemide": "Lasix",
    "gabapentin": "Neurontin",
    "haloperidol": "Haldol",
    "hydromorphone": "Dilaudid",
    "ibuprofen": "Motrin",
    "insulin glargine": "Lantus",
    "levofloxacin": "Levaquin",
    "levothyroxine": "Synthroid",
    "lisinopril": "Zestril",
    "lorazepam": "Ativan",
    "losartan": "Cozaar",
    "metformin": "Glucophage",
    "metoprolol": "Lopressor",
    "metronidazole": "Flagyl",
    "midazolam": "Versed",
    "naloxone": "Narcan",
    "nitroglycerin": "Nitrostat",
    "norepinephrine": "Levophed",
    "omeprazole": "Prilosec",
    "ondansetron": "Zofran",
    "oxycodone": "Roxicodone",
    "pantoprazole": "Protonix",
    "phenylephrine": "Neo-Synephrine",
    "piperacillin-tazobactam": "Zosyn",
    "propofol": "Diprivan",
    "quetiapine": "Seroquel",
    "ramelteon": "Rozerem",
    "ranitidine": "Zantac",
    "sertraline": "Zoloft",
    "simvastatin": "Zocor",
    "spironolactone": "Aldactone",
    "tramadol": "Ultram",
    "trazodone": "Desyrel",
    "vancomycin": "Vancocin",
    "vasopressin": "Vasostrict",
    "warfarin": "Coumadin",
}
"""Brand names in the United States (FDA, Approved Drug Products with Therapeutic Equivalence Evaluations)."""

_ASKS = "what|how|when|which|who|on which|at which|in what|by how|did|do|was|were|is|had|has"

LEADS = (
    rf"(?P<lead>(?:For|Over|Among) .+?), (?P<asked>(?:{_ASKS}) .+)\?",
    r"(?P<lead>(?:Please report on|Quick question about|Chart review,) .+?): (?P<asked>.+)[.?]",
)
"""How a question begins: about whom, then what."""


def misspelt(text: str, words: int, rng: Random) -> str:
    """The text with so many of its longer words misspelt, fewer if it has fewer.

    >>> misspelt("what was the highest serum potassium of patient 12", 2, Random(3))
    'what was the highest sermu potassuim of patient 12'
    """
    # Part of a unit or of a name with digits is no word: "units/hour", "SpO2".
    found = list(re.finditer(rf"(?<![\w/'-])[A-Za-z]?[a-z]{{{SHORT - 1},}}(?![\w/'-])", text))
    for match in sorted(rng.sample(found, k=min(words, len(found))), key=lambda m: -m.start()):
        text = text[: match.start()] + slip(match[0], rng) + text[match.end() :]
    return text


def slip(word: str, rng: Random) -> str:
    """One letter wrong, but never the first: two swapped, one left out, one doubled, or the key beside it.

    >>> [slip("admission", Random(seed)) for seed in range(5)]
    ['addmission', 'admissiin', 'admissio', 'adnission', 'admiission']
    """
    ways = [_swapped, _left_out, _doubled, _beside]
    rng.shuffle(ways)
    places = list(range(1, len(word)))
    rng.shuffle(places)
    found = (other for way in ways for place in places if (other := way(word, place, rng)) != word)
    return next(found, word)


def _swapped(word: str, at: int, rng: Random) -> str:
    return word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]


def _left_out(word: str, at: int, rng: Random) -> str:
    return word[:at] + word[at + 1 :]


def _doubled(word: str, at: int, rng: Random) -> str:
    return word if word[at] == word[at - 1] else word[: at + 1] + word[at:]


def _beside(word: str, at: int, rng: Random) -> str:
    return word[:at] + rng.choice(NEIGHBOURS[word[at]]) + word[at + 1 :]


def abbreviated(text: str) -> str:
    """The text with the abbreviations of charts.

    >>> abbreviated("For hospital admission 7 of patient 1, what was the average heart rate")
    'For hosp adm 7 of pt 1, what was the avg HR'
    """
    return _replaced(text, ABBREVIATIONS)


def renamed(text: str) -> str:
    """The text with other names for the same.

    >>> renamed("what was the highest AST")
    'what was the maximum SGOT'
    """
    return _replaced(text, OTHER_NAMES)


def branded(text: str) -> str:
    """The text with brand names for drugs.

    >>> branded("how many doses of furosemide were given")
    'how many doses of Lasix were given'
    """
    return _replaced(text, BRANDS)


def _replaced(text: str, names: Mapping[str, str]) -> str:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    pattern = r"(?<![\w-])(" + "|".join(map(re.escape, longest_first)) + r")(?![\w-])"
    return re.sub(pattern, lambda match: names[match[1]], text)


def reordered(text: str) -> str:
    """What is wanted first, and about whom behind it; unchanged where the text does not begin with whom it is about.

    >>> reordered("For ICU stay 3 of patient 1, what was the first K?")
    'What was the first K? For ICU stay 3 of patient 1.'
    >>> reordered("Please report on patient 1: the first K during the ICU stay.")
    'The first K during the ICU stay. Please report on patient 1.'
    """
    for pattern in LEADS:
        if match := re.fullmatch(pattern, text):
            asked, lead = match["asked"], match["lead"]
            return f"{asked[0].upper()}{asked[1:]}{text[-1]} {lead}."
    return text
