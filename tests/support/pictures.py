"""Pictures of any wished size in bytes, all different: what tests upload."""

import io
import random
from functools import lru_cache

from PIL import Image


@lru_cache(maxsize=1)
def _small() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (64, 48), (90, 120, 60)).save(out, "JPEG")
    return out.getvalue()


def picture(size: int, seed: int = 1) -> bytes:
    """A JPEG of exactly ``size`` bytes that no other seed gives: what follows its end is no part of the picture."""
    return _small() + random.Random(seed).randbytes(size - len(_small()))
