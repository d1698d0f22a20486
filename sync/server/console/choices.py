"""What a person may decide about a conflict: each choice in a few words, and what follows from it.

One sentence for each choice says what becomes of the time limits, of the placard, and of what tablets and the public
page show; casework does it (`settling.settle`).
"""

from __future__ import annotations

from typing import Any

from sync.documents.language import Translate
from sync.records.problems import Problem
from sync.server.casework.conflicts import Choice, Conflict
from sync.server.casework.queries import order_page
from sync.server.console import words
from sync.server.console.seat import Seat

ORDER_RECORDS = ("order_posted", "order_recommended")


def value_of(choice: Choice) -> str:
    """The choice as the form sends it."""
    return f"{choice.act}|{choice.subject}|{choice.other}"


def read_value(text: str) -> tuple[str, str, str]:
    """Act, subject and other subject. Raises Problem "body-malformed" where nothing was chosen."""
    parts = text.split("|", 2)
    if len(parts) != 3:
        raise Problem("body-malformed", "choose one of the decisions", where="choice")
    return parts[0], parts[1], parts[2]


def view(choice: Choice, one: Conflict, seat: Seat) -> dict[str, Any]:
    """The choice as the form shows it. ``power`` is said to whoever lacks it."""
    _ = seat._
    numbers = dict(zip(one.facts, one.detail.get("numbers", ()), strict=False))
    names = {"number": numbers.get(choice.subject, one.about), "other": numbers.get(choice.other, ""),
             "sha": choice.other[:8], "code": one.detail.get("codes", {}).get(choice.other, ""),
             "findings": one.detail.get("findings", {}).get(choice.other, 0)}
    posted = _posted_on(choice, one, seat)
    label = _labels(_)[choice.act].format(**names)
    if posted:
        label = _("Void the one posted {date}").format(date=posted)
    elif choice.other in one.detail.get("days", ()):
        label = _("The posting of {date} counts").format(date=seat.day(one.detail["days"][choice.other]))
    return {
        "value": value_of(choice),
        "label": label,
        "says": _says(choice, one, _).format(**names),
        "allowed": seat.may(choice.power),
        "power": words.power_words(choice.power, seat),
    }


def _posted_on(choice: Choice, one: Conflict, seat: Seat) -> str:
    """Two orders under one number are told apart by the day on which each was posted."""
    if one.kind != "number_taken" or choice.act != "void":
        return ""
    found = order_page(seat.city, choice.subject)
    return seat.day(found["body"]["posted_on"]) if found and found["body"]["posted_on"] else ""


def _labels(_: Translate) -> dict[str, str]:
    return {
        "keep_number": _("Both stand, told apart in the office"),
        "void": _("Void the order"),
        "keep_both": _("Keep both orders"),
        "supersede": _("{other} takes the place of {number}"),
        "count_as_repost": _("{number} counts as a re-post of {other}"),
        "note_put_up_twice": _("The first posting counts"),
        "count_posting": _("Another posting counts"),
        "service_confirmed": _("Confirm that it was served"),
        "release": _("Release the order"),
        "take_back_release": _("The release counts for nothing"),
        "note_early": _("Only its day is wrong"),
        "issue": _("Issue the order"),
        "new_owner_served": _("The new landowner was served today"),
        "note_owner": _("Seen; the service is still to come"),
        "note_clock": _("The day on the placard is right"),
        "note_record_clock": _("The day of the record stands"),
        "note_parcel": _("A slip that leaves the site clear"),
        "note_permit": _("The order stands"),
        "note_revocation": _("The revocation stands"),
        "note_repost_after_end": _("The placard comes down"),
        "keep_revisions": _("Both stand; what they order adds up"),
        "withdraw_revision": _("Withdraw {number}"),
        "note_void_number": _("The order stands; the void was a mistake"),
        "take_back": _("Take the revocation back"),
        "ratify": _("Ratify it from today"),
        "accept": _("It counts under its own dates"),
        "accept_day": _("The clock was wrong; the record counts"),
        "leave_out": _("Leave it out for good"),
        "leave_apart": _("Leave it out for good"),
        "try_again": _("Try it again"),
        "take_version": _("Version {sha} counts"),
        "take_beside": _("Both records are genuine"),
        "count_correction": _("The one of tablet {code} counts (findings: {findings})"),
    }


