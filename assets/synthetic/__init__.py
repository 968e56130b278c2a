"""The synthetic hospital: all 31 tables of MIMIC-IV, generated from a seed at any size.

Plain library code; the Dagster assets and `robustgym synth` call `write_hospital`. docs/synthetic_hospital.md says how
it is made and what it is not good for.
"""

from __future__ import annotations

from assets.synthetic.hospital import VERSION, Hospital, tables
from assets.synthetic.identifiers import MOST_PATIENTS
from assets.synthetic.write import write_hospital

__all__ = ["MOST_PATIENTS", "VERSION", "Hospital", "tables", "write_hospital"]
