"""Photos and other evidence files on the tablet: originals untouched, named by their SHA-256, and what is
read from them.

Invariants: the hash is made from the bytes as they came, before any other code sees them; ``keep`` returns
only when the file is durable; an original is never edited, everything else is derived and can be made again.
"""

from field_app.photos.box import EvidenceBox, Images
from field_app.photos.exif import Exif, read_exif
from sync.records.pictures import Picture, look

__all__ = ["EvidenceBox", "Exif", "Images", "Picture", "look", "read_exif"]
