"""The one resource of the graph, and what every asset of it shares."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from pydantic import Field

from assets.graph.plan import Plan
from schemas.errors import InputError

OWNERS = ["team:dataset-maintainers"]


class Build(dg.ConfigurableResource):
    """What is built from what. Every field can be set in the launchpad; the defaults need nothing but this checkout."""

    source: str = Field(
        default="synthetic", description="`synthetic`, `synthetic:PATIENTS`, or the directory of a download."
    )
    profile: str = Field(default="smoke", description="`smoke`, `paper`, `extended`, or the path of a TOML file.")
    seed: int = Field(default=0, description="Decides which questions are asked and which pairs are chosen.")
    version: str | None = Field(default=None, description="Version of the release; without it, the next one not taken.")
    out: str | None = Field(default=None, description="Directory of releases; by default data/releases.")
    warehouse: str | None = Field(
        default=None, description="Directory of the staged tables; by default below data/warehouse."
    )
    threads: int | None = Field(
        default=None, description="Threads to use. The bytes of the release do not depend on it."
    )
    confirmed: bool = Field(
        default=False, description="A zero-retention agreement with the endpoint of the model check was confirmed."
    )
    root: str = Field(default=".", description="Where data/ lies.")

    def plan(self) -> Plan:
        """The build these fields describe.

        Raises:
            InputError: They describe none.
        """
        return Plan.of(
            source=self.source,
            profile=self.profile,
            seed=self.seed,
            version=self.version,
            out=self.out,
            warehouse=self.warehouse,
            threads=self.threads,
            confirmed=self.confirmed,
            root=Path(self.root),
        )


@contextmanager
def said_plainly() -> Iterator[None]:
    """Turn what a user can put right into a failure that says so, without a traceback.

    The problems travel as metadata, so that the command line can print those of every step together.
    """
    try:
        yield
    except InputError as error:
        raise dg.Failure(
            description=str(error),
            metadata={
                "problems": dg.MetadataValue.json([[p.where, p.what, p.do] for p in error.problems]),
            },
            allow_retries=False,
        ) from None
