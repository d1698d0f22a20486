"""The published interface is a golden file: what tablets rely on does not change unnoticed.

After a wished change: ``python -m tests.sync.server.api.test_openapi`` writes it anew; read the difference.
"""

import json
from pathlib import Path

from sync.server.api.service import create_api
from tests.support.city import memory_city
from tests.support.clock import StoppedClock

GOLDEN = Path(__file__).with_name("openapi.json")


def published() -> str:
    return json.dumps(create_api(memory_city(StoppedClock())).openapi(), indent=1, sort_keys=True) + "\n"


def test_the_interface_is_the_one_that_was_published():
    assert published() == GOLDEN.read_text()


def test_every_path_of_the_protocol_is_there():
    from sync.records import protocol

    paths = set(json.loads(GOLDEN.read_text())["paths"])
    named = {protocol.HELLO, protocol.ENROL, protocol.SIGN_IN, protocol.LEASE, protocol.RENEW, protocol.RECODE,
             protocol.FACTS, protocol.RECEIPTS, protocol.EVIDENCE + "{sha256}", protocol.FILES + "{sha256}",
             protocol.CHANGES, protocol.DIAGNOSIS, protocol.RECOVERY, protocol.RECOVERY_LOOK,
             protocol.UPLOADS, protocol.UPLOADS + "/{tablet_code}/{sha256}"}
    assert {"/api/v1" + path for path in paths} == named


if __name__ == "__main__":
    GOLDEN.write_text(published())
