"""Faker's provider for a hospital: identifiers and wording, drawn once into small pools and indexed by number.

Faker is far too slow to be asked for every event; a pool of some tens of thousands costs a fraction of a second.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from faker import Faker
from faker.providers import BaseProvider

from assets.synthetic.columns import ArrowColumn, words
from assets.synthetic.draws import Ints

MOST_CAREGIVERS = 15_468
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


class HospitalProvider(BaseProvider):
    """Words of a hospital information system.

    >>> fake = Faker()
    >>> fake.add_provider(HospitalProvider)
    >>> fake.seed_instance(1)
    >>> len(fake.provider_id()), fake.provider_id()[0]
    (6, 'P')
    """

    def provider_id(self) -> str:
        """A de-identified provider: P, two digits, three letters or digits."""
        number = self.generator.random.randrange(100 * 36**3)
        tail = "".join(_LETTERS[number // 36**k % 36] for k in range(3))
        return f"P{number // 36**3:02d}{tail}"

    def call_comment(self) -> str:
        """What the laboratory writes when it rings the ward; names and places are masked as in MIMIC-IV."""
        hour, minute = self.random_int(0, 23), self.random_int(0, 59)
        return self.random_element(
            (
                f"NOTIFIED DR. ___ AT {hour:02d}:{minute:02d}.",
                f"REPORTED TO ___ AT {hour}:{minute:02d}{'AM' if hour < 12 else 'PM'} ON ___.",
                f"CALLED TO ___ ___ AT {hour:02d}{minute:02d}.",
                f"VERIFIED. PROVIDER NOTIFIED AT {hour:02d}:{minute:02d} PER CURRENT LAB POLICY.",
            )
        )

    def infusion_site(self) -> str:
        """Where a patch is applied."""
        return self.random_element(("arm", "shoulder", "hip", "back", "chest", "abdomen", "lower back", "thigh"))


def _faker(purpose: str) -> Faker:
    fake = Faker("en_US")
    fake.add_provider(HospitalProvider)
    fake.seed_instance(f"synthetic hospital|{purpose}")
    return fake


@cache
def provider_ids(count: int) -> ArrowColumn:
    """The providers of a hospital that has `count` of them, without repetition."""
    fake = _faker("providers")
    found: dict[str, None] = {}
    while len(found) < count:
        found[fake.provider_id()] = None
    return words(list(found))


@cache
def caregiver_ids(count: int) -> Ints:
    """The ICU caregivers of a hospital that has `count` of them, without repetition."""
    fake = _faker("caregivers")
    return np.array(fake.random.sample(range(3, 100_000), MOST_CAREGIVERS)[:count], dtype=np.int64)


@cache
def call_comments(how_many: int = 600) -> tuple[str, ...]:
    """A pool of comments on calls."""
    fake = _faker("comments")
    return tuple(dict.fromkeys(fake.call_comment() for _ in range(how_many)))


@cache
def infusion_sites() -> tuple[str, ...]:
    """Where patches are applied."""
    fake = _faker("sites")
    return tuple(dict.fromkeys(fake.infusion_site() for _ in range(60)))
