"""labevents: what the laboratory found in each sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import pyarrow as pa

from assets.synthetic import faults
from assets.synthetic.block import Block
from assets.synthetic.columns import ArrowColumn, moments, pick, real, table, whole, words
from assets.synthetic.draws import AnyArray, Bools, Choice, Draws, Floats, Ints, Singles, exp, exp32, spread
from assets.synthetic.identifiers import in_block, running
from assets.synthetic.lab_panels import ARRIVAL, PANEL, PANELS, SECOND, TUBES, tests
from assets.synthetic.provider import call_comments
from assets.synthetic.result_values import Values
from assets.synthetic.sampling import Samples, ordered, samples, states
from assets.synthetic.word_lists import ANALYTE, counted_words

_MASK = "___"
_LN10 = 2.302585
_CAPACITY = 1_500_000
_SPELLINGS = {"mEq/L": "meq/L", "mg/dL": "MG/DL", "K/uL": "k/uL", "g/dL": "g/dl", "IU/L": "iu/L"}
_FASTING = "IF FASTING, 70-100 NORMAL, >125 PROVISIONAL DIABETES."
_TROPONIN_LOW = "<0.01.  CTROPNT > 0.10 NG/ML SUGGESTS ACUTE MI."
_TROPONIN = "CTROPNT > 0.10 NG/ML SUGGESTS ACUTE MI."
_CEILING = ">150."
_GLUCOSE, _TROPONIN_T, _PTT, _MCHC, _INR = 50931, 51003, 51275, 51249, 51237
_REMARKS = ("NORMAL.", "OCCASIONAL.", "1+.", "2+.", "RARE.", "HIGH.", "VERY LOW*.")
_UNREPORTED = ("UNABLE TO REPORT.", "UNABLE TO REPORT, SPECIMEN CLOTTED.")
"""What stands beside a result that is neither a value nor a number; where it is masked, `___`."""
_VENOUS = 0.3
"""Share of blood gases that are not arterial."""


@dataclass(frozen=True)
class Results:
    """The rows of labevents, before they become columns."""

    sample: Ints
    test: Ints
    place: Ints
    """Where the value stands in `lab_values()`."""
    specimen: Ints
    storetime: Ints


@cache
def lab_values() -> Values:
    """Every value the laboratory can print."""
    return Values([*tests().texts, _MASK])


@cache
def _lengths() -> tuple[Ints, Ints, Ints, Ints]:
    """Length and start of each panel's tests in one list, the list, and each panel's tube; single tests follow."""
    known = tests()
    groups = [[known.place[item] for item in panel.items] for panel in PANELS]
    groups += [[test] for test in range(len(known.itemid))]
    lengths = np.array([len(group) for group in groups])
    tubes = np.concatenate([np.array([panel.tube for panel in PANELS]), known.tube])
    return lengths, np.cumsum(lengths) - lengths, np.array([test for group in groups for test in group]), tubes


def results(block: Block, rng: Draws) -> tuple[Samples, Results]:
    """Everything the laboratory reports on a block's patients."""
    known = tests()
    drawn = samples(block, rng)
    z = states(block, drawn)
    sample, panel = ordered(block, drawn, rng)
    lengths, starts, listed, tubes = _lengths()
    pair, position = spread(lengths[panel], starts[panel])
    test = listed.astype(np.int32)[position]
    row_sample = sample.astype(np.int32)[pair]
    n = len(test)
    # One look-up per row: the analyte's state at this sample, and a little noise of the single result.
    state = z.ravel()[(known.analyte * len(drawn)).astype(np.int32)[test] + row_sample]
    change = known.weight.astype(np.float32)[test] * state + known.spread.astype(np.float32)[test] * rng.normal(n)
    value = known.norm.astype(np.float32)[test] * exp32(change)
    begin = np.cumsum(lengths[panel]) - lengths[panel]
    _reckoned(value, z, drawn, sample, panel, begin, rng)
    place = lab_values().of(value, known.decimals[test])
    textual = (rng.bits16(n) < known.share_text[test] * 65536) & known.has_text[test]
    worded = np.flatnonzero(textual)
    place[worded] = lab_values().text[known.texts[0]] + known.text_of.draw(rng, test[worded])
    again = np.concatenate([[False], (sample[1:] == sample[:-1]) & (panel[1:] == panel[:-1])]) & (panel < len(PANELS))
    pair_specimen = in_block(block.block, sample * TUBES + np.where(again, SECOND, tubes[panel]), block.seed)
    specimen = pair_specimen.astype(np.int32)[pair]
    minutes = 18 + np.floor(rng.exponential(len(drawn)) * 55).astype(np.int64)
    lag = np.maximum(minutes[sample] + np.array([9, 0, 22, -12, 15, 60, 200])[tubes[panel]], 1)
    store = (drawn.time[sample] + 60 * lag)[pair]
    return drawn, Results(row_sample, test, place, specimen, store)


