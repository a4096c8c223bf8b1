"""A certificate made for a test, by the openssl program."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A server's certificate and key, and what its clients told it.

    Attributes:
        path: of the PEM file that a client must trust.
        names: the names that clients asked for, in the order of their connections.
    """

    path: Path
    context: ssl.SSLContext
    names: list[str | None]


def make_certificate(folder: Path, *names: str) -> Certificate:
    """A certificate for these names that vouches for itself; the test is skipped where openssl is missing."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("the openssl program is needed to make a certificate")
    path, key = folder / "certificate.pem", folder / "key.pem"
    subject = ["-subj", "/CN=test", "-addext", "subjectAltName=" + ",".join(f"DNS:{name}" for name in names)]
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"]
    subprocess.run(
        [openssl, "req", *kind, *subject, "-keyout", str(key), "-out", str(path)], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, key)
    told: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: told.append(name)
    return Certificate(path=path, context=context, names=told)
