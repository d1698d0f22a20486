"""Names that both ends of the protocol must spell alike: version, headers, paths, default limits."""

PROTOCOL = 1
OLDEST_PROTOCOL = 1

HEADER_PROTOCOL = "Siltwatch-Protocol"
HEADER_EPOCH = "Siltwatch-Epoch"
HEADER_EVIDENCE_KIND = "Siltwatch-Evidence-Kind"
# With a preview: the SHA-256 of the photo that it was made of.
HEADER_PREVIEW_OF = "Siltwatch-Preview-Of"
# A sealed receipt as base64 of its JSON, where an answer has no body.
HEADER_RECEIPT = "Siltwatch-Receipt"

# Sent with enrol and recode by an app that renews its device token by itself; others get one that does not age.
HEADER_RENEWS = "Siltwatch-Renews"

# In every answer: the most bytes that the server takes in one file, as it stands now.
HEADER_LARGEST = "Siltwatch-Largest-File"

# Sent with enrol, recode and lease by an app that reads the codes and numbers which bear the mark of a restore.
HEADER_MARKS = "Siltwatch-Marks"

# With every call of a tablet: the latest witness that it was given (see docs/protocol.md, section 7).
HEADER_WITNESS = "Siltwatch-Witness"

HELLO = "/api/v1/hello"
ENROL = "/api/v1/enrol"
SIGN_IN = "/api/v1/signin"
LEASE = "/api/v1/lease"
RENEW = "/api/v1/renew"
RECODE = "/api/v1/recode"
FACTS = "/api/v1/facts"
RECEIPTS = "/api/v1/receipts"
EVIDENCE = "/api/v1/evidence/"
UPLOADS = "/api/v1/uploads"
CHANGES = "/api/v1/changes"
DIAGNOSIS = "/api/v1/diagnosis"
RECOVERY = "/api/v1/recovery"
RECOVERY_LOOK = "/api/v1/recovery/look"
FILES = "/api/v1/files/"
PUBLIC_ORDER = "/o/"

MAX_BATCH = 50
# So many receipts of lost lives of the server are kept of a record and come with it.
MAX_FORMER = 10
# A record or file that fails so often for a reason of its own is set aside, and the rest goes on.
ITEM_TRIES = 5
MAX_FACT_BYTES = 1_000_000
MAX_EVIDENCE_BYTES = 64 * 1024 * 1024
# A report of a tablet about itself.
MAX_DIAGNOSIS_BYTES = 200_000
MAX_PIXELS = 150_000_000


def public_order_url(public_url: str, number: str, token: str, printed_on: str | None = None) -> str:
    """What the QR code on a placard holds; ``printed_on`` (YYYY-MM-DD) is absent on a pre-printed blank."""
    return f"{public_url.rstrip('/')}{PUBLIC_ORDER}{number}?t={token}" + (f"&p={printed_on}" if printed_on else "")
