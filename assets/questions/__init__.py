"""The grammar of questions: templates, what fills them, and the question each becomes.

    patient question     =          unit × window × kind × [condition] × selector
    population question  = cohort × unit × window × kind × [condition] × selector × aggregator

Adding a window, a selector, a cohort or an aggregator is one file in its folder; docs/questions.md shows how.
"""

from assets.questions.answers import gold_of
from assets.questions.asking import all_records_sql, ask, every_unit_sql, over_records, records_sql
from assets.questions.catalogue import catalogue
from assets.questions.describing import describe, template_named
from assets.questions.lint import lint
from assets.questions.sampling import fillings
from assets.questions.standing import bearers_sql, can_stand, standing_sql, window_sql
from assets.questions.template import Template

__all__ = [
    "Template",
    "all_records_sql",
    "ask",
    "bearers_sql",
    "can_stand",
    "catalogue",
    "describe",
    "every_unit_sql",
    "fillings",
    "gold_of",
    "lint",
    "over_records",
    "records_sql",
    "standing_sql",
    "template_named",
    "window_sql",
]
