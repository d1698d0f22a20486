"""Reads a QR code from a picture, in plain Python: the same on every tablet, without a network and without a picture
library. `read_code` is all that others call; why it is ours is told in docs/decisions/ ("A QR reader of our own")."""

from field_app.scan.reader import read_code

__all__ = ["read_code"]