def _says(choice: Choice, one: Conflict, _: Translate) -> str:
    """What follows from the choice."""
    of_order = one.detail.get("kind") in ORDER_RECORDS
    if choice.act == "void" and one.kind == "number_taken":
        return _("Its time limits close and its placard must come down. The other order is in force under the number, "
                 "with time limits from its own posting.")
    if choice.act == "leave_out" and of_order:
        return _("The order never counts: no time limit runs, and a placard of it must come down. The public page does "
                 "not know it as registered. The record stays readable.")
    if choice.act == "leave_out" and one.kind == "waiting_act":
        return _("It never counts, also when its order arrives. The record stays readable.")
    if choice.act == "leave_out" and one.kind == "up_not_issued":
        return _("Its putting-up never counts. Have somebody take the placard down: it has no force. The record stays "
                 "readable.")
    if choice.act == "leave_apart" and one.kind == "copied_tablet":
        return _("The second record never counts; it stays readable. An order that was held back because of it is in "
                 "force again, with its own time limits.")
    if choice.act == "accept" and not of_order:
        return _("The record counts under the day that it names. The tablet stays withdrawn.")
    if choice.act == "note_permit" and one.detail.get("change") == "unknown":
        return _("The order stays in force with its placard and time limits. No permit is added.")
    return {
        "keep_number": _("Both are in force, each with time limits from its own posting. The placards stay as they "
                         "are: the public page tells them apart by the day in the code, the office by /1 and /2."),
        "void": _("Its time limits close and its placard must come down; tablets and the public page say that it is "
                  "void. A replacing order gets a number and time limits of its own."),
        "keep_both": _("Each keeps its number, its placard and its own time limits. Nothing changes on the tablets."),
        "supersede": _("{number} is void: its time limits close and its placard must come down. Only the time limits "
                       "of {other} run, from its own days. Tablets and the public page say so."),
        "count_as_repost": _("{number} ends, and its time limits close. Those of {other} run on from its own posting. "
                             "Behind the placard of {number} the public page says that the other order counts."),
        "note_put_up_twice": _("No date moves: the time limits run from the first posting, and the other placard "
                               "counts as put up again. Have a placard that bears other dates replaced; the public "
                               "page behind its code says the right ones."),
        "count_posting": _("The time limits run from this posting, and an earlier one counts for nothing, as where it "
                           "hung at the wrong place. Tablets and the public page say the new dates. Have a placard "
                           "that bears other dates replaced."),
        "service_confirmed": _("No date moves and the placard stays. The steps that waited for this may follow from "
                               "their own days on."),
        "release": _("The order ends by this written release, and its time limits close. Its placard may come down. "
                     "Tablets and the public page say so."),
        "take_back_release": _("The order stands as if the release had never come, with its time limits. What was "
                               "signed stays readable. Tablets and the public page say so."),
        "note_early": _("What was done counts, under the day that it names. The placard of an order that is released "
                        "comes down."),
        "issue": _("The order is in force, and its placard counts as put up on the day on which the tablet did it."),
        "new_owner_served": _("The notice of intent waits for it no longer. Say in the reasons how it was done."),
        "note_owner": _("The order stands. No notice of intent and no entry may follow before the new landowner is "
                        "served."),
        "note_clock": _("The time limits run on from the day on the placard. Nothing changes on placard and tablets."),
        "note_record_clock": _("The record counts under the day that it names, as it does now. No time limit moves."),
        "note_parcel": _("The order stays in force with its placard and time limits. The parcel stays as written."),
        "note_permit": _("The order stays in force. Its time limits follow the permit as it is now recorded; they "
                         "stand on its page and on the tablets. The placard stays up."),
        "note_revocation": _("The order stays released and the permit stays revoked. No time limit runs."),
        "note_repost_after_end": _("The order stays ended and no time limit runs. The public page goes on saying that "
                                   "it has ended. Have somebody take the placard down."),
        "keep_revisions": _("Both are owed, each device by its own day. Nothing changes on the tablets."),
        "withdraw_revision": _("{number} demands nothing any more, and its paper is marked as not valid. The other one "
                               "stands. Tablets say so."),
        "note_void_number": _("The order stays in force with its placard, its number and its time limits."),
        "take_back": _("The permit runs on to its own last day, and the dates of the orders on its site are counted "
                       "again. Tablets say so."),
        "ratify": _("It counts as posted today: every time limit runs from today. It is registered and in force on "
                    "tablets and public page. The placard keeps its number."),
        "accept": _("It counts under the day on its placard: time limits run from that day, and it is registered and "
                    "in force on tablets and public page. The tablet stays withdrawn."),
        "accept_day": _("It counts under the wrong day that it names. Whoever signed it held the power on the day on "
                        "which it arrived. Do anew what must bear the right day."),
        "leave_out": _("The record never counts. It stays readable."),
        "leave_apart": _("The record never counts. It stays readable."),
        "try_again": _("It is looked at anew, for when what it lacked is here now. It counts if nothing stands against "
                       "it any more; otherwise it stays here."),
        "take_version": _("What follows from the record is worked out from this version, also time limits. The other "
                          "one stays readable and counts for nothing."),
        "count_correction": _("What it found is what is open from now on. The other correction counts for nothing. "
                              "Both stay readable."),
        "take_beside": _("The second record counts too, as of a second line of the tablet. Orders under one number are "
                         "then told apart by a decision of their own."),
    }[choice.act]
