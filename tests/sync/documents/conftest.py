"""One order, one inspection and the demo city's pack, as every paper gets them."""

from datetime import UTC, date, datetime

import pytest

from sync.ordinance.dates import order_dates
from sync.ordinance.pack import load_pack
from sync.where import pack_files
from tests.support.samples import inspection_body, order_body, photo

CREATED = datetime(2026, 8, 27, 19, 21, tzinfo=UTC)
PUBLIC_URL = "https://siltwatch.example"


@pytest.fixture(scope="session")
def pack():
    return load_pack(pack_files("demo"))


@pytest.fixture
def order():
    return order_body()


@pytest.fixture
def dates(pack):
    return order_dates(pack, posted_on=date(2026, 8, 27), permit_in_force=True)


@pytest.fixture
def site():
    return {
        "id": "site-01",
        "address": "4 Mill Street",
        "parcel": "11-0404",
        "permittee": {"name": "Kestrel Homes LLC", "address": "9 Mill Road", "phone": ""},
        "landowner": {"name": "José Núñez", "address": "", "phone": ""},
        "land_user": None,
    }


PHOTOS = ("c0ffee" + "0" * 58, "dec0de" + "0" * 58)


@pytest.fixture
def inspection():
    """An inspection with three photos: two named in PHOTOS, the third still on the tablet."""
    body = inspection_body()
    shas = PHOTOS
    body["findings"][0]["photos"] = [shas[0]]
    body["photos"] = [
        photo(
            shas[0],
            position={
                "lat_udeg": 43073051,
                "lon_udeg": -89401230,
                "accuracy_cm": 812,
                "fixed_at": "2026-08-27T14:02:00-05:00",
            },
            no_position=None,
        ),
        photo(shas[1], finding=None, item=None, name="north fence", source="gallery"),
        photo("f" * 64, finding=None, item="INL-01"),
    ]
    body["answers"] += [
        {
            "item": "INL-01",
            "subject": {"kind": "inlet", "id": "inlet-02"},
            "answer": {"answer": "not_observed"},
            "note": "a parked truck stands on it",
        },
        {"item": "c1", "subject": {"kind": "condition", "id": "c1"}, "answer": {"answer": "yes"}, "note": ""},
    ]
    return body