def _reckoned(value: Floats, z: Singles, drawn: Samples, sample: Ints, panel: Ints, begin: Ints, rng: Draws) -> None:
    """Values that follow from others of the same sample."""

    def rows_of(name: str) -> tuple[Ints, Ints]:
        pairs = np.flatnonzero(panel == PANEL[name])
        return begin[pairs], sample[pairs]

    def state(name: str, of: Ints) -> Floats:
        return np.asarray(z[ANALYTE[name], of], dtype=np.float64)

    b, _ = rows_of("blood count")
    hematocrit, hemoglobin, mch, mchc, mcv, _platelets, _rdw, red, _white = (b + i for i in range(9))
    value[hemoglobin] = np.clip(value[hemoglobin], 3.2, 19.5)
    value[hematocrit] = np.round(value[hemoglobin], 1) * 100 / value[mchc]
    value[red] = value[hematocrit] * 10 / value[mcv]
    value[mch] = value[hemoglobin] * 10 / value[red]
    m, _ = rows_of("metabolic panel")
    gap, bicarb, chloride, _creatinine, _glucose, potassium, sodium, _urea = (m + i for i in range(8))
    value[potassium] = np.clip(value[potassium], 2.0, 8.6)
    # This laboratory counts potassium in, as the demo's values show.
    value[gap] = value[sodium] + value[potassium] - value[chloride] - value[bicarb]
    low = value[gap] < 4
    value[chloride] = np.where(low, value[chloride] - (4 - value[gap]), value[chloride])
    value[gap] = np.maximum(value[gap], 4)
    c, _ = rows_of("coagulation")
    value[c] = np.clip(value[c], 0.8, 12)
    value[c + 1] = value[c] * 11.3
    value[c + 2] = np.minimum(value[c + 2], 150)

    g, where = rows_of("blood gas")
    carbonate = state("bicarb", where)
    pressure = state("pco2", where) + 0.35 * np.minimum(carbonate, 0)
    venous = rng.chance(len(g), _VENOUS)
    pco2 = np.clip(40 * exp(pressure) + 5.5 * venous, 14, 125)
    base, total, carbon, acid, oxygen, kind = (g + i for i in range(6))
    value[carbon] = np.rint(pco2)
    value[acid] = np.clip(
        7.41 + 0.85 * (carbonate - pressure) / _LN10 - 0.03 * venous + 0.012 * rng.normal(len(g)), 6.75, 7.68
    )
    protons = 40 * exp(-_LN10 * (value[acid] - 7.4))
    hco3 = 24 * value[carbon] / protons
    value[total] = hco3 + 0.03 * value[carbon]
    value[base] = 0.93 * (hco3 - 24.4 + 14.8 * (value[acid] - 7.4))
    value[oxygen] = np.where(venous, 34 + 9 * rng.uniform(len(g)), _arterial(z, where))
    value[kind] = 0
    o, where = rows_of("oximetry")
    saturation = 100 - 100 / (1 + (np.maximum(_arterial(z, where), 30) / 27) ** 3)
    value[o + 2] = np.clip(np.rint(saturation), 40, 100)
    v, where = rows_of("ventilator notes")
    value[v] = np.clip(np.rint(value[v] / 5) * 5, 30, 100)
    value[v + 1] = np.clip(np.rint(value[v + 1]), 5, 20)
    value[v + 2] = np.clip(value[v + 2], 34.0, 40.6)
    _stepped(value, *rows_of("urinalysis"))
    a, _ = rows_of("lactate")
    value[a] = np.clip(value[a], 0.4, 22)
    d, _ = rows_of("differential")
    basophils, eosinophils, lymphocytes, monocytes, neutrophils = (d + i for i in range(5))
    value[lymphocytes] = np.clip(value[lymphocytes], 0.5, 88)
    value[eosinophils] = np.clip(value[eosinophils], 0, 25)
    value[neutrophils] = np.maximum(
        100 - value[basophils] - value[eosinophils] - value[lymphocytes] - value[monocytes], 1
    )
    _absolute(value, z, panel, begin, sample)


