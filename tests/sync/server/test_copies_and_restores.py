"""Real processes: a tablet whose folder was copied, one set back to yesterday, and a server restored from a backup.

What must hold each time: everything acknowledged is there once, byte for byte, and no order number is on two placards
unless two tablets had used it before either met the office.
"""

import shutil
from collections import Counter

import pytest
from sqlalchemy import select

from sync.records.facts import freeze
from sync.server.casework import audit, queries
from sync.server.casework.lives import begin_life, register_lines
from sync.server.db.schema import facts, orders, strays
from sync.server.opening import back_up
from tests.support.city import inspection_body
from tests.support.headless_tablet import HeadlessTablet
from tests.support.remote_tablet import enrol_remote
from tests.support.server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for both: a start takes seconds. The second test ends its life and begins another."""
    with Server(tmp_path_factory.mktemp("server") / "data") as found:
        yield found


def tablet(server, folder, person="ada"):
    found = HeadlessTablet(folder, server.address, server._clock).start()
    found.ask("enrol", code=server.enrol_code(), personal=server.personal_code(person))
    return found


def kept(server):
    """Records by id, those apart by id, and orders (number, status) as the server has them."""
    with server.city() as city, city.db.read() as tx:
        records = {row.id: (row.text, row.state) for row in tx.execute(select(facts))}
        apart = {row.fact: row.text for row in tx.execute(select(strays))}
        placards = [(row.number, row.status) for row in tx.execute(select(orders).order_by(orders.c.number))]
    return records, apart, placards


def test_a_copied_tablet_and_one_that_was_set_back_get_codes_of_their_own(server, tmp_path):
    with tablet(server, tmp_path / "a") as first:
        assert first.hear()["code"] == "T07"
        first.say("order")
        first.say("sync")
        first.kill()
        with first.copy(tmp_path / "b") as second, first.copy(tmp_path / "yesterday") as yesterday:
            first.start()
            # Both sign under one code, at one place of its count, far from each other and from the office.
            mine, theirs = first.say("inspect")["fact"], second.say("inspect")["fact"]
            assert first.say("now")["facts"][mine][0] == second.say("now")["facts"][theirs][0] == 3
            first.ask("sync")
            second.ask("sync")
            one, two = first.hear(), second.hear()
            # Whoever came second is the copy; the first may have learned it too by then. Nobody shares a code any more.
            assert one["code"] != two["code"] and {one["code"], two["code"]} & {"T08", "T09"}
            # The one set back to yesterday is told before it signs anything.
            back = yesterday.say("sync")
            assert back["code"] not in (one["code"], two["code"], "T07")
            placed = [each.say("order")["number"] for each in (first, second, yesterday)]
            assert len(set(placed)) == 3
            for each in (first, second, yesterday):
                each.say("sync")
            records, apart, placards = kept(server)
            wanted = {mine: one["facts"][mine][2], theirs: two["facts"][theirs][2]}
            assert {ident: records[ident][0] if ident in records else apart[ident] for ident in wanted} == wanted
            assert len({mine, theirs} & set(apart)) == 1, "one has the place in the count, the other is kept beside it"
            assert {number for number, _ in placards} >= set(placed)
            assert [dict(placards)[number] for number in placed] == ["in_force"] * 3
    with server.city() as city:
        audit.verify(city)
        assert {row["code"] for row in queries.tablet_list(city)} >= {"T07", one["code"], two["code"], back["code"]}


def test_a_server_restored_from_yesterday_gets_back_what_its_tablets_hold_and_no_number_twice(server, tmp_path):
    with tablet(server, tmp_path / "a") as first, tablet(server, tmp_path / "b", "carol") as second:
        codes = [each.hear()["code"] for each in (first, second)]
        numbers = [each.say("order")["number"] for each in (first, second)]
        for each in (first, second):
            each.say("sync")
        with server.city() as city:
            back_up(city, server.data, tmp_path / "backup")
        knew = registered(server)
        # Today's work: acknowledged, photos and all, and another tablet enrolled. Then the disk is gone.
        today = [each.say("order") for each in (first, second)]
        numbers += [one["number"] for one in today]
        third = enrol_remote(server, "ben")
        late = third.fact("inspection_signed", inspection_body(), user="ben")
        assert third.push(late)[0].whole
        codes.append(third.told["tablet_code"])
        states = [each.say("sync") for each in (first, second)]
        assert all(state == "safe" for said in states for _, state, _ in said["facts"].values())
        before, aside, placards = kept(server)
        acknowledged = {ident: text for said in states for ident, (_, _, text) in said["facts"].items()}
        server.kill()
        shutil.rmtree(server.data)
        shutil.copytree(tmp_path / "backup", server.data)
        with server.city() as city:
            epoch = begin_life(city)
        server.start()
        missing, _, _ = kept(server)
        assert set(before) - set(missing) >= {*(one["fact"] for one in today), late.id}, "the backup is of yesterday"
        # Something is still signed before a tablet hears of it, under a number of the old lease.
        numbers.append(first.say("order")["number"])
        for each in (first, second):
            each.ask("sync")
        said = [each.hear() for each in (first, second)]
        assert {one["epoch"] for one in said} == {epoch} != {states[0]["epoch"]}
        assert [one["code"] for one in said] == codes[:2], "its own tablets are known again"
        assert third.push(late)[0].whole, "and so is one that enrolled after the backup"
        assert all(state == "safe" for one in said for _, state, _ in one["facts"].values())
        assert all(held for one in said for held in one["files"].values())
        records, apart, placards = kept(server)
        acknowledged |= {ident: text for one in said for ident, (_, _, text) in one["facts"].items()}
        acknowledged[late.id] = freeze(late).decode()
        assert {ident: records[ident] for ident in acknowledged} == {
            ident: (text, "applied") for ident, text in acknowledged.items()}
        assert apart == aside
        fourth = enrol_remote(server)
        codes.append(fourth.told["tablet_code"])
        numbers += [one["number"] for one in fourth.told["lease"]["numbers"]]
        numbers.append(second.say("order")["number"])
        second.say("sync")
        assert len(set(codes)) == len(codes) == 4 and len(set(numbers)) == len(numbers)
        _, _, placards = kept(server)
        counts = Counter(number for number, _ in placards)
        assert set(counts) & set(numbers) == {*numbers[:5], numbers[-1]}
        assert set(counts.values()) == {1}
        registers = registered(server)

        # The same backup comes back once more, on a new machine, and nobody remembers to mark it.
        server.kill()
        shutil.rmtree(server.data)
        shutil.copytree(tmp_path / "backup", server.data)
        server.start()
        fifth = enrol_remote(server, "ben")
        codes.append(fifth.told["tablet_code"])
        numbers += [one["number"] for one in fifth.told["lease"]["numbers"]]
        first.ask("sync")
        second.ask("sync")
        said = [each.hear() for each in (first, second)]
        assert epoch not in (one["epoch"] for one in said) and all(
            state == "safe" for one in said for _, state, _ in one["facts"].values())
    assert len(set(codes)) == len(codes) == 5 and len(set(numbers)) == len(numbers)
    again = registered(server)
    assert set(again.values()) == set(registers.values()), "every order is registered in both lives"
    both = {*again.items()} & {*registers.items()}
    assert {*again} & {*registers} == {number for number, _ in both}, "no register number is on two orders"
    assert both == {*knew.items()}


def test_a_folder_that_was_set_back_is_noticed_by_itself_and_no_number_is_given_twice(server, tmp_path):
    """Nobody made a backup with our means, and nobody says a word: first the folder was copied and the copy put back,
    then an image of the disk, of which the folder itself shows nothing."""
    with tablet(server, tmp_path / "a") as mine:
        assert mine.hear()["code"]
        registers, codes = {}, []
        for put_back in (copied_back, image_put_back):
            shutil.rmtree(tmp_path / "aside", ignore_errors=True)
            shutil.copytree(server.data, tmp_path / "aside")  # nothing is written meanwhile
            # It goes on: an order is registered, and another tablet gets a code.
            lost = mine.say("order")["number"]
            epoch = mine.say("sync")["epoch"]
            other = enrol_remote(server, "ben")
            codes.append(other.told["tablet_code"])
            before = registered(server)
            assert lost in numbers(server)
            server.kill()
            put_back(tmp_path / "aside", server.data)
            server.start()
            assert lost not in numbers(server), "these are the records of before"
            if put_back is copied_back:  # here somebody new may be the first to come
                codes.append(enrol_remote(server, "ben").told["tablet_code"])
            fresh = mine.say("order")["number"]
            said = mine.say("sync")
            assert said["epoch"] != epoch
            assert all(state == "safe" for _, state, _ in said["facts"].values())
            codes.append(enrol_remote(server, "ben").told["tablet_code"])
            assert other.push(other.fact("inspection_signed", inspection_body(), user="ben"))[0].whole
            after = registered(server)
            assert {lost, fresh} <= numbers(server)
            for register, order in (*before.items(), *after.items()):
                assert registers.setdefault(register, order) == order, f"{register} was given to two orders"
        assert len(set(codes)) == len(codes) == 5
    with server.city() as city:
        assert [line["noticed"] for line in register_lines(city) if line["restored"]][-2:] == ["folder", "tablet"]


def numbers(server):
    """Of the orders that it has."""
    return {number for number, _ in kept(server)[2]}


def copied_back(copy, data):
    shutil.rmtree(data)
    shutil.copytree(copy, data)


def image_put_back(copy, data):
    """Everything is as it was, down to when each file was born."""
    for place in sorted(data.rglob("*")):
        if place.is_file() and not (copy / place.relative_to(data)).exists():
            place.unlink()
    for place in copy.rglob("*"):
        there = data / place.relative_to(copy)
        if place.is_dir():
            there.mkdir(exist_ok=True)
        elif not there.exists() or there.read_bytes() != place.read_bytes():
            there.write_bytes(place.read_bytes())


def registered(server):
    """The register: number and order, whole and without a gap, each once."""
    with server.city() as city:
        audit.verify(city)
        lines = [line for line in register_lines(city) if not line["restored"]]
        assert [int(line["register"][-5:]) for line in lines] == list(range(1, len(lines) + 1))
        assert len({line["order"] for line in lines}) == len(lines)
        return {line["register"]: line["order"] for line in lines}
