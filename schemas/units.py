"""Units as MIMIC-IV writes them: which spellings mean the same.

Laboratory, ward and pharmacy each spell units their own way, and the same table has `gm` beside `g` and `mL` beside
`ml` (demo: 682 and 820 orders). Only spellings are treated as equal here; two units that need a factor are different.
"""

from __future__ import annotations

SPELLINGS: tuple[tuple[str, ...], ...] = (
    ("mg/dL", "mg/dl", "MG/DL"),
    ("g/dL", "g/dl", "gm/dL"),
    ("ug/dL", "mcg/dL", "ug/dl"),
    ("ng/mL", "ng/ml"),
    ("pg/mL", "pg/ml"),
    ("ug/mL", "ug/ml", "mcg/mL"),
    ("mg/L", "mg/l"),
    ("mmol/L", "mmol/l"),
    ("mEq/L", "meq/L", "MEQ/L"),
    ("IU/L", "iu/L"),
    ("uIU/mL", "uIU/ml"),
    ("K/uL", "k/uL", "K/ul"),
    ("m/uL", "m/ul", "M/uL"),
    ("mOsm/kg", "mosm/kg", "mOsm/Kg"),
    ("mm Hg", "mmHg", "mm hg"),
    ("sec", "SEC"),
    ("fL", "fl"),
    ("g", "gm"),
    ("mg", "MG"),
    ("mcg", "ug"),
    ("mL", "ml", "ML"),
    ("mL/hour", "ml/hour", "mL/hr"),
    ("L/min", "l/min"),
    ("cmH2O", "cm H2O"),
    ("units", "UNIT", "unit"),
    ("°C", "Deg. C", "C"),
    ("°F", "Deg. F", "F"),
    ("kg", "Kg", "KG"),
    ("lb", "lbs", "Lbs"),
    ("inch", "Inch", "in", "Inches"),
)
"""One unit a line, its usual spelling first."""

UNDERIVABLE: dict[str, tuple[str, ...]] = {
    "mg/dL": ("mg", "IU/L"),
    "g/dL": ("g", "IU/L"),
    "ug/dL": ("mg", "IU/L"),
    "ng/mL": ("IU/L", "mIU/mL"),
    "pg/mL": ("IU/L", "mIU/mL"),
    "ug/mL": ("mg", "IU/L"),
    "uIU/mL": ("ng/mL", "pg/mL"),
    "IU/L": ("ng/mL", "mg/dL"),
    "mg/L": ("mg", "IU/L"),
    "mmol/L": ("mmol",),
    "mEq/L": ("mEq",),
    "K/uL": ("%",),
    "m/uL": ("g/dL", "%"),
    "fL": ("g/dL",),
    "pg": ("fL",),
    "sec": ("%",),
    "mg": ("units",),
    "mcg": ("units",),
    "g": ("units",),
    "UNIT": ("mg", "mcg"),
    "mL": ("g", "kcal"),
    "mcg/kg/min": ("mL/hour",),
    "mcg/kg/hour": ("mL/hour",),
    "mcg/min": ("mL/hour",),
    "mg/hour": ("mL/hour",),
    "units/hour": ("mL/hour",),
}
"""Units to which a value in another cannot be converted without something that no record holds.

An amount needs the volume it is in, a rate in millilitres the strength of the bag, an activity (IU, units) the potency
of the preparation (BIPM, The International System of Units, 9th edition, 2.3.2), a prothrombin time in percent the
laboratory's calibration curve. Doses are never asked for in tablets or millilitres: `prescriptions.form_val_disp` has
them.
"""

_SAME: dict[str, tuple[str, ...]] = {spelling: line for line in SPELLINGS for spelling in line}


def spellings(unit: str) -> tuple[str, ...]:
    """Every spelling of a unit, the given one first; a unit not listed has only its own.

    >>> spellings("gm"), spellings("furlong")
    (('gm', 'g'), ('furlong',))
    """
    return (unit, *(other for other in _SAME.get(unit, ()) if other != unit))


def same(one: str | None, other: str | None) -> bool:
    """Whether two spellings mean the same unit. A missing unit is the same as nothing, not even as another missing one.

    >>> same("mmHg", "mm Hg"), same("mg/dL", "mmol/L"), same(None, None)
    (True, False, False)
    """
    return one is not None and other is not None and other in spellings(one)