_STEPS = {
    2: (100, 250, 500, 1000),
    3: (10, 40, 80, 150),
    6: (5, 5.5, 6, 6.5, 7, 8),
    7: (30, 100, 300),
    11: (0.2, 2, 4, 8),
}
"""Urine sticks know only so many values: glucose, ketones, pH, protein, urobilinogen, by place in the panel."""


def _stepped(value: Floats, begin: Ints, _sample: Ints) -> None:
    for offset, steps in _STEPS.items():
        edges = [(low + high) / 2 for low, high in pairwise(steps)]
        value[begin + offset] = np.array(steps)[np.searchsorted(edges, value[begin + offset])]


def _absolute(value: Floats, z: Singles, panel: Ints, begin: Ints, sample: Ints) -> None:
    """Absolute counts: per cent of the white cells; the differential is the panel before, of the same sample."""
    pairs = np.flatnonzero(panel == PANEL["absolute counts"])
    differential = begin[pairs - 1]
    white = 7.5 * exp(z[ANALYTE["wbc"], sample[pairs]])
    for offset, source in enumerate((4, 2, 1, 0, 3)):
        value[begin[pairs] + offset] = value[differential + source] * white / 100


def _arterial(z: Singles, where: Ints) -> Floats:
    """PaO2 in mm Hg: the lung's PaO2/FiO2 times the oxygen given for it."""
    lung = z[ANALYTE["po2"], where].astype(np.float64)
    given = np.clip(0.40 * exp(0.8 * z[ANALYTE["fio2"], where].astype(np.float64)), 0.21, 1.0)
    wheezing = lung < -0.08
    return np.asarray(np.clip(np.where(wheezing, 430 * exp(2.0 * lung) * given, 96 * exp(lung)), 38, 480))


@cache
def _comments() -> tuple[ArrowColumn, dict[str, int], Choice]:
    """Comments as a word list, some of them by name, and a choice among those that fit any test."""
    special = [_FASTING, _TROPONIN_LOW, _TROPONIN, _CEILING, *_UNREPORTED, *_REMARKS]
    general = [
        (text, float(n)) for text, n in counted_words()["lab_comment"] if text not in special and _fits_any(text)
    ]
    calls = call_comments()
    texts = [*special, *(text for text, _ in general), *calls]
    weights = [0.0] * len(special) + [n for _, n in general] + [1.5] * len(calls)
    return words(texts), {text: texts.index(text) for text in (*special, _MASK)}, Choice(weights)


def _fits_any(text: str) -> bool:
    return text == _MASK or text.startswith(
        ("VERIFIED", "HOLD", "NO CALLS", "PROVIDER", "New reference", "UNABLE", "Hemolysis")
    )


