"""emar and emar_detail: each time a nurse stood at the bedside with a drug, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from assets.synthetic import faults
from assets.synthetic.admissions import HOUR
from assets.synthetic.block import Block
from assets.synthetic.columns import ArrowColumn, moments, numbered, pick, table, whole, words
from assets.synthetic.draws import AnyArray, Choice, Draws, Ints, spread, within
from assets.synthetic.entry import Entries
from assets.synthetic.orders import Orders, forms
from assets.synthetic.provider import infusion_sites
from assets.synthetic.word_lists import INGREDIENT

_EVENTS = (
    "Administered", "Delayed Administered", "Partial Administered", "Administered in Other Location", "Not Given",
    "Hold Dose", "Flushed", "Not Flushed", "Not Given per Sliding Scale", "Started", "Rate Change", "Stopped",
    "Infusion Reconciliation", "Confirmed", "Assessed", "Stopped - Unscheduled", "Restarted", "Applied", "Removed",
    "Administered Bolus from IV Drip", " in Other Location",
)  # fmt: skip
_GIVEN = 4
"""The first so many events say that the drug was given."""
_DOSE = Choice([88, 0.9, 0.15, 0.3, 7.5, 1.1, 0, 0, 0, 0, 0, 0, 0, 1.6, 0.2, 0, 0, 0, 0, 0, 0.2])
_FLUSH = Choice([0, 0, 0, 0, 0, 0, 71, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5])
_SLIDING = Choice([64, 0.5, 0, 0, 4, 0.5, 0, 0, 30, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0])
_DRIP = Choice([18, 0, 0, 0, 3, 1, 0, 0, 0, 0, 10, 0, 14, 30, 6, 5, 5, 0, 0, 8, 0])
_MOST_DOSES = 70


@dataclass(frozen=True)
class Doses:
    """The rows of emar, before they become columns."""

    order: Ints
    scheduled: Ints
    charted: Ints
    event: Ints
    sequence: Ints


def doses(block: Block, rng: Draws, drugs: Orders) -> Doses:
    """Every planned or spontaneous administration in the admissions that the electronic chart covers."""
    adm = block.adm
    known = forms()
    form = drugs.form
    n = len(drugs)
    span = (drugs.stop - drugs.start) / HOUR
    rate = np.where(known.per_day[form] > 0, known.per_day[form], np.where(known.drip[form], 5.0, 1.1))
    rate = np.where(known.needed[form], np.minimum(rate, 6) * 0.42 * np.minimum(rng.exponential(n), 3), rate)
    rate = np.where(known.rescue[form], 0.01, rate)
    rate = np.where(known.sliding[form], 4.0, rate)
    many = np.floor(span / 24 * rate + rng.uniform(n))
    single = known.once[form] | ((drugs.ingredient < 0) & (known.per_day[form] == 0) & ~known.drip[form])
    count = np.where(single, rng.chance(n, np.where(known.rescue[form], 0.03, 0.75)), np.minimum(many, _MOST_DOSES))
    count = np.where(adm.charted[drugs.admission], count, 0).astype(np.int64)
    order, nth = within(count)
    m = len(order)
    step = np.where(single, 0, (drugs.stop - drugs.start) / np.maximum(count, 1))[order]
    planned = known.per_day[form][order] > 0
    jitter = np.where(planned, 0.0, rng.uniform(m)) * step
    scheduled = drugs.start[order] + np.floor(nth * step + jitter + 0.1 * step).astype(np.int64)
    scheduled = np.where(planned, np.rint(scheduled / HOUR).astype(np.int64) * HOUR, scheduled // 60 * 60)
    late = np.floor((rng.exponential(m) * 22 - 12) * 60).astype(np.int64) // 60 * 60
    charted = scheduled + np.where(planned, late, 0)
    charted = np.clip(charted, drugs.start[order] // 60 * 60, adm.discharge[drugs.admission[order]])
    bits = rng.bits16(m)
    event = _DOSE.of(bits)
    kind = form[order]
    event = np.where(known.flush[kind], _FLUSH.of(bits), event)
    event = np.where(known.sliding[kind], _SLIDING.of(bits), event)
    event = np.where(known.drip[kind], _DRIP.of(bits), event)
    first, last = nth == 0, nth == count[order] - 1
    event = np.where(known.drip[kind] & first, _EVENTS.index("Started"), event)
    event = np.where(known.drip[kind] & last & ~first, _EVENTS.index("Stopped"), event)
    # Two drugs at one minute are two rows; one drug is never charted twice at once.
    by = np.lexsort((order, charted, adm.patient[drugs.admission[order]]))
    patient = adm.patient[drugs.admission[order[by]]]
    _, sequence = within(np.bincount(patient, minlength=len(block.who.number)))
    return Doses(order[by], scheduled[by], charted[by], event[by].astype(np.int64), sequence + 5)


def emar(block: Block, rng: Draws, drugs: Orders, done: Entries, given: Doses) -> pa.Table:
    """emar: one row per event at the bedside."""
    known = forms()
    n = len(given.order)
    subject = block.subject(drugs.admission[given.order])
    form = drugs.form[given.order]
    u = rng.bits16(n)
    return table(
        "emar",
        {
            "subject_id": whole(subject),
            "hadm_id": whole(block.adm.hadm_id[drugs.admission[given.order]], u < 65536 * 0.004),
            "emar_id": numbered(subject, given.sequence),
            "emar_seq": whole(given.sequence),
            "poe_id": numbered(subject, done.sequence[done.drug_rows][given.order]),
            "pharmacy_id": whole(drugs.pharmacy_id[given.order], u > 65536 * 0.93),
            "enter_provider_id": pick(rng.below(n, block.providers), block.provider_ids, rng.bits16(n) > 2600),
            "charttime": moments(given.charted),
            "medication": pick(
                known.index["medication"][form], known.columns["medication"],
                (u > 3000) & (u < 3000 + 65536 * faults.EMAR_MEDICATION_ABSENT),
            ),
            "event_txt": pick(given.event, words(_EVENTS), (u > 9000) & (u < 9570)),
            "scheduletime": moments(given.scheduled),
            "storetime": moments(given.charted + rng.below(n, 900)),
        },
    )  # fmt: skip


_ADMINISTRATION = (
    "Standard Maintenance Medication", "IV Flush", "IV Infusion", "Insulin SC Sliding Scale", "Insulin SC Fixed Dose",
    "Heparin IV Infusion", "Transdermal Patch", "IV Piggyback",
)  # fmt: skip
_REASONS = ("Discarded Packaging", "Barcode Damaged", "Hardware issue: scanner", "Given in O.R. Holding")
_CHILDREN = ("1.1", "1.2", "1.3", "1.4")


def emar_detail(block: Block, rng: Draws, drugs: Orders, given: Doses) -> pa.Table:
    """emar_detail: a row for the dose that was due, and one for each product that was scanned."""
    known = forms()
    n = len(given.order)
    form = drugs.form[given.order]
    flushed = given.event == _EVENTS.index("Flushed")
    gave = (given.event < _GIVEN) | flushed | (given.event == _EVENTS.index("Started"))
    pieces = np.where(gave, known.pieces[form], rng.chance(n, 0.35))
    row, place = spread(1 + pieces, np.zeros(n, np.int64))
    # Now and then the interface sends a row twice.
    times = 1 + rng.chance(len(row), faults.EMAR_DETAIL_REPEATED)
    row, place = np.repeat(row, times), np.repeat(place.astype(np.int16), times)
    m = len(row)
    parent = place == 0
    kind = form.astype(np.int32)[row]
    subject = block.subject(drugs.admission[given.order]).astype(np.int32)
    sequence = given.sequence.astype(np.int32)
    heparin_drip = (drugs.ingredient[given.order] == INGREDIENT["heparin"]) & known.drip[form]
    patch = known.index["route"][form] == _place(known.columns["route"], "TD")
    administration = np.where(
        flushed | known.flush[form], 1,
        np.where(heparin_drip, 5, np.where(known.drip[form], 2, np.where(known.sliding[form], 3, 6 * patch))),
    )  # fmt: skip
    # Sliding scales and drips have no fixed dose: what is given is decided at the bedside.
    units = 2 * (1 + rng.below(n, 6))
    dose_words = known.columns["dose_val_rx"].to_pylist()
    texts = [*dose_words, *(str(number) for number in range(2, 13, 2)), "___"]
    due = np.where(known.sliding[form], len(dose_words) + units // 2 - 1, known.index["dose_val_rx"][form])
    single, split = _split_doses()
    part_texts = [*texts, *split]
    part = np.where(known.sliding[form], due, np.where(known.pieces[form] > 1, len(texts) + single[form], due))
    masked = rng.bits16(m) < 65536 * 0.0025
    dose_given = np.where(masked, len(texts) - 1, part.astype(np.int16)[row])
    unit_words = known.columns["dose_unit_rx"].to_pylist()
    unit = known.index["dose_unit_rx"][kind]
    to_units = np.array([len(unit_words) if word == "UNIT" else i for i, word in enumerate(unit_words)])
    due_unit = np.where((unit >= 0) & (rng.bits16(m) < 40000), to_units[np.maximum(unit, 0)], unit)
    product = known.index["drug"][kind]
    infusing = known.drip[kind] & parent
    rates = rng.below(m, 8)
    u = rng.bits16(m).astype(np.int32)
    barcode = np.where(known.intravenous[kind] & known.drip[kind], 1, 0)
    administered = np.array(given.event < _GIVEN)[row]
    return table(
        "emar_detail",
        {
            "subject_id": whole(subject[row]),
            "emar_id": numbered(subject, sequence).take(row),
            "emar_seq": whole(sequence[row]),
            "parent_field_ordinal": pick(place - 1, words(_CHILDREN)),
            "administration_type": pick(
                np.where(parent, administration.astype(np.int16)[row], -1), words(_ADMINISTRATION)
            ),
            "pharmacy_id": whole(drugs.pharmacy_id[given.order].astype(np.int32)[row], parent | (u < 9000)),
            "barcode_type": pick(np.where(parent, -1, barcode), words(["if", "iv"])),
            "reason_for_no_barcode": pick(np.where(parent & (u < 2500), u % len(_REASONS), -1), words(_REASONS)),
            "complete_dose_not_given": pick(
                np.where(parent & administered & (u > 26000), u > 65300, -1), words(["No", "Yes"])
            ),
            "dose_due": pick(np.where(parent, due.astype(np.int16)[row], -1), words(texts)),
            "dose_due_unit": pick(np.where(parent, due_unit, -1), words([*unit_words, "Units"])),
            "dose_given": pick(np.where(parent, -1, dose_given), words(part_texts)),
            "dose_given_unit": pick(np.where(parent, -1, unit), known.columns["dose_unit_rx"]),
            "will_remainder_of_dose_be_given": pick(
                np.where(parent & administered & (u > 30000), u > 64900, -1), words(["No", "Yes"])
            ),
            "product_amount_given": pick(
                np.where(parent, -1, np.where(known.pieces[kind] > 1, 0, 1 + known.index["form_val_disp"][kind])),
                words(["1", *known.columns["form_val_disp"].to_pylist()]),
            ),
            "product_unit": pick(
                np.where(parent, -1, known.index["form_unit_disp"][kind]), known.columns["form_unit_disp"]
            ),
            "product_code": pick(
                np.where(parent, -1, known.index["formulary_drug_cd"][kind]), known.columns["formulary_drug_cd"]
            ),
            "product_description": pick(np.where(parent, -1, product), known.columns["drug"]),
            "prior_infusion_rate": pick(np.where(infusing & (u > 30000), rates, -1), words(_RATES)),
            "infusion_rate": pick(np.where(infusing & (u > 24000), rates, -1), words(_RATES)),
            "infusion_rate_adjustment": pick(
                np.where(infusing & (u > 8000), u % len(_ADJUSTMENTS), -1), words(_ADJUSTMENTS)
            ),
            "infusion_rate_unit": pick(np.where(infusing & (u > 12000), u % 4, -1), words(_RATE_UNITS)),
            "route": pick(np.where(parent & known.by_mouth[kind] & (u < 52000), u % 43 == 0, -1), words(["PO", "NG"])),
            "infusion_complete": pick(np.where(infusing & (u > 56000), u % 3 == 0, -1), words(["Y", "N"])),
            "new_iv_bag_hung": pick(np.where(infusing & (u < 15000), 0, -1), words(["Y"])),
            "side": pick(np.where(parent & patch[row] & (u > 20000), u % 3, -1), words(["Right", "Left", "Center"])),
            "site": pick(
                np.where(parent & patch[row] & (u > 20000), u % len(infusion_sites()), -1), words(infusion_sites())
            ),
            "non_formulary_visual_verification": pick(np.where(parent & (u % 331 == 0), 0, -1), words(["Y"])),
        },
    )


_RATES = ("100", "75", "50", "10", "20", "200", "125", "150")
_ADJUSTMENTS = (
    "No Change in Rate",
    "See Flowsheet for Titration",
    "Initial Rate",
    "Rate Changed",
    "Increase",
    "Decrease",
)
_RATE_UNITS = ("mL/hr", "mcg/kg/min", "units/hr", "mcg/hr")


def _place(array: ArrowColumn, word: str) -> int:
    return int(array.to_pylist().index(word))


def _split_doses() -> tuple[AnyArray, list[str]]:
    """For a dose made of several pieces, what one piece holds: as a place in a list of texts."""
    known = forms()
    texts: list[str] = []
    place = np.zeros(len(known.amount), np.int64)
    for i, (amount, pieces) in enumerate(zip(known.amount.tolist(), known.pieces.tolist(), strict=True)):
        if pieces > 1 and amount == amount:
            text = f"{amount / pieces:g}"
            if text not in texts:
                texts.append(text)
            place[i] = texts.index(text)
    return place, texts or ["1"]
