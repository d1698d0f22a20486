"""docs/protocol.md against the code: its paths, headers, codes, numbers and its worked example must be true."""

import json
import re
from pathlib import Path

import pytest

from field_app.work.plans import DEFAULT_MB
from sync.client.keeping import KEEP_DAYS
from sync.client.policy import Policy
from sync.client.reasons import LINK
from sync.client.rows import SAFE, fact_doc, fact_row
from sync.records import protocol
from sync.records.macs import sign
from sync.records.receipts import ANSWERS, open_receipt
from sync.server.casework.enrolment import LEASE_SIZE
from sync.server.casework.history import LINES
from sync.server.casework.tokens import TOKEN_DAYS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "protocol.md").read_text("utf-8")
PATHS = [getattr(protocol, name) for name in
         ("HELLO", "ENROL", "SIGN_IN", "RENEW", "RECODE", "LEASE", "FACTS", "RECEIPTS", "EVIDENCE", "UPLOADS",
          "CHANGES", "FILES")]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_every_message_has_its_heading(path):
    assert re.search(rf"(?m)^### .*{re.escape(path)}", PAGE), f"no heading for {path}"


def test_headers_and_codes_of_the_connection_are_explained():
    for name in (protocol.HEADER_PROTOCOL, protocol.HEADER_EPOCH, protocol.HEADER_EVIDENCE_KIND,
                 protocol.HEADER_RECEIPT, protocol.HEADER_PREVIEW_OF, protocol.HEADER_RENEWS,
                 protocol.HEADER_MARKS, protocol.HEADER_LARGEST, protocol.HEADER_WITNESS):
        assert f"`{name}" in PAGE
    for code in LINK:
        assert f"`{code}`" in PAGE, f"{code} is not explained"
    for answer in (*ANSWERS, "refused"):
        assert re.search(rf"(?m)^\| `{answer}`", PAGE), f"the answer {answer} is not explained"


def test_the_numbers_on_the_page_are_those_of_the_code():
    policy = Policy()
    said = {
        f"from {policy.first_wait_ms // 1000} s to {policy.visible_cap_ms // 1000} s while the app is visible",
        f"({policy.hidden_cap_ms // 1000} s hidden)",
        f"within {policy.visible_cap_ms // 1000} seconds",
        f"At most {protocol.MAX_BATCH} items",
        f"has {policy.tries} tries",
        f"begins at {policy.chunk_first >> 20} MB, aims at {policy.chunk_ms // 1000} s",
        f"between {policy.chunk_least >> 10} kB and {policy.chunk_most >> 20} MB",
        f"every {policy.parked_retry_ms // 60_000} minutes",
        f"stay on the tablet for {KEEP_DAYS} days",
        f"as fewer than {policy.lease_low} are free",
        f"A lease has {LEASE_SIZE} numbers",
        f"grows old after {TOKEN_DAYS} days",
        f"({policy.item_wait_ms // 1000} s, {policy.item_wait(2) // 1000} s, ... {policy.item_cap_ms // 60_000} min)",
        f"({policy.receipts_wait(1) // 1000} s, {policy.receipts_wait(2) // 1000} s, ... "
        f"{policy.receipts_cap_ms // 60_000} min)",
    }
    said |= {f"the {LINES} newest of a site", f"set aside ({DEFAULT_MB} MB)"}
    flat = " ".join(PAGE.split())
    missing = [words for words in said if words not in flat]
    assert missing == []


def test_the_worked_example_is_true():
    keys = [bytes.fromhex(text) for text in re.findall(r"```text\n([0-9a-f]{64})\n```", PAGE)]
    item, sealed = (json.loads(text) for text in re.findall(r"```json\n(.+)\n```", PAGE))
    receipt_key, credential_key = keys
    frozen = item["fact"].encode()
    assert sign(credential_key, frozen) == item["mac"]
    receipt = open_receipt(sealed, receipt_key)
    doc = fact_doc(frozen, mac=item["mac"], credential=item["credential"])
    assert (receipt.fact, receipt.sha256, receipt.whole) == (doc["id"], doc["sha256"], True)
    learned = {"receipt": sealed, "epoch": receipt.epoch, "answer": receipt.answer, "whole": True}
    noted = {**doc, "sync": {**doc["sync"], **learned}}
    assert fact_row(noted, "e1").state == SAFE
    assert fact_row(noted, "e2").state != SAFE


def test_every_test_it_names_is_there():
    root = Path(__file__).resolve().parents[3]
    named = re.findall(r"`(tests/[^`]+)`", PAGE)
    assert len(named) >= 4 and all((root / name).exists() for name in named)


def test_the_commands_it_names_exist():
    from sync.server.cli import parser

    named = re.findall(r"`siltwatch ([a-z-]+)`", PAGE)
    assert named
    for name in named:
        parser().parse_args([name, "--data", "x"])


def test_what_it_says_of_files_is_true():
    from sync.records import evidence_files, facts
    from sync.records.problems import CATALOGUE
    from sync.server.casework.unclaimed import KEPT

    for kind in (*facts.EVIDENCE_KINDS, evidence_files.PREVIEW):
        assert re.search(rf"(?m)^\| `{kind}` \|", PAGE), f"the kind {kind} is not explained"
    for code in (code for code in CATALOGUE if code.startswith("evidence-not-")):
        assert f"`{code}`" in PAGE
    flat = " ".join(PAGE.split())
    assert f"{Policy().preview_wait_ms // 1000} s at most for each that is made" in flat
    assert f"more than {KEPT.days} days ago" in flat and f"not heard of for {KEPT.days} days" in flat
    assert f"{evidence_files.PREVIEW_LONGEST} pixels a side and {evidence_files.MAX_PREVIEW_BYTES >> 20} MB" in flat
    assert f"down to {Policy().chunk_least >> 10} kB" in flat and f"refused {Policy().tries} times" in flat
