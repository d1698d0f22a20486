"""The list of open conflicts in the office: what it says, who is offered which decision, and what a decision does."""

from itertools import pairwise

from sync.server.casework import deciding
from sync.server.casework.conflicts import KINDS, Choice, Conflict
from sync.server.casework.settling import CHOICES
from sync.server.console import choices
from sync.server.console.seat import Seat
from tests.support.city import PUBLIC_URL


def radios(page):
    """What may be chosen on the page, as the forms would send it."""
    return [one["attrs"]["value"] for one in page.all("input") if one["attrs"].get("name") == "choice"]


def sent(world, client, read, act, subject):
    """The choice ``act`` of a form as the page has it, sent with reasons."""
    found = radios(read(client.get("/office/set-aside")))
    choice = next(one for one in found if one.startswith(f"{act}|{subject}|"))
    return client.send_form("/office/conflicts", choice=choice, reasons="Seen on the site.")


def test_the_office_decides_on_the_page(world, person, read):
    first, second = world.posted(world.one), world.posted(world.two, on="2026-08-28")
    world.clock.set("2026-08-29T10:00:00-05:00")
    world.push(world.one, first)
    world.push(world.two, second)
    carol = person("carol")
    assert "1 conflict is to be settled" in read(carol.get("/office/")).text
    answer = sent(world, carol, read, "supersede", first.id)
    assert (answer.status_code, answer.headers["location"]) == (303, "/office/set-aside?done=settled")
    page = read(carol.get(answer.headers["location"])).text
    assert "The decision is in the record." in page and "Two orders on one site" not in page
    assert "replaced, void" in read(carol.get(f"/office/orders/{first.id}")).text
    shown = read(carol.get(world.order(first.id)["public_url"].removeprefix(PUBLIC_URL))).text
    assert "The city replaced this order by another one on" in shown and "Replaced by another order" in shown
    assert f"Order {second.body['number']} is in force here in its place." in shown, "nobody takes it for the end"
    deciding.release_order(world.city, "carol", second.id, "All is put right.")
    shown = read(carol.get(world.order(first.id)["public_url"].removeprefix(PUBLIC_URL))).text
    assert "Genuine, but void" in shown and "in its place" not in shown


def test_behind_the_code_of_a_replaced_order_stands_the_last_of_the_line(world, person, read):
    made = [world.posted(world.one, n, on=f"2026-08-2{7 + n}") for n in range(3)]
    world.clock.set("2026-08-31T10:00:00-05:00")
    world.push(world.one, *made)
    for one, by in pairwise(made):
        deciding.supersede_order(world.city, "carol", one.id, by.id, "The wrong lot.")
    carol = person("carol")
    for one in made[:2]:
        shown = read(carol.get(world.order(one.id)["public_url"].removeprefix(PUBLIC_URL))).text
        assert f"Order {made[2].body['number']} is in force here in its place." in shown


def test_reasons_are_needed_and_a_decision_is_taken_once(world, person):
    order = world.posted(world.one, user="ben")
    world.push(world.one, order)
    carol = person("carol")
    ratify = f"ratify|{order.id}|"
    without = carol.send_form("/office/conflicts", choice=ratify, reasons=" ")
    assert without.status_code == 422 and "Reasons are needed" in without.text
    assert carol.send_form("/office/conflicts", reasons="Right.").status_code == 422
    assert carol.send_form("/office/conflicts", choice=ratify, reasons="Right.").status_code == 303
    again = carol.send_form("/office/conflicts", choice=ratify, reasons="Right.")
    assert again.status_code == 409
    assert carol.send_form("/office/conflicts", choice=f"burn|{order.id}|", reasons="Right.").status_code == 404


