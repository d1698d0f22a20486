"""The words of the work: what a severity, a state, an outcome or a kind of fact is called on the screen."""

from __future__ import annotations

from collections import Counter

from sync.documents.language import Translate, counted


def N_(text: str) -> str:
    """Mark a sentence for extraction without translating it yet."""
    return text


SEVERITY = {
    "critical": N_("Critical"),
    "major": N_("Major"),
    "minor": N_("Minor"),
    "observation": N_("Observation"),
}
STATE = {
    "empty": N_("Not answered yet"),
    "incomplete": N_("Not complete yet"),
    "pass": N_("In order"),
    "fail": N_("Fails"),
    "na": N_("Does not apply"),
    "not_observed": N_("Not observed"),
}
OUTCOME = {
    "compliant": N_("Compliant"),
    "corrected on site": N_("Corrected on site"),
    "correction notice": N_("Correction notice"),
    "revision order": N_("Revision order"),
    "stop-work recommended": N_("Stop-work order recommended"),
    "stop-work posted": N_("Stop-work order posted"),
    "emergency action requested": N_("Emergency action requested"),
    "incomplete": N_("Incomplete: something was not observed"),
}
INSPECTION_TYPE = {
    "weekly": N_("Weekly"),
    "rain": N_("After rain"),
    "complaint": N_("Complaint"),
    "re-inspection": N_("Re-inspection"),
    "permit": N_("For a permit"),
    "final": N_("Final"),
    "other": N_("Other"),
}
ENTRY_BASIS = {
    "consent": N_("Consent"),
    "permit condition": N_("Permit condition"),
    "public place": N_("From a public place"),
    "warrant": N_("Warrant"),
    "emergency": N_("Emergency"),
}
SITE_CLASS = {
    "one_two_family": N_("One- and two-family, under 1 acre"),
    "commercial": N_("Commercial building, under 1 acre"),
    "large": N_("1 acre or more"),
    "other": N_("Other site"),
}
TOPIC = {
    "tracking": N_("Tracking"),
    "inlets": N_("Inlet protection"),
    "waste": N_("Waste and materials"),
    "permit": N_("Permit conditions"),
    "devices": N_("Control devices and plan"),
    "dewatering": N_("Dewatering"),
    "timetable": N_("Timetable"),
}
FOLLOWED = {
    "fixed": N_("Fixed"),
    "still_open": N_("Still open"),
    "worse": N_("Worse"),
    "not_observed": N_("Not observed"),
}
SKY = {
    "": N_("Not recorded"),
    "dry": N_("Dry"),
    "light rain": N_("Light rain"),
    "heavy rain": N_("Heavy rain"),
    "snow": N_("Snow"),
    "frozen ground": N_("Frozen ground"),
}
# What is asked beside the basis of entry.
ENTRY_ASKED = {
    "consent": N_("Who consented (name, role)"),
    "warrant": N_("Number of the warrant, and who issued it"),
    "emergency": N_("What made it an emergency"),
}
APPROVED_HOW = {
    "phone": N_("By phone"),
    "in person": N_("In person"),
    "own power": N_("I hold the power myself"),
}
THREATENED = {
    "adjacent property": N_("Adjacent property"),
    "surface water": N_("Surface water"),
    "public way": N_("Public street or way"),
    "storm sewer": N_("Storm sewer"),
}
# What one tap takes back, as it follows "Undo:".
UNDO = {
    "details": N_("the beginning"),
    "topic": N_("a checklist added"),
    "topic-out": N_("a checklist left out"),
    "answer": N_("the answer to {what}"),
    "rest": N_("the rest of the card"),
    "in-order": N_("all in order"),
    "count": N_("the count of the inlets"),
    "follow-up": N_("what became of a finding"),
    "place-added": N_("“{what}” added"),
    "place-gone": N_("“no longer there”"),
    "place-kept": N_("“still there”"),
    "severity": N_("the severity"),
    "due": N_("the due date"),
    "corrected": N_("“corrected on site”"),
    "closing": N_("who was there"),
    "follows": N_("what must follow"),
    "signature": N_("a signature"),
    "photo-off": N_("a photo taken off"),
    "mark": N_("a mark on a photo"),
    "voice-off": N_("a voice note taken off"),
}
# What still misses before signing, by the codes of `capture.findings.Missing`.
MISSING = {
    "answer": N_("Not answered yet."),
    "number": N_("A number is not written right."),
    "note": N_("Say what is wrong."),
    "photo": N_("Take a photo, or say why there is none."),
    "photo-why": N_("Say in a sentence why no photo could be taken."),
    "photo-wide": N_("Take a wide photo, or say why there is none."),
    "photo-close": N_("Take a close photo, or say why there is none."),
    "correction": N_("Say what must be corrected."),
    "due": N_("Set a date and a time."),
    "severity-reason": N_("Say why the severity is lower than computed."),
    "far": N_("Say why photos were taken far from the site."),
    "rain": N_("The rain is not a number of inches."),
    "rain-needed": N_("An inspection after rain says how much it rained."),
    "entry": N_("Say by what you are on the site: the warrant, or what made it an emergency."),
    "approval": N_("Say who approved the entry in an emergency, how and when."),
    "followup": N_("Say what became of it: fixed, still open or worse."),
    "followup-differs": N_("You said it is still open, but its question says that nothing is wrong."),
    "in-charge": N_("Say who was told what must be corrected, or that nobody was there."),
    "in-charge-name": N_("Write the name of the person who signs."),
    "in-charge-signature": N_("The signature is missing."),
    "witness": N_("Name a witness of the refusal, or say why there is none."),
    "revise-reason": N_("Say why the signed inspection is corrected."),
    "rain-much": N_("More than 40 inches of rain in 24 hours cannot be right: check the number."),
}
IN_CHARGE = {
    "signed": N_("Signs for having been told"),
    "refused": N_("Refuses to sign"),
    "nobody present": N_("Nobody in charge is here"),
}
PHOTO_SOURCE = {
    "camera": N_("taken in the app"),
    "system camera": N_("taken with the tablet's camera"),
    "gallery": N_("chosen from the tablet, not taken in the app"),
}
PHOTO_VIEW = {"wide": N_("Wide view"), "close": N_("Close view"), "other": N_("Other view")}
RAIN_SOURCE = {
    "": N_("Not recorded"),
    "gauge on site": N_("Gauge on site"),
    "weather station": N_("Weather station"),
    "estimate": N_("Estimate"),
}
ORDER_STATUS = {
    "none": N_("no order"),
    "recommended": N_("recommended to the office"),
    "issued": N_("issued by the office, not yet up"),
    "posted": N_("posted, not yet registered"),
    "to_confirm": N_("in force, to be confirmed"),
    "in_force": N_("in force"),
    "stayed": N_("stayed by an appeal"),
    "quarantined": N_("held for review by the office"),
    "released": N_("released"),
    "voided": N_("voided"),
    "refused": N_("not issued by the office"),
}
PERMIT_STATE = {
    "applied": N_("applied for, not granted"),
    "in_force": N_("in force"),
    "expired": N_("expired"),
    "revoked": N_("revoked"),
    "denied": N_("denied"),
}
KIND = {
    "inspection_signed": N_("Inspection"),
    "order_posted": N_("Stop-work order, posted"),
    "order_recommended": N_("Stop-work order, recommended"),
    "order_affixed": N_("Stop-work order put up"),
    "photo_added": N_("Photo added"),
    "smaller_copy_added": N_("Smaller copy of a photo"),
    "order_released": N_("Stop-work order released"),
    "placard_reposted": N_("Placard put up again"),
    "order_voided": N_("Stop-work order voided"),
    "number_voided": N_("Order number not used"),
    "emergency_reported": N_("Emergency report"),
    "revision_ordered": N_("Revision of the plan, ordered"),
    "revision_recommended": N_("Revision of the plan, recommended"),
    "site_reported": N_("Site found in the field"),
    "rain_recorded": N_("Rain written down"),
    "person_removed": N_("Person removed from this tablet"),
}
FILE_KIND = {
    "photo": N_("Photo"),
    "placard": N_("Placard"),
    "signature": N_("Signature"),
    "voice_note": N_("Voice note"),
    "annotation": N_("Marks on a photo"),
    "preview": N_("Preview"),
}
UNITS = {"ft": N_("ft"), "sq ft": N_("sq ft"), "cu yd": N_("cu yd")}
SPECIAL = {"na": N_("Does not apply"), "not_observed": N_("Not observed")}
YES_NO = {"yes": N_("Yes"), "no": N_("No")}
BARRIER_UNKNOWN = N_("The plan names no barrier")


