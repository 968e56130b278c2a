"""Drug orders: which drug, in which form, from when to when: prescriptions, pharmacy and emar are views of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from assets.synthetic.admissions import HOUR
from assets.synthetic.block import Block
from assets.synthetic.columns import ArrowColumn, words
from assets.synthetic.draws import AnyArray, Bools, Choice, Draws, Floats, GroupedChoice, Ints, within
from assets.synthetic.identifiers import in_block
from assets.synthetic.word_lists import GROUP, INGREDIENT, INGREDIENTS, rows

_OTHER_LINES = 8.5
_ADJUSTED = ("insulin", "potassium chloride", "magnesium sulfate", "furosemide", "heparin", "warfarin", "vancomycin",
             "metoprolol", "hydromorphone", "norepinephrine", "phenylephrine", "acetaminophen")  # fmt: skip
"""Drugs whose dose is written anew again and again."""
_RESCUE = ("Glucagon", "Dextrose 50%", "Glucose Gel", "Naloxone", "Influenza Vaccine", "Pneumococcal Vac")
"""Ordered for almost everyone, given to almost no one."""


@dataclass(frozen=True)
class Forms:
    """The forms a drug comes in: one row of `data/drug_forms.csv` each."""

    columns: dict[str, ArrowColumn]
    """Word list of each text column."""
    index: dict[str, AnyArray]
    """Where each form's word stands; −1 for NULL."""
    per_day: Floats
    """Doses in 24 hours; 0 if as needed or running."""
    amount: Floats
    """The dose as a number; NaN if it is none."""
    pieces: Ints
    """Tablets or vials that make a dose."""
    main_of: GroupedChoice
    other_main: Choice
    bases: Choice
    drip: Bools
    once: Bools
    needed: Bools
    """As needed."""
    flush: Bools
    sliding: Bools
    rescue: Bools
    intravenous: Bools
    by_mouth: Bools
    only_for: Ints
    """The diagnosis group that a drug is reserved for; −1 for the drugs anyone may get."""


_FOR: dict[str, tuple[str, ...]] = {
    "hiv": ("Truvada", "Raltegravir", "Darunavir", "RiTONAvir", "Ritonavir", "Efavirenz", "Abacavir", "LaMIVudine",
            "Lamivudine", "Dolutegravir", "Atazanavir", "Emtricitabine", "Tenofovir"),
    "end_stage_renal_disease": ("Prismasate", "CRRT", "Hemodialysis", "Sodium CITRATE", "Nephrocaps", "Cinacalcet",
                                "Calcium Acetate", "Citrate Dextrose", "Paricalcitol", "Lanthanum"),
    "subarachnoid_hemorrhage": ("NiMODipine", "Nimodipine"),
    "cirrhosis": ("Ursodiol", "Nadolol", "Neomycin"),
    "leukemia": ("Mycophenolate", "CycloSPORINE", "Methotrexate", "Cytarabine", "Filgrastim", "Hydroxyurea", "Imatinib",
                 "Rasburicase", "Daunorubicin", "Fludarabine", "Busulfan", "Decitabine", "Dasatinib", "Posaconazole"),
    "multiple_myeloma": ("Bortezomib", "Lenalidomide", "Melphalan", "Thalidomide"),
    "epilepsy_seizures": ("LaMOTrigine", "Lamotrigine", "Divalproex", "Valpro", "OXcarbazepine", "LACOSamide",
                          "Lacosamide", "CarBAMazepine", "Zonisamide"),
    "parkinson_disease": ("Carbidopa", "Ropinirole", "Pramipexole"),
    "dementia": ("Donepezil", "Memantine"),
    "schizophrenia": ("RISperidone", "Aripiprazole", "CloZAPine", "Clozapine", "Ziprasidone", "Lithium", "Benztropine"),
    "diabetes": ("Glimepiride", "GlyBURIDE", "Glyburide", "Pioglitazone", "Sitagliptin"),
    "hypothyroidism": ("Liothyronine",),
    "rheumatoid_arthritis": ("Hydroxychloroquine", "Leflunomide", "Sulfasalazine"),
    "heart_failure": ("Eplerenone", "Bumetanide"),
}  # fmt: skip
"""Drugs outside data/concepts that only one illness calls for, by how their names begin or what they contain."""

