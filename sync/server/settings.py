"""What a server is started with. There is no setting that moves the clock."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sync.records.problems import Problem
from sync.records.protocol import MAX_EVIDENCE_BYTES

DEFAULT_PORT = 8321


def checked_address(text: str) -> str:
    """The address, without a slash at its end. Raises Problem "body-malformed" for what no phone could open: it stands
    in the code of every placard, and the office's forms must come from it."""
    plain = text.rstrip("/")
    try:
        parts = urlsplit(plain)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        whole = False
    if not whole or not plain.isprintable() or " " in plain or parts.query or parts.fragment:
        raise Problem("body-malformed", f"{text!r} is no address such as https://siltwatch.oakbend.gov",
                      where="--public-url")
    return plain


@dataclass(frozen=True, slots=True)
class Settings:
    """``data``: the city's folder. ``public_url``: the address that people and QR codes use (its origin is the one
    that the office's forms must come from). ``web``: the built tablet app. ``certificate`` and ``key``: PEM files;
    without them the server speaks plain HTTP, for this machine or behind a proxy that speaks TLS. ``largest_file``: the
    most bytes that an evidence file may have."""

    data: Path
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    public_url: str = ""
    web: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    largest_file: int = MAX_EVIDENCE_BYTES

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise Problem("body-malformed", "a certificate goes with its key", where="--certificate, --key")
        if self.public_url:
            checked_address(self.public_url)
        if not 1_000_000 <= self.largest_file <= 2_000_000_000:
            raise Problem("body-malformed", "from 1 to 1,900 MB", where="--largest-file")

    @property
    def address(self) -> str:
        """The public address, without a slash at its end; made from host and port when none was given."""
        if self.public_url:
            return self.public_url.rstrip("/")
        scheme = "https" if self.certificate else "http"
        # Browsers treat "localhost" and 127.0.0.1 alike as secure; the name is what people type.
        host = "localhost" if self.host in ("127.0.0.1", "::1") else self.host
        return f"{scheme}://{host}:{self.port}"

    @property
    def web_folder(self) -> Path:
        """Where the built tablet app is looked for: as given, else build/web of a checkout."""
        return self.web or Path(__file__).resolve().parents[2] / "build" / "web"