def said(table: dict[str, str], key: str, _: Translate) -> str:
    """The words for `key`; a key that a newer server sent is shown as it is, with spaces."""
    return _(table[key]) if key in table else key.replace("_", " ")


def signed_items(count: int, _: Translate) -> str:
    return counted(count, "1 signed item", "{count} signed items", _)


def with_clause(words: str, cite: str, _: Translate) -> str:
    """Words with the clause of the ordinance that they rest on."""
    return _("{words} (clause {cite})").format(words=words, cite=cite)


def files_said(count: int, _: Translate) -> str:
    return counted(count, "1 file", "{count} files", _)


def photos_said(count: int, _: Translate) -> str:
    return counted(count, "1 photo", "{count} photos", _)


def evidence_said(kinds: list[str], _: Translate) -> str:
    """How many files of which kind: "2 photos, 1 signature"."""
    counts = Counter(kinds)
    rest = sum(count for kind, count in counts.items() if kind not in ("photo", "signature", "voice_note"))
    said = [
        photos_said(counts["photo"], _),
        counted(counts["signature"], "1 signature", "{count} signatures", _) if counts["signature"] else "",
        counted(counts["voice_note"], "1 voice note", "{count} voice notes", _) if counts["voice_note"] else "",
        counted(rest, "1 more file", "{count} more files", _) if rest else "",
    ]
    return ", ".join(one for one in said if one)
