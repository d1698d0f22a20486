"""Our readers against Pillow's writers, in every format that Pillow writes with EXIF."""

import io

import pytest
from PIL import Image

from field_app.photos import look, read_exif


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF"])
@pytest.mark.parametrize("options", [{}, {"progressive": True, "lossless": True}])
def test_what_pillow_writes_is_read(kind, options):
    exif = Image.Exif()
    exif[0x112], exif[0x10F] = 3, "Acme"
    exif.get_ifd(0x8769).update({0x9003: "2026:08:27 14:03:22", 0x9011: "-05:00"})
    exif.get_ifd(0x8825).update({1: "S", 2: (33.0, 51.0, 31.25), 3: "E", 4: (151.0, 12.0, 40.5)})
    out = io.BytesIO()
    Image.effect_noise((301, 207), 60).convert("RGB").save(out, kind, exif=exif.tobytes(), **options)
    data = out.getvalue()
    picture = look(data)
    assert (picture.media, picture.width, picture.height, picture.whole) == (f"image/{kind.lower()}", 301, 207, True)
    assert not look(data[:-30]).whole
    found = read_exif(data)
    assert (found.taken, found.offset, found.make) == ("2026-08-27T14:03:22", "-05:00", "Acme")
    assert (found.lat_udeg, found.lon_udeg) == (-33_858_681, 151_211_250)
    assert found.orientation == 3 or kind == "AVIF"  # AVIF turns by a property of its own.
