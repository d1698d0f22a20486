"""A photo taken far from the site says so with the reason that was signed, and where the list had the site then."""

from types import SimpleNamespace

from sync.documents.evidence import far_words
from sync.documents.language import translator

PACK = SimpleNamespace(far_photo_m=100)
SITE = {"lat_udeg": 43_073_100, "lon_udeg": -89_401_200}
THERE = {"position": {"lat_udeg": 43_083_100, "lon_udeg": -89_401_200, "accuracy_cm": 500, "fixed_at": ""}}


def test_far_photos_say_why_and_by_which_list():
    say = translator("en")
    assert far_words(THERE, SITE, PACK, say) == "0.7 mi from the site"
    told = {**THERE, "site_m": 1113, "site_position": SITE, "far_reason": "From the bridge"}
    assert far_words(told, SITE, PACK, say) == "0.7 mi from the site: From the bridge"
    moved = {"lat_udeg": 43_083_100, "lon_udeg": -89_401_200}
    assert far_words(told, moved, PACK, say) == (
        "0.7 mi from the site as it was listed then, 43.073100, -89.401200: From the bridge")
    near = {"position": {**THERE["position"], "lat_udeg": 43_073_200}}
    assert far_words(near, SITE, PACK, say) == ""
