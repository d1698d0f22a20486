"""Why something is not on the server yet, in words a person understands, and what that person can do.

Codes are stable. Words go through gettext: the English sentence is the message id, `_` comes from the caller.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sync.records.problems import CATALOGUE

Translate = Callable[[str], str]


def N_(text: str) -> str:
    """Marks a sentence for extraction; it is translated where it is shown."""
    return text


@dataclass(frozen=True, slots=True)
class Reason:
    """``words`` say what is the matter, ``advice`` what to do (may be "nothing")."""

    code: str
    words: str
    advice: str


_GOES_ON = N_("Nothing is lost. Siltwatch tries again by itself.")
_OFFICE = N_("Nothing is lost: the item stays on this tablet. Tell the office.")

# About the connection: the whole queue waits.
LINK: dict[str, tuple[str, str]] = {
    "offline": (N_("No connection to the server."), _GOES_ON),
    "time-out": (N_("The server did not answer in time."), _GOES_ON),
    "connection-cut": (N_("The connection was cut."), _GOES_ON),
    "wifi-login": (
        N_("This Wi-Fi wants you to log in first."),
        N_("Log in to this Wi-Fi: open any web page and follow it. Siltwatch then goes on by itself."),
    ),
    "wrong-server": (
        N_("Something answered that is not the city's server."),
        N_("Try another network. Nothing was sent, and nothing is lost."),
    ),
    "insecure": (
        N_("The connection is not secure: the server's certificate does not fit."),
        N_("Check the tablet's date and time, or try another network."),
    ),
    "server-busy": (N_("The server is busy."), _GOES_ON),
    "server-failed": (N_("The server has a fault of its own."), _GOES_ON),
    "server-full": (
        N_("The server has no room, or cannot write to its disk."),
        N_("Nothing is lost: it is tried again. Tell the office."),
    ),
    "tablet-not-accepted": (
        N_("The server does not accept this tablet any more."),
        N_("Nothing is lost: everything stays here. Ask the office to enroll this tablet again."),
    ),
    "tablet-revoked": (
        N_("This tablet has been withdrawn. What it still holds is handed over, and the office looks at it."),
        N_("Bring the tablet to the office."),
    ),
    "app-too-old": (
        N_("This app is too old for the server: open it while online to update."),
        N_("Nothing is lost, and you can go on working. Once it is updated everything is sent."),
    ),
    "server-too-old": (
        N_("This app is newer than the server: the server must be updated first."),
        N_("Nothing is lost, and you can go on working. Tell the office; then everything is sent."),
    ),
}

# About one item: it is set aside, the rest goes on.
ITEM: dict[str, tuple[str, str]] = {
    "quarantined": (N_("The server holds it; the office must look at it."), N_("You need do nothing.")),
    "kind-unknown": (
        N_("The server does not know this kind of record yet. It keeps it."),
        N_("Nothing is lost: the server must be updated first."),
    ),
    "left-out": (
        N_("The server holds it. The office decided that it does not count."), N_("Ask the office for the reasons.")
    ),
    "fact-malformed": (N_("The server could not read this record and did not store it."), _OFFICE),
    "wire-malformed": (N_("The server could not read this record and did not store it."), _OFFICE),
    "too-large": (
        N_("The original is too large for the server: it stays on this tablet."),
        N_("A smaller copy goes to the office. The original goes by itself when the server takes larger files."),
    ),
    "wire-too-large": (N_("It is larger than the server takes."), _OFFICE),
    "too-large-on-the-way": (
        N_("Something on the way to the server does not let so large a file through."),
        N_("Nothing is lost: it stays on this tablet. It is tried again on another network."),
    ),
    "evidence-unknown": (N_("A file of this record cannot be read on this tablet."), _OFFICE),
    "evidence-hash-mismatch": (
        N_("A file of this record arrived changed, several times."),
        N_("Send it again on another network. If it stays, bring the tablet to the office."),
    ),
    "server-failed": (
        N_("The server failed several times on this one item; everything else is sent."),
        N_("It is tried again every few minutes. You can also send it again by hand."),
    ),
    "receipt-amiss": (N_("The server's receipts do not fit this item; everything else is sent."), _OFFICE),
    "refused": (N_("The server refused this item."), _OFFICE),
    "waiting": (N_("The server holds it and waits for another record that it refers to."), N_("You need do nothing.")),
    "need-missing": (
        N_("The server holds it and waits for another record that it refers to."), N_("You need do nothing.")
    ),
    "order-not-issued": (
        N_("The server holds it and waits until the office has issued the order."), N_("You need do nothing.")
    ),
    "apply-failed": (
        N_("The server holds it, but could not work it in yet. It tries again."), N_("You need do nothing.")
    ),
    "files": (N_("The server holds the record; photos are still on their way."), N_("You need do nothing.")),
}

def explain_link(code: str, _: Translate = str) -> Reason:
    """The words for a state of the connection; an unknown code reads as "no connection"."""
    words, advice = LINK.get(code, LINK["offline"])
    return Reason(code, _(words), _(advice))


def explain_item(code: str, detail: str = "", held: bool = False, _: Translate = str) -> Reason:
    """The words for one item that is set aside or not finished; ``held``: the server holds it.

    A code that only the catalogue knows takes its title and advice; one that nobody knows says what the server said.
    """
    if code in ITEM:
        words, advice = ITEM[code]
        return Reason(code, _(words), _(advice))
    if code in CATALOGUE:
        kind = CATALOGUE[code]
        if held:
            return Reason(code, f"{_(ITEM['quarantined'][0])} {_(kind.title)}.", _(ITEM["quarantined"][1]))
        return Reason(code, f"{_(kind.title)}.", _(kind.advice))
    words, advice = ITEM["quarantined" if held else "refused"]
    return Reason(code, f"{_(words)} {detail}".strip(), _(advice))
