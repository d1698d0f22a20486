"""The one catalogue of errors: every failure a person or a program may meet has a stable code here.

A code is never renamed and never reused; programs branch on it, people read title, detail and advice.
One place each turns a Problem into HTTP (problem+json), into a banner on the tablet, into an exit code.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """What is the same for every problem of one code: HTTP status, a short title, and what to do."""

    status: int
    title: str
    advice: str


CATALOGUE: dict[str, Kind] = {
    # wire and facts
    "wire-malformed": Kind(400, "This is not a message we can read", "Send it again unchanged."),
    "wire-too-large": Kind(413, "The message is too large", "Send fewer items at once."),
    "protocol-missing": Kind(400, "The protocol version is missing", "Update the program that sent this."),
    "protocol-too-new": Kind(426, "The tablet is newer than the server", "The server must be updated first."),
    "protocol-too-old": Kind(426, "The tablet is too old for this server", "Update the tablet."),
    "fact-malformed": Kind(400, "A record is not well formed", "Report this to the office with the code."),
    "fact-forked": Kind(409, "The same record exists with other content", "The office decides which one counts."),
    "fact-mac-mismatch": Kind(403, "The signature of this record does not match", "The office reviews it."),
    "fact-counter-taken": Kind(409, "Another record has this place in the tablet's count",
                               "The tablet may have been copied; the office reviews it."),
    "fact-from-other-tablet": Kind(403, "This record names another tablet", "The office reviews it."),
    "kind-unknown": Kind(422, "The server does not know this kind of record yet",
                         "Nothing is lost: the server must be updated first."),
    "no-authority": Kind(403, "The person did not hold the power for this on that day",
                         "The building inspector reviews it."),
    "number-malformed": Kind(400, "This is not an order number", "Check the number, letter by letter."),
    "number-not-leased": Kind(403, "This number was not given to that tablet", "The office reviews it."),
    "number-taken": Kind(409, "Another order bears this number", "Both are kept; the office reviews them."),
    "tablet-codes-gone": Kind(409, "Every tablet code of this city has been given out",
                              "Nothing is lost: the tablets there are go on. The program must be changed first."),
    "tablet-copied-too-often": Kind(409, "This tablet was copied too often to get another code",
                                    "Enroll it anew: what it holds is kept. The office withdraws the copies."),
    "subject-unknown": Kind(422, "It speaks of something the server does not know", "The office reviews it."),
    "need-missing": Kind(409, "It refers to a record that has not arrived yet",
                         "It is applied by itself when that record arrives."),
    "order-not-issued": Kind(409, "The office has not issued this order",
                             "It is applied by itself once the order is issued."),
    "apply-failed": Kind(500, "The server could not work this record in",
                         "Nothing is lost: it is tried again; the office is told."),
    "finding-taken": Kind(409, "Another inspection has a finding with this id", "The office reviews it."),
    "city-other": Kind(403, "This record belongs to another city", "The office reviews it."),
    "person-unknown": Kind(403, "The server does not know this person", "The office reviews it."),
    "database-newer": Kind(409, "The database was written by a newer program", "Update the server."),
    "data-missing": Kind(404, "There is no city in this data folder",
                         "Start with siltwatch demo, or name another folder."),
    "data-damaged": Kind(500, "The data folder is not complete", "Restore the folder from its backup."),
    "port-taken": Kind(409, "Another program already listens there", "Stop it, or choose another --port."),
    "changed-meanwhile": Kind(409, "Somebody else changed this meanwhile",
                              "Open the page anew and make your change there."),
    "folder-in-the-way": Kind(409, "The folder holds something else", "Name another folder."),
    "audit-broken": Kind(500, "The audit record was changed", "Compare it with a backup; tell the city attorney."),
    "receipt-forged": Kind(502, "The answer did not come from our server", "Check the network, then try again."),
    # evidence
    "evidence-hash-mismatch": Kind(422, "The bytes do not match their fingerprint", "Send the file again."),
    "evidence-hash-malformed": Kind(400, "This is not a SHA-256 fingerprint", "Send the file again."),
    "evidence-empty": Kind(422, "The file is empty", "Take the photo again."),
    "evidence-truncated": Kind(422, "The file is cut off", "Take the photo again, or record it again."),
    "evidence-damaged": Kind(500, "The saved file is no longer what it was", "Bring the tablet to the office."),
    "evidence-too-large": Kind(413, "The file is larger than the server takes",
                               "It stays on the tablet; the office is told."),
    "evidence-not-an-image": Kind(422, "The file is not a picture we know", "Choose a photo."),
    "evidence-not-a-recording": Kind(422, "The file is not a sound recording we know", "Record it again."),
    "evidence-not-a-paper": Kind(422, "The file is neither a PDF nor a picture", "Print the paper again."),
    "evidence-not-a-signature": Kind(422, "The file is not a signature", "Let the person sign again."),
    "evidence-not-an-annotation": Kind(422, "The file holds no marks over a photo", "Draw the marks again."),
    "evidence-too-many-pixels": Kind(422, "The picture has too many pixels",
                                     "Take it with a smaller resolution."),
    "evidence-unknown": Kind(404, "This file is not here", "Wait until the tablet that holds it has sent it."),
    # uploads in parts (tus)
    "upload-version": Kind(412, "Another version of tus was asked for", "Send the header Tus-Resumable: 1.0.0."),
    "upload-malformed": Kind(400, "The upload request is not well formed", "See where it says what is wrong."),
    "upload-media": Kind(415, "The bytes came under another media type",
                         "Send them as application/offset+octet-stream."),
    "upload-offset": Kind(409, "The upload goes on at another place", "Ask how far it is, and go on from there."),
    "upload-checksum": Kind(460, "The bytes do not match their checksum", "Send these bytes again."),
    "upload-unknown": Kind(404, "There is no such upload, or its time is over", "Begin it again."),
    # a tablet's work as a file
    "upload-too-many": Kind(409, "This tablet has too many unfinished uploads here",
                            "Finish or give up one of them; each is given up by itself after a week."),
    "transfer-idle": Kind(408, "The sender fell silent in the middle", "Send again; of an upload in parts what came is "
                                                                       "kept."),
    "export-malformed": Kind(422, "This is not a file that a tablet saved", "Choose the file as the tablet saved it."),
    "export-damaged": Kind(422, "The file is damaged or was cut off",
                           "Nothing was taken. Copy it again, or save it on the tablet once more."),
    "export-newer": Kind(409, "The file was saved by a newer tablet app", "Update the server first."),
    "export-other-city": Kind(409, "The file comes from a tablet of another city", "Take it to that city's office."),
    "export-forged": Kind(403, "The file does not come from a tablet of this city as it is",
                          "It was changed, or another server enrolled the tablet. Nothing was taken."),
    "receipts-malformed": Kind(422, "This is not a file of receipts", "Choose the file that the office gave you."),
    "receipts-other-tablet": Kind(409, "These receipts are for another tablet", "Take them to that tablet."),
    "receipts-other-epoch": Kind(409, "These receipts do not fit the server as this tablet knows it",
                                 "Connect to the office once: the tablet then asks by itself."),
    # who
    "token-missing": Kind(401, "No tablet token", "Enroll the tablet again."),
    "token-unknown": Kind(401, "The server does not know this tablet token", "Enroll the tablet again."),
    "token-expired": Kind(401, "The tablet's token is old", "The tablet renews it by itself."),
    "renewal-stale": Kind(409, "This renewal was made too long ago", "It is asked for anew by itself."),
    "tablet-revoked": Kind(403, "This tablet has been withdrawn", "Bring it to the office."),
    "code-unknown": Kind(404, "This code is not known or no longer valid",
                         "Compare it with the office's, letter by letter to its end. If it is the same, ask for a new "
                         "one."),
    "code-used": Kind(409, "This code was used on another tablet", "Ask the office for a new code."),
    "link-used": Kind(409, "This link was used already", "Ask for a new link."),
    "session-missing": Kind(401, "You are not signed in", "Open your sign-in link."),
    "cross-site": Kind(403, "The request came from another site", "Open the office page directly."),
    "cookie-refused": Kind(400, "The tablet interface takes no cookies", "Use the tablet app."),
    "method-not-allowed": Kind(405, "This cannot be done here", "Check the address."),
    "not-found": Kind(404, "There is nothing here", "Check the address."),
    "body-malformed": Kind(422, "The request is not well formed", "See where it says what is wrong."),
    "reasons-missing": Kind(422, "Reasons are needed", "Write why, in a sentence."),
    "act-not-open": Kind(409, "The ordinance does not allow this step now", "See what is still missing."),
    "left-out": Kind(409, "A person decided that this record does not count", "It stays readable in the office."),
    "permit-not-extended": Kind(409, "The permit cannot be extended like this",
                                "Choose another day, or take a new application."),
    "already-decided": Kind(409, "This was already decided", "Nothing was changed."),
    "data-in-use": Kind(409, "Another server has this folder", "One server serves a folder: stop the other one first."),
    "server-busy": Kind(503, "The server is busy", "Nothing is lost: it is tried again by itself."),
    "server-full": Kind(507, "The server's disk is full", "Nothing is lost: it is tried again. Tell the office."),
    "server-disk": Kind(507, "The server cannot write to its disk",
                        "Nothing is lost: it is tried again. Tell the office."),
    "file-not-written": Kind(507, "The file cannot be written", "Name another place that has room, then try again."),
    "database-unreachable": Kind(503, "The server cannot reach its database",
                                 "Nothing is lost: tablets try again by themselves. Tell whoever keeps the server."),
    "database-in-the-way": Kind(409, "The database holds something already", "Name an empty one."),
    "row-not-moved": Kind(409, "The other database cannot keep what this one holds",
                          "Nothing was moved: the city is where it was. Report what is said here."),
    "server-failed": Kind(500, "Something went wrong on the server", "Try again; report it if it stays."),
    # law
    "pack-malformed": Kind(422, "The ordinance pack has a mistake", "Correct the named key in the named file."),
    "clause-not-confirmed": Kind(409, "This clause has not been confirmed by the city",
                                 "The city must confirm it before it prints."),
    "calendar-year-missing": Kind(422, "The calendar has no table for this year",
                                  "Add the year to the ordinance pack."),
    # tablet
    "store-busy": Kind(423, "Siltwatch is open in another tab", "Close the other tab, or take over here."),
    "storage-low": Kind(507, "There is too little room on the tablet for photos",
                        "Text goes on. Send what waits, then make room: see Settings."),
    "store-full": Kind(507, "The tablet's storage is full", "Free some space; nothing already saved is lost."),
    "store-damaged": Kind(500, "The saved records cannot be read", "Do not reset; bring the tablet to the office."),
    "store-newer": Kind(409, "The records were written by a newer version", "Update the app."),
    "store-value": Kind(422, "This cannot be saved", "Report this to the office with the code."),
    "evidence-locked": Kind(423, "This file is another person's", "It opens when that person unlocks the tablet."),
    "store-locked": Kind(423, "The tablet is locked", "Give your PIN."),
    "recovery-unknown": Kind(404, "The office does not know this request", "Begin again on the tablet."),
    "recovery-none": Kind(409, "The office cannot open this PIN", "Keep trying the PIN; nothing is ever erased."),
    "passphrase-wrong": Kind(403, "The passphrase is not right", "Type it as it stands on the paper from the set-up."),
    "passphrase-wait": Kind(429, "Too many wrong passphrases", "Wait a moment, then try again."),
    "recovery-file": Kind(422, "This file is not the one for this forgotten PIN",
                          "Choose the file that was made for it."),
    "recovery-malformed": Kind(400, "This is no request for a forgotten PIN", "Begin again on the tablet."),
    "pin-wrong": Kind(403, "The PIN is not right", "Try again."),
    "pin-wait": Kind(429, "Too many wrong PINs", "Wait a moment, then try again."),
    "pin-weak": Kind(422, "This PIN is too short or too simple", "Use six to twelve digits without a pattern."),
    "not-enrolled": Kind(409, "This tablet is not enrolled", "Enter an enrollment code from the office."),
    "not-signed-in": Kind(409, "Nobody is signed in on this tablet", "Enter your personal code."),
    "lease-empty": Kind(409, "No order numbers are left on this tablet",
                        "Connect to the office once, or use another tablet."),
    "clock-wrong": Kind(409, "This tablet's clock shows a day that cannot be",
                        "Set date and time right in the tablet's own settings, then make the placard."),
    "tablet-copied": Kind(409, "Another tablet works under the same code",
                          "Connect to the office once: this tablet then gets a code and numbers of its own."),
    "inspection-incomplete": Kind(422, "Something is still missing", "See the list of what is missing."),
    "report-incomplete": Kind(422, "The report is not complete", "See the list of what is missing."),
    "map-malformed": Kind(422, "The map's own file cannot be read", "See docs/server.md: Maps."),
    "rain-malformed": Kind(422, "This rain cannot be written down", "Correct the number or the times."),
    "order-incomplete": Kind(422, "The order is not complete", "See the list of what is missing."),
    "reprint-needed": Kind(409, "The placard bears another date than today", "Print it again, then post it."),
    "blank-used": Kind(409, "This pre-printed placard is used already",
                       "Take another one; this number is on an order."),
    "blank-void": Kind(409, "This pre-printed placard was recorded as void", "Destroy it and take another one."),
    "blank-other-tablet": Kind(403, "This pre-printed placard belongs to another tablet",
                               "Take one from this tablet's own stack, or print the placard."),
    "blank-unknown": Kind(404, "This tablet does not know this pre-printed placard",
                          "Connect to the office once, then scan it again; or print the placard."),
    "blank-not-dated": Kind(409, "Nobody has said yet that the date is written on the placard",
                            "Write today's date on it with a marker, then confirm it here."),
    "blank-date-differs": Kind(409, "The placard bears another date than today",
                               "Take a new pre-printed placard, or print one; record this one as spoiled."),
    "code-foreign": Kind(422, "This code is not that of a stop-work placard", "Scan the code on the placard."),
    "code-other-city": Kind(403, "This placard is not one of this city", "Take one from this tablet's own stack."),
    "code-not-seen": Kind(422, "No code was found in the picture",
                          "Hold the tablet so that the code fills the frame, in good light; or type it."),
    "code-not-asked": Kind(422, "This is not the code that is asked for",
                           "Scan the code that the office shows for this, or type it."),
    "pin-needed": Kind(403, "Your PIN is needed for this", "Enter your PIN."),
    "pin-differs": Kind(422, "The two PINs are not the same", "Enter the same PIN twice."),
    "pin-missing": Kind(409, "You have no PIN on this tablet yet", "Set a PIN first."),
    "pack-missing": Kind(409, "The ordinance has not come down to this tablet yet", "Connect to the office once."),
    "draft-unknown": Kind(404, "This draft is not on this tablet", "Go back to the site; it may have been signed."),
    "item-unknown": Kind(422, "There is no such item in this inspection", "Go back to the inspection."),
    "label-missing": Kind(422, "It needs a name", "Write the name that stands on the plan, or one you choose."),
    "choice-unknown": Kind(422, "This choice is not offered here", "Choose one that is shown."),
    "too-many-marks": Kind(422, "There are too many marks on this photo", "Take some back, or take another photo."),
    "too-many-photos": Kind(422, "There are too many photos", "Sign this record, and go on in another one."),
    "too-many-people": Kind(422, "There are too many people", "Take some off, or name the others in what you saw."),
    "too-many-notes": Kind(422, "There are too many voice notes", "Take some off, or write the rest."),
    "text-too-long": Kind(422, "The text is too long", "Write it shorter, or use the note of another item."),
    "due-malformed": Kind(422, "This is not a date and a time", "Give a date, and a time such as 17:00."),
    "placard-missing": Kind(409, "The placard has not been printed", "Print the placard first."),
    "placard-not-up": Kind(409, "The placard is not up yet", "Put it up, then tap “The placard is up”."),
    "placard-up": Kind(409, "The placard is already up", "Sign the posting, or take the tap back first."),
    "person-last": Kind(409, "The last person of a tablet cannot be removed from it",
                        "Let somebody else sign in first."),
    "name-differs": Kind(422, "That is not the name", "Type the name as it stands on the screen."),
    "entry-not-open": Kind(409, "The land may not be entered yet", "Say first what it takes."),
    "order-stands": Kind(409, "A stop-work order stands on this site", "Say why a second one is needed."),
    "order-not-open": Kind(409, "This cannot be done with the order any more", "Go back to the site."),
    "camera-unavailable": Kind(503, "The camera does not answer", "Choose a photo instead."),
    "microphone-unavailable": Kind(503, "The microphone does not answer", "Type the note instead."),
    "paper-elsewhere": Kind(409, "This device cannot put photos on paper",
                            "The office has the report once the inspection is there."),
    "offline": Kind(503, "The office cannot be reached", "Nothing is lost: it is sent by itself later."),
    "network-login": Kind(511, "This Wi-Fi asks for a log-in", "Log in to this Wi-Fi, then it goes on by itself."),
    "wrong-server": Kind(502, "Another server answered", "Check the network, then try again."),
    # Plan documents and other files that come down.
    "credential-ended": Kind(403, "The office ended this sign-in", "Ask the office for a new personal code."),
    "file-unknown": Kind(404, "There is no such file for this tablet", "Pull the changes again."),
    "file-not-here": Kind(409, "This file is not on the tablet yet", "It comes by itself when there is a connection."),
    "range-malformed": Kind(416, "This part of the file does not exist", "Ask for a part that begins inside the file."),
    "plan-missing": Kind(422, "No file was chosen", "Choose a PDF, a PNG or a JPEG, then add it again."),
    "plan-not-shown": Kind(422, "This file cannot be shown",
                           "Choose a PDF, a PNG or a JPEG that opens without a password."),
    "plan-too-large": Kind(413, "The file is too large", "Save it smaller, or in parts, and add it again."),
    "scope-malformed": Kind(422, "This choice of sites cannot be used", "Choose sites from the list."),
    "site-malformed": Kind(422, "Something about the site cannot be used", "Correct what is named and save again."),
}


class Problem(Exception):
    """A failure with a stable code.

    ``detail`` says what happened in one sentence, ``where`` names the place (a key, a file, a field).
    Raises KeyError at once for a code that is not in the catalogue, so that none is made up in passing.
    """

    def __init__(self, code: str, detail: str = "", *, where: str = ""):
        self.kind = CATALOGUE[code]
        self.code = code
        self.detail = detail or self.kind.title
        self.where = where
        super().__init__(f"{self.detail} [{code}]" + (f" at {where}" if where else ""))

    @property
    def status(self) -> int:
        return self.kind.status

    @property
    def title(self) -> str:
        return self.kind.title

    @property
    def advice(self) -> str:
        return self.kind.advice

    def to_wire(self) -> dict[str, object]:
        """The members of application/problem+json (RFC 9457), with our stable code."""
        return {
            "type": f"urn:siltwatch:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "where": self.where,
            "advice": self.advice,
        }
