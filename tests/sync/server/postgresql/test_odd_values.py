"""casework/test_odd_values.py once more, on PostgreSQL; and what it cannot keep of a record, by a mistake of ours."""

import json

from sqlalchemy import update

from sync.server.casework import applying, receiving
from sync.server.casework.receiving import receive_facts
from sync.server.db.schema import facts
from tests.support.city import inspection_body
from tests.sync.server.casework.test_odd_values import *  # noqa: F403


def too_much(tx, city, fact, *_, **__):
    """More than a column holds, for one of the two."""
    if fact.body["site"] == "site-02":
        tx.execute(update(facts).where(facts.c.id == fact.id).values(tablet_code="T" * 65))


def test_a_record_that_the_database_cannot_keep_leaves_the_others(city, tablet, monkeypatch):
    bad, good = (tablet.fact("inspection_signed", inspection_body(site=site)) for site in ("site-02", "site-01"))
    with monkeypatch.context() as mistake:
        mistake.setattr(receiving.clocks, "mark", too_much)
        answers = receive_facts(city, tablet.tablet, [tablet.item(bad), tablet.item(good)])
    assert answers[0]["refused"]["code"] == "fact-malformed"
    assert json.loads(answers[1]["text"])["answer"] == "applied"
    assert tablet.push(bad)[0].answer == "applied", "nothing of it was left behind"


def test_a_record_that_the_database_cannot_work_in_is_kept_and_tried_again(city, tablet, monkeypatch):
    bad, good = (tablet.fact("inspection_signed", inspection_body(site=site)) for site in ("site-02", "site-01"))
    with monkeypatch.context() as mistake:
        mistake.setattr(applying, "_apply", too_much)
        assert [(one.answer, one.reason) for one in tablet.push(bad, good)] == [
            ("waiting", "apply-failed"), ("applied", None)]
    applying.retry_parked(city)
    assert tablet.push(bad)[0].answer == "applied"
