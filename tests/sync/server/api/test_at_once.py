"""The same sent by many at the same moment, to a real server process: it counts once and all are told the same."""

import http.client
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from sync.records.macs import fingerprint
from sync.records.protocol import EVIDENCE, FACTS, HEADER_EVIDENCE_KIND, HEADER_PROTOCOL
from sync.records.receipts import open_evidence_receipt, open_receipt
from sync.server.casework import audit
from sync.server.db.schema import audit as audit_table
from sync.server.db.schema import evidence, facts
from tests.support.city import inspection_body
from tests.support.pictures import picture
from tests.support.remote_tablet import enrol_remote
from tests.support.server import Server

SENDERS = 32


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("at_once") / "data") as found:
        yield found


@pytest.fixture(scope="module")
def tablet(server):
    return enrol_remote(server, "ada")


def at_once(server, tablet, method, path, body, **headers):
    """The answers to one request that SENDERS send over connections of their own, all ready before the first sends."""
    ready = threading.Barrier(SENDERS)
    marks = {HEADER_PROTOCOL: "1", "Authorization": f"Bearer {tablet.told['device_token']}", **headers}

    def send(_):
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        line.connect()
        ready.wait(60)
        line.request(method, path, body, marks)
        answer = line.getresponse()
        told = answer.read()
        line.close()
        assert answer.status == 200, told
        return json.loads(told)

    with ThreadPoolExecutor(SENDERS) as pool:
        return list(pool.map(send, range(SENDERS)))


def sealed(results):
    return {(one["text"], one["mac"]) for one in results}


def test_one_record_by_32_is_one_record_and_31_are_told_that_it_is_held(server, tablet):
    fact = tablet.fact("inspection_signed", inspection_body())
    body = json.dumps({"items": [tablet.item(fact)]}).encode()
    answers = at_once(server, tablet, "POST", FACTS, body, **{"Content-Type": "application/json"})
    results = [result for answer in answers for result in answer["results"]]
    assert len(results) == SENDERS and sum(result.get("already_held", False) for result in results) == SENDERS - 1
    ((text, mac),) = sealed(results)
    assert open_receipt({"text": text, "mac": mac}, tablet.key).answer == "applied"
    with server.city() as city, city.db.read() as tx:
        assert tx.execute(select(func.count()).where(facts.c.id == fact.id)).scalar_one() == 1
        assert tx.execute(select(func.count()).where(audit_table.c.subject == f"fact:{fact.id}")).scalar_one() == 1
        audit.verify(city)


def test_one_batch_with_forks_by_32_keeps_each_version_once(server, tablet):
    """The same id with other bytes in one half of the batches: every sender is told the same of each version."""
    fact = tablet.fact("inspection_signed", inspection_body())
    tablet.counter -= 1
    fork = tablet.fact("inspection_signed", inspection_body(outcome="incomplete"), id=fact.id)
    body = json.dumps({"items": [tablet.item(fact), tablet.item(fork)]}).encode()
    answers = at_once(server, tablet, "POST", FACTS, body, **{"Content-Type": "application/json"})
    for place, expected in ((0, ("applied", None)), (1, ("quarantined", "fact-forked"))):
        ((text, mac),) = sealed(answer["results"][place] for answer in answers)
        receipt = open_receipt({"text": text, "mac": mac}, tablet.key)
        assert (receipt.answer, receipt.reason) == expected


def test_one_file_by_32_is_one_file_and_31_are_told_that_it_is_held(server, tablet):
    data = picture(200_000, seed=77)
    sha = fingerprint(data)
    answers = at_once(server, tablet, "PUT", EVIDENCE + sha, data,
                      **{"Content-Type": "image/jpeg", HEADER_EVIDENCE_KIND: "photo"})
    assert sum(answer.get("already_held", False) for answer in answers) == SENDERS - 1
    ((text, mac),) = sealed(answers)
    assert open_evidence_receipt({"text": text, "mac": mac}, tablet.key).size == len(data)
    with server.city() as city, city.db.read() as tx:
        assert tx.execute(select(func.count()).where(evidence.c.sha256 == sha)).scalar_one() == 1
        assert city.blobs.read(sha) == data
        assert [path.name for path in (server.data / "evidence").glob("**/*") if path.name.startswith(".part")] == []
