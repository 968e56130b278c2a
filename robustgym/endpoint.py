"""An OpenAI-compatible endpoint: where it is, which model to ask there, and a client that goes nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from robustgym.licence import is_local
from schemas.errors import InputError, Problem

if TYPE_CHECKING:
    from openai import OpenAI

KEY = "ROBUSTGYM_API_KEY"
"""The environment variable that holds the endpoint's key. A key is taken from nowhere else, and never written."""


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible endpoint and the model to ask there."""

    url: str
    model: str
    key: str = field(default="", repr=False)

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> Endpoint | None:
        """The endpoint of `ROBUSTGYM_MODEL_URL`, `ROBUSTGYM_MODEL` and `ROBUSTGYM_API_KEY`; None if none is named.

        Raises:
            InputError: Only half of it is named, or the address is not one.

        >>> Endpoint.of({"ROBUSTGYM_MODEL_URL": "http://127.0.0.1:8000/v1", "ROBUSTGYM_MODEL": "m"}).host
        '127.0.0.1:8000'
        >>> Endpoint.of({}) is None
        True
        """
        url, model = environment.get("ROBUSTGYM_MODEL_URL", ""), environment.get("ROBUSTGYM_MODEL", "")
        if not url and not model:
            return None
        if not url or not model:
            missing = "ROBUSTGYM_MODEL" if url else "ROBUSTGYM_MODEL_URL"
            raise InputError(
                Problem(missing, "not set, though its other half is", "set both for a model's check, or neither")
            )
        return cls.at(url, model, "ROBUSTGYM_MODEL_URL", environment)

    @classmethod
    def at(cls, url: str, model: str, said: str, environment: Mapping[str, str] = os.environ) -> Endpoint:
        """The endpoint at an address, with the key of the environment.

        Args:
            url: Its address, as the client takes it: `http://127.0.0.1:8000/v1`.
            model: The model to ask there.
            said: Where the address was said, for the complaint: `--base-url`.
            environment: Where the key is.

        Raises:
            InputError: The address is not one, or holds a password: what is in it would be written down with the run.
        """
        try:
            parts = urlsplit(url)
            named = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            named = False
        if not named:
            raise InputError(Problem(said, "not a web address", "write for example http://127.0.0.1:8000/v1"))
        if parts.username or parts.password:
            raise InputError(Problem(said, "holds a user or a password", f"put the key into {KEY}"))
        return cls(url, model, environment.get(KEY, ""))

    @property
    def host(self) -> str:
        """Host and port, without user or password."""
        parts = urlsplit(self.url)
        return (parts.hostname or "") + (f":{parts.port}" if parts.port else "")

    @property
    def place(self) -> str:
        """Scheme, host and port: what a run says of where it asked.

        >>> Endpoint("https://api.example.org/v1?region=eu", "m").place
        'https://api.example.org'
        """
        return f"{urlsplit(self.url).scheme}://{self.host}"

    @property
    def local(self) -> bool:
        """Whether it is on this machine."""
        return is_local(self.url)

    def client(self, *, seconds: float, retries: int) -> OpenAI:
        """A client of it.

        A permission to send data is for this address: a local server that redirects, or a proxy named in the
        environment, would take the texts elsewhere. So neither is followed.

        Args:
            seconds: A request may take so long.
            retries: How often the client itself asks again.
        """
        from openai import DefaultHttpxClient, OpenAI  # takes over a second to import, and most commands ask nobody

        direct = DefaultHttpxClient(follow_redirects=False, trust_env=not self.local)
        return OpenAI(
            base_url=self.url, api_key=self.key or "none", timeout=seconds, max_retries=retries, http_client=direct
        )
