"""The demo pack with a corrected table of holidays."""

from __future__ import annotations

from sync.where import pack_files


def corrected(version: str = "2026.2") -> dict[str, str]:
    """Its texts with one more holiday, Tue Sep 8 2026, on which day 10 of an order of Aug 27 ends."""
    files = pack_files("demo")
    files["pack.toml"] = files["pack.toml"].replace('version = "2026.1"', f'version = "{version}"')
    files["calendars.toml"] = files["calendars.toml"].replace(
        "{ on = 2026-09-07, holiday", '{ on = 2026-09-08, holiday = "labor" },\n  { on = 2026-09-07, holiday')
    return files