_TEXTS = ("drug_type", "drug", "formulary_drug_cd", "gsn", "ndc", "prod_strength", "form_rx", "dose_val_rx",
          "dose_unit_rx", "form_val_disp", "form_unit_disp", "route", "frequency", "proc_type", "disp_sched",
          "dispensation", "infusion_type", "sliding_scale", "medication")  # fmt: skip


def _reserved(drug: str) -> int:
    """The diagnosis group that a drug is reserved for, or −1."""
    for group, names in _FOR.items():
        if any(name in drug for name in names):
            return GROUP[group]
    return -1


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


@cache
def forms() -> Forms:
    """All forms."""
    data = rows("drug_forms")
    columns, index = {}, {}
    for name in _TEXTS:
        found = sorted({row[name] for row in data if row[name]})
        place = {word: i for i, word in enumerate(found)}
        columns[name] = words(found)
        index[name] = np.array([place.get(row[name], -1) for row in data], dtype=np.int16)
    mains: list[list[tuple[int, float]]] = [[] for _ in INGREDIENTS]
    loose, bases = [0.0] * len(data), [0.0] * len(data)
    for i, row in enumerate(data):
        weight = float(row["weight"])
        if row["drug_type"] == "MAIN" and row["ingredient"]:
            mains[INGREDIENT[row["ingredient"]]].append((i, weight))
        elif row["drug_type"] == "MAIN":
            loose[i] = weight
        else:
            bases[i] = weight if row["drug_type"] == "BASE" else 0.15 * weight
    frequency = [row["frequency"] for row in data]
    pieces = [_number(row["form_val_disp"]) for row in data]
    return Forms(
        columns=columns,
        index=index,
        per_day=np.array([_number(row["doses_per_24_hrs"] or "0") for row in data]),
        amount=np.array([_number(row["dose_val_rx"]) for row in data]),
        pieces=np.array([int(p) if p in (2, 3, 4) else 1 for p in pieces]),
        main_of=GroupedChoice(mains),
        other_main=Choice(loose),
        bases=Choice(bases),
        drip=np.array([row["route"] == "IV DRIP" for row in data]),
        once=np.array([text in ("ONCE", "X1", "ONCE MR1") for text in frequency]),
        needed=np.array([text.endswith("PRN") for text in frequency]),
        flush=np.array(["Flush" in row["drug"] for row in data]),
        sliding=np.array([row["ingredient"] == "insulin" and row["route"] == "SC" for row in data]),
        rescue=np.array([row["drug"].startswith(_RESCUE) for row in data]),
        intravenous=np.array([row["route"].startswith("IV") for row in data]),
        only_for=np.array([_reserved(row["drug"]) if not row["ingredient"] else -1 for row in data]),
        by_mouth=np.array([row["route"] in ("PO", "PO/NG", "NG", "ORAL") for row in data]),
    )


@dataclass(frozen=True)
class Orders:
    """Drug orders as arrays, by admission and time."""

    admission: Ints
    form: Ints
    ingredient: Ints
    """−1 for drugs outside data/concepts."""
    ordertime: Ints
    start: Ints
    stop: Ints
    pharmacy_id: Ints
    replaces: Ints
    """Row of the order that this one changes; −1 if it is new."""
    replaced_by: Ints

    def __len__(self) -> int:
        return len(self.admission)


