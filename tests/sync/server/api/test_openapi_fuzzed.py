"""The published interface, asked by schemathesis for all that it allows and much that it does not: it is honest.

No answer is a failure of the server; every status, media type and body is one that the interface announces; whatever
is refused is refused as a problem with a code of our catalogue. Always the same questions (fixed seed).
"""

import json
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from sync.records.macs import fingerprint
from sync.records.problems import CATALOGUE
from sync.server.app import compose
from sync.server.casework import audit
from sync.server.casework.evidence import hold_bytes
from sync.server.settings import Settings
from tests.model.tablet import png
from tests.support.city import field_tablet, inspection_body, memory_city
from tests.support.clock import StoppedClock

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
          response_schema_conformance]  # fmt: skip
EXAMPLES = 20
PHOTO = png(1)
HELD = fingerprint(PHOTO)


@schemathesis.serializer("application/offset+octet-stream")
def _part_of_a_file(_, value):
    return value if isinstance(value, bytes) else json.dumps(value, default=repr).encode()


@pytest.fixture(scope="module")
def asked():
    """A city with a tablet, a record and a file, behind the whole server."""
    city = memory_city(StoppedClock())
    tablet = field_tablet(city, "ada")
    tablet.push(tablet.fact("inspection_signed", inspection_body()))
    hold_bytes(city, tablet.tablet, HELD, "photo", PHOTO)
    app = compose(city, Settings(data=Path("/nowhere")))
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    schema.config.update(base_url="http://testserver/api/v1")
    return city, tablet, schema


def operations(schema):
    return {f"{op.method.upper()} {op.path}": op for op in (result.ok() for result in schema.get_all_operations())}


# Held to the code by test_openapi.
PUBLISHED = json.loads(Path(__file__).with_name("openapi.json").read_text())["paths"]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
# Where nothing can be said, nothing wrong can be said.
ASKED = sorted((f"{method.upper()} {path}", mode.value) for path, methods in PUBLISHED.items()
               for method, operation in methods.items() for mode in MODES if mode is MODES[0] or operation["parameters"]
               )  # fmt: skip


@pytest.mark.parametrize(("name", "mode"), ASKED)
def test_what_is_published_is_what_happens(asked, name, mode):
    city, tablet, schema = asked
    operation = operations(schema)[name]

    @seed(20261130)
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=False, database=None, phases=(Phase.generate,),
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=GenerationMode(mode)), known=st.booleans(),
           who=st.sampled_from(("tablet", "tablet", "nobody", "other")))  # fmt: skip
    def ask(case, who, known):
        headers = {}
        if known:  # an address that is right, whatever else is wrong
            real = {"sha256": HELD, "tablet_code": tablet.tablet.code}
            case.path_parameters.update({name: real[name] for name in case.path_parameters if name in real})
        if who != "nobody":
            headers["Authorization"] = f"Bearer {tablet.enrolled.device_token if who == 'tablet' else 'x.T01.y'}"
        reply = case.call(headers=headers)
        case.validate_response(reply, checks=CHECKS)
        told(reply)

    ask()
    audit.verify(city)


def told(reply):
    if reply.status_code >= 400 and reply.request.method != "HEAD":
        assert reply.headers["content-type"] == ["application/problem+json"], reply.headers
        problem = json.loads(reply.content)
        assert problem["code"] in CATALOGUE and problem["status"] == reply.status_code, problem
        assert CATALOGUE[problem["code"]].status == reply.status_code
    assert reply.headers["siltwatch-protocol"] == ["1"] and reply.headers["siltwatch-epoch"]
