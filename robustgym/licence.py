"""What may be done with a release: its licence travels with it, and a credentialed one goes nowhere without a yes.

PhysioNet's rules for credentialed data (Data Use Agreement; policy on language models of 24 September 2025): share
only through PhysioNet, no third party, and a model behind an API only where nothing is kept, trained on or read by
people. A model on this machine is the strongly recommended way.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from schemas.errors import InputError, Problem
from schemas.release import SourceKind


@dataclass(frozen=True)
class Licence:
    """The terms of one class of source."""

    name: str
    spdx: str
    """SPDX identifier; `LicenseRef-` where SPDX has none."""
    hub: str
    """The identifier dataset cards use (`license:` in the front matter)."""
    url: str
    public: bool
    """Whether anyone may publish it anywhere, under these terms."""


LICENCES: dict[SourceKind, Licence] = {
    "synthetic": Licence(
        "CC0 1.0 Universal", "CC0-1.0", "cc0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/", True
    ),
    "demo": Licence(
        "Open Data Commons Open Database License 1.0",
        "ODbL-1.0",
        "odbl",
        "https://opendatacommons.org/licenses/odbl/1-0/",
        True,
    ),
    "credentialed": Licence(
        "PhysioNet Credentialed Health Data License 1.5.0",
        "LicenseRef-PhysioNet-Credentialed-1.5.0",
        "other",
        "https://physionet.org/content/mimiciv/view-license/3.1/",
        False,
    ),
}


def is_local(url: str) -> bool:
    """Whether an endpoint is on this machine: a loopback address, or `localhost`.

    Everything else counts as elsewhere, a private network too: its owner is a third party.

    >>> [is_local(u) for u in ("http://127.0.0.1:8000/v1", "http://localhost:11434", "http://[::1]:80", "localhost:80")]
    [True, True, True, True]
    >>> [is_local(u) for u in ("https://api.example.org/v1", "http://localhost@example.org", "http://10.0.0.7", "")]
    [False, False, False, False]
    """
    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def require_permission(kind: SourceKind, url: str, confirmed: bool) -> str:
    """The ground on which a release of that kind may be sent to a model endpoint, to be recorded with the run.

    Args:
        kind: The licence class in the release's manifest.
        url: The endpoint.
        confirmed: The user said that its provider keeps nothing, trains on nothing and lets nobody read it.

    Raises:
        InputError: The data are credentialed, the endpoint is not local, and nothing was confirmed.

    >>> require_permission("credentialed", "http://127.0.0.1:8000/v1", confirmed=False)
    'the endpoint is on this machine'
    >>> require_permission("demo", "https://api.example.org/v1", confirmed=False)
    'the data are open (ODbL-1.0)'
    """
    if LICENCES[kind].public:
        return f"the data are open ({LICENCES[kind].spdx})"
    if is_local(url):
        return "the endpoint is on this machine"
    if confirmed:
        return "the user confirmed a zero-retention agreement with the endpoint's provider"
    raise InputError(
        Problem(
            f"endpoint {urlsplit(url).hostname or url}",
            "it is not on this machine, and PhysioNet's agreement lets credentialed data go to no third party",
            "serve a model locally, or confirm with --i-have-verified-zero-retention that the provider keeps nothing",
        )
    )


def require_publishable(kind: SourceKind, destination: str) -> str:
    """The ground on which a release of that kind may be put where others can read it.

    Args:
        kind: The licence class in the release's manifest.
        destination: Where it would go, in words: "the Hugging Face Hub".

    Raises:
        InputError: The data are credentialed. No confirmation changes that: PhysioNet is the one place.

    >>> require_publishable("synthetic", "a public repository")
    'the data are open (CC0-1.0)'
    """
    if LICENCES[kind].public:
        return f"the data are open ({LICENCES[kind].spdx})"
    raise InputError(
        Problem(
            f"export to {destination}",
            "the release derives from credentialed data, to be shared only through PhysioNet",
            "submit it to PhysioNet, or make a release from the demo or the synthetic hospital for that place",
        )
    )