def drug_orders(block: Block, rng: Draws) -> Orders:
    """The drug orders of a block's admissions."""
    adm = block.adm
    known = forms()
    n = len(adm.patient)
    pair_admission, pair_drug = np.nonzero(block.ordered)
    days = adm.hours[pair_admission] / 24
    adjusted = np.isin(pair_drug, [INGREDIENT[name] for name in _ADJUSTED])
    more = rng.exponential(len(pair_drug)) * np.where(adjusted, 0.42, 0.14) * np.minimum(days, 14)
    lines = 1 + np.minimum(np.floor(more), 14).astype(np.int64)
    pair, nth = within(lines)
    ingredient = pair_drug[pair]
    admission = pair_admission[pair]
    form = known.main_of.draw(rng, ingredient).astype(np.int64)
    other_count = np.floor(_OTHER_LINES * (0.4 + 0.6 * rng.exponential(n)) * np.clip(adm.hours / 80, 0.5, 2.5))
    other, _ = within(other_count.astype(np.int64))
    m = len(pair)
    other_form = known.other_main.draw(rng, len(other)).astype(np.int64)
    reserved = known.only_for[other_form]
    fits = (reserved < 0) | adm.has[other, np.maximum(reserved, 0)]
    other, other_form = other[fits], other_form[fits]
    admission = np.concatenate([admission, other])
    form = np.concatenate([form, other_form])
    ingredient = np.concatenate([ingredient, np.full(len(other), -1)])
    total = len(admission)
    stay = (adm.discharge - adm.admit)[admission].astype(np.float64)
    # Most drugs are ordered on admission; a change divides what is left of the stay.
    first = np.where(rng.chance(total, 0.62), 0.02 * rng.uniform(total), rng.uniform(total) * 0.8)
    share = np.zeros(total)
    share[:m] = nth / lines[pair]
    begin = np.where(
        share > 0,
        share + (1 - share) * 0.15 * rng.uniform(total),
        first * np.append(1 / lines[pair], np.ones(len(other))),
    )
    start = adm.admit[admission] + np.floor(begin * stay).astype(np.int64)
    start = np.minimum(start, adm.discharge[admission] - 30 * 60)
    until = np.where(rng.chance(total, 0.55), stay, rng.exponential(total) * 60 * HOUR)
    until = np.where(known.once[form], 24 * HOUR * rng.uniform(total), until)
    stop = np.minimum(start + np.maximum(until, HOUR).astype(np.int64), adm.discharge[admission])
    ordertime = start - 60 * rng.below(total, 45) - rng.below(total, 60)
    order = np.lexsort((np.arange(total), ordertime, admission))
    admission, form, ingredient = admission[order], form[order], ingredient[order]
    ordertime, start, stop = ordertime[order], start[order], stop[order]

    # The next line of the same drug changes the one before.
    replaces = np.full(total, -1, np.int64)
    replaced_by = np.full(total, -1, np.int64)
    known_drug = np.flatnonzero((ingredient >= 0) & ~known.once[form])
    by_drug = known_drug[np.lexsort((known_drug, ingredient[known_drug], admission[known_drug]))]
    same = (admission[by_drug[1:]] == admission[by_drug[:-1]]) & (ingredient[by_drug[1:]] == ingredient[by_drug[:-1]])
    changed = np.flatnonzero(same & rng.chance(len(same), 0.75))
    replaces[by_drug[changed + 1]] = by_drug[changed]
    replaced_by[by_drug[changed]] = by_drug[changed + 1]
    stop = np.where(replaced_by >= 0, np.clip(start[np.maximum(replaced_by, 0)], start + 1, stop), stop)
    return Orders(
        admission=admission,
        form=form,
        ingredient=ingredient,
        ordertime=ordertime,
        start=start,
        stop=np.maximum(stop, start + 60),
        pharmacy_id=in_block(block.block, np.arange(total), block.seed + 3),
        replaces=replaces,
        replaced_by=replaced_by,
    )


def on_the_hour(time: AnyArray) -> Ints:
    """Pharmacy times are kept to the hour."""
    return np.asarray(time // HOUR * HOUR)