def test_one_form_says_what_follows_from_each_choice_and_is_kept_when_something_is_missing(world, person, read):
    first, second = world.posted(world.one), world.posted(world.two, on="2026-08-28")
    world.clock.set("2026-08-29T10:00:00-05:00")
    world.push(world.one, first)
    world.push(world.two, second)
    carol = person("carol")
    page = read(carol.get("/office/set-aside"))
    assert len(radios(page)) == 5
    assert [one["text"].strip() for one in page.all("button")].count("Record this decision") == 1
    numbers = [fact.body["number"] for fact in (first, second)]
    assert f"{numbers[0]} (posted Thu Aug 27, 2026)" in page.text
    assert f"{numbers[0]} is void: its time limits close and its placard must come down." in page.text
    assert f"Behind the placard of {numbers[1]} the public page says that the other order counts." in page.text
    chosen = next(one for one in radios(page) if one.startswith(f"count_as_repost|{second.id}|"))
    [about] = [one["attrs"]["value"] for one in page.all("input") if one["attrs"].get("name") == "conflict"]
    answer = carol.send_form("/office/conflicts", conflict=about, choice=chosen, reasons="  ")
    kept = read(answer)
    assert answer.status_code == 422 and "Reasons are needed" in kept.text
    assert [one["attrs"]["value"] for one in kept.all("input") if "checked" in one["attrs"]] == [chosen]
    assert [one for one in kept.all("details") if "open" in one["attrs"]]
    assert len(world.conflicts()) == 1, "nothing was decided"


def test_of_two_conflicts_of_one_order_the_one_that_was_refused_opens_again(world, person, read):
    """Voiding the order is a choice of both."""
    world.clock.set("2026-09-20T10:00:00-05:00")
    late = world.posted(world.one, parcel="999-99")
    world.push(world.one, late)
    carol = person("carol")
    page = read(carol.get("/office/set-aside"))
    both = [one["attrs"]["value"] for one in page.all("input") if one["attrs"].get("name") == "conflict"]
    assert len(both) == len(set(both)) == 2 and radios(page).count(f"void|{late.id}|") == 2
    for place, about in enumerate(both):
        kept = read(carol.send_form("/office/conflicts", conflict=about, choice=f"void|{late.id}|", reasons=" "))
        folds = [one for one in kept.all("details") if one["text"].strip().startswith("Decide")]
        assert ["open" in one["attrs"] for one in folds] == [number == place for number in range(2)]


def test_every_choice_is_said_with_what_follows(world):
    """A choice that casework offers and the page does not know would be an error page."""
    seat = Seat(world.city, None, None)
    for kind in KINDS:
        for act in CHOICES:
            one = Conflict(kind, "1" * 32, "T01", ("1" * 32,), (), {"kind": "order_posted"})
            said = choices.view(Choice(act, "inspect", "1" * 32, "2" * 32), one, seat)
            assert said["label"] and said["says"].endswith("."), (kind, act)


def test_who_lacks_the_power_is_told_which_it_takes_and_cannot_decide(world, person, read):
    order = world.posted(world.one, user="ben")
    world.push(world.one, order)
    ada = person("ada")
    page = read(ada.get("/office/set-aside"))
    assert "Ratify it from today: takes the power to ratify an order posted without authority." in page.text
    assert radios(page) == []
    refused = ada.send_form("/office/conflicts", choice=f"ratify|{order.id}|", reasons="Right.")
    assert refused.status_code == 403
    assert world.conflicts() == ["unauthorised_posting"]


def test_a_released_and_a_stayed_order_are_said_everywhere(world, person, read):
    from sync.server.casework import deciding

    order = world.posted(world.one)
    world.push(world.one, order)
    carol = person("carol")
    url = world.order(order.id)["public_url"].removeprefix(PUBLIC_URL)
    deciding.file_appeal(world.city, "carol", order.id, "The permittee appeals.")
    assert "in force, appeal under way" in read(carol.get(f"/office/orders/{order.id}")).text
    assert "It is under review" in read(carol.get(url)).text
    assert carol.get(f"/office/orders/{order.id}/order.pdf").status_code == 200
    deciding.release_order(world.city, "carol", order.id, "All is put right.")
    assert "Its time limits are closed." in read(carol.get(f"/office/orders/{order.id}")).text
    told = read(carol.get(url)).text
    assert "Genuine, and released" in told and "Released Thu Aug 27, 2026." in told
    assert carol.get(f"/office/orders/{order.id}/order.pdf").status_code == 200