def labevents(block: Block, rng: Draws, drawn: Samples, found: Results) -> pa.Table:
    """The table labevents."""
    known = tests()
    values = lab_values()
    test, place, row = found.test, found.place, found.sample
    n = len(test)
    number = values.number(place)
    itemid = known.itemid.astype(np.int32)[test]
    u, v = rng.bits16(n), rng.bits16(n)
    small = np.int16

    def few(share: float, bits: AnyArray = u, begin: float = 0.0) -> Bools:
        """A share of the rows; shares that begin apart do not overlap."""
        low, high = int(begin * 65536), int((begin + share) * 65536)
        return np.asarray(((bits >= low) & (bits < high)) if low else bits < high)

    comment_words, special, general = _comments()
    comment = np.where(few(0.05, v), general.draw(rng, n), -1).astype(small)
    comment = np.where((itemid == _GLUCOSE) & few(0.8, v), special[_FASTING], comment)
    undetectable = (itemid == _TROPONIN_T) & (number < 0.01)
    comment = np.where(
        itemid == _TROPONIN_T, np.where(undetectable, special[_TROPONIN_LOW], special[_TROPONIN]), comment
    )
    ceiling = (itemid == _PTT) & (number >= 150)
    comment = np.where(ceiling, special[_CEILING], comment)
    remarked = known.comment_only[test]
    comment = np.where(remarked, special[_REMARKS[0]] + (v & 7).astype(np.int64) % len(_REMARKS), comment)
    absent = few(faults.LAB_VALUE_ABSENT) & (itemid != _TROPONIN_T) & ~remarked
    # Of the demo's 139 results with neither value nor number nor a telling comment, 40 have a masked one.
    unreported = np.array([*(special[text] for text in _UNREPORTED), special[_MASK]], small)
    comment = np.where(absent, unreported[np.searchsorted([10, 11], v % 16, side="right")], comment)
    masked = few(faults.LAB_VALUE_MASKED, u, 0.1) | ceiling
    unknown = absent | undetectable | remarked
    shown = np.where(masked, values.text[_MASK], place)
    numberless = unknown | (masked & few(0.02, v, 0.5))

    impossible = (rng.bits32(n) < int(faults.LAB_IMPOSSIBLE * 2**32)) & ~np.isnan(number)
    # Drawn above a running glucose infusion: sugar beyond belief, everything else diluted.
    diluted = np.where(itemid == _GLUCOSE, number * 9, number * 0.55)
    place = np.where(impossible, values.of(np.nan_to_num(diluted), known.decimals[test]), place)
    shown = np.where(impossible & ~masked, place, shown)
    number = values.number(place)

    unit_words = [*known.units, *_SPELLINGS.values()]
    other = np.array(
        [unit_words.index(_SPELLINGS[unit]) if unit in _SPELLINGS else i for i, unit in enumerate(known.units)]
    )
    unit = known.unit.astype(small)[test]
    respelt = few(faults.LAB_UNIT_SPELLING, v, 0.6) & (unit >= 0)
    unit = np.where(respelt, other.astype(small)[unit], unit)
    # MCHC was reported in per cent until the analysers were changed.
    old = block.who.real_year[drawn.patient][row] < 2014
    unit = np.where((itemid == _MCHC) & old, unit_words.index("%"), unit)
    unit = np.where(few(faults.LAB_UNIT_LOST, v, 0.7) & (itemid != _INR), -1, unit)
    outside = (number < known.low[test]) | (number > known.high[test])
    abnormal = outside & ~unknown

    hadm = np.concatenate([block.adm.hadm_id, [0]])[drawn.admission]
    early = drawn.setting == ARRIVAL
    lost = rng.chance(len(drawn), np.where(early, faults.LAB_HADM_ED, faults.LAB_HADM_LOST))
    if len(block.adm.patient):
        before = drawn.time < block.adm.admit[np.maximum(drawn.admission, 0)]
        lost &= before | ~early | rng.chance(len(drawn), 0.1)
    hadm = np.where(lost, 0, hadm).astype(np.int32)[row]
    provider = rng.below(len(drawn), block.providers).astype(np.int32)[row]
    emergency = np.array([0.8, 0.45, 0.75, 0.6, 0.8, 0.12, 0.85])[drawn.setting]
    stat = rng.chance(len(drawn), emergency)[row]
    priority = np.where(few(0.087, v, 0.8), -1, stat.astype(np.int8))
    return table(
        "labevents",
        {
            "labevent_id": whole(running(block.block, np.arange(n), _CAPACITY)),
            "subject_id": whole(block.who.subject_id[drawn.patient].astype(np.int32)[row]),
            "hadm_id": whole(hadm, hadm == 0),
            "specimen_id": whole(found.specimen),
            "itemid": whole(itemid),
            "order_provider_id": pick(provider, block.provider_ids, ~few(faults.LAB_PROVIDER, v, 0.1)),
            "charttime": moments(drawn.time[row]),
            "storetime": moments(found.storetime, few(faults.LAB_STORETIME_ABSENT, v, 0.45)),
            "value": values.texts(shown, unknown),
            "valuenum": values.doubles(place, numberless),
            "valueuom": pick(unit, words(unit_words)),
            "ref_range_lower": real(known.low[test], np.isnan(known.low)[test]),
            "ref_range_upper": real(known.high[test], np.isnan(known.high)[test]),
            "flag": pick(np.where(abnormal, 0, -1), words(["abnormal"])),
            "priority": pick(priority, words(["ROUTINE", "STAT"])),
            "comments": pick(comment, comment_words),
        },
    )
