"""What every store of evidence files promises; each backend's test class inherits this and gives ``blobs``."""

import hashlib

import pytest

DATA = bytes(range(256)) * 3_000


def keep(blobs, data):
    incoming = blobs.incoming()
    incoming.write(data)
    try:
        return incoming.keep(), incoming.digest()
    finally:
        incoming.drop()


class BlobsContract:
    def test_what_was_kept_is_read_back_to_the_byte(self, blobs):
        new, name = keep(blobs, DATA)
        assert new and name == hashlib.sha256(DATA).hexdigest()
        assert blobs.has(name)
        assert blobs.size(name) == len(DATA)
        assert blobs.read(name) == DATA
        assert b"".join(blobs.stream(name, chunk=1000)) == DATA
        assert b"".join(blobs.stream(name, chunk=1000, start=1234)) == DATA[1234:]
        assert list(blobs.stream(name, start=len(DATA))) == []
        assert list(blobs.names()) == [name]

    def test_what_comes_in_can_be_looked_at_more_than_once(self, blobs):
        incoming = blobs.incoming()
        incoming.write(DATA)
        for size in (16, len(DATA), 5):
            with incoming.open() as file:
                assert file.read(size) == DATA[:size]
        incoming.write(b"more")
        with incoming.open() as file:
            assert file.read() == DATA + b"more"
        incoming.drop()

    def test_keeping_twice_is_keeping_once(self, blobs):
        _, name = keep(blobs, DATA)
        assert keep(blobs, DATA) == (False, name)
        assert list(blobs.names()) == [name]
        assert blobs.read(name) == DATA

    def test_an_announced_file_lies_under_what_its_bytes_are_named(self, blobs):
        name = hashlib.sha256(DATA).hexdigest()
        for announced, new in ((name, True), ("f" * 64, False)):
            incoming = blobs.coming(announced)
            incoming.write(DATA)
            assert incoming.keep() == new
            incoming.drop()
            assert list(blobs.names()) == [name] and blobs.read(name) == DATA

    def test_what_nothing_names_can_be_removed_and_kept_again(self, blobs):
        _, name = keep(blobs, DATA)
        for _ in range(2):
            blobs.remove(name)
            assert not blobs.has(name) and list(blobs.names()) == []
        assert keep(blobs, DATA) == (True, name)

    def test_nothing_shows_before_it_is_kept_and_nothing_stays_when_it_is_dropped(self, blobs):
        incoming = blobs.incoming()
        incoming.write(DATA[:1000])
        name = incoming.digest()
        assert not blobs.has(name) and list(blobs.names()) == []
        incoming.drop()
        incoming.drop()
        assert not blobs.has(name) and list(blobs.names()) == []

    def test_it_can_be_looked_at_before_it_is_kept(self, blobs):
        incoming = blobs.incoming()
        incoming.write(DATA[:10])
        incoming.write(DATA[10:30])
        with incoming.open() as file:
            assert file.read(20) == DATA[:20]
            file.seek(0)
            assert file.read() == DATA[:30]
        assert incoming.size == 30
        assert incoming.keep()
        incoming.drop()
        assert blobs.has(hashlib.sha256(DATA[:30]).hexdigest())

    def test_a_file_that_came_in_parts_is_adopted_once(self, blobs):
        name = hashlib.sha256(DATA).hexdigest()
        for new in (True, False):
            part = blobs.unfinished / "one.data"
            part.write_bytes(DATA)
            assert blobs.has(name) != new
            assert blobs.adopt(part, name) == new
            part.unlink()
            assert blobs.read(name) == DATA and list(blobs.names()) == [name]

    def test_two_of_one_file_at_once_end_as_one(self, blobs):
        both = [blobs.incoming(), blobs.incoming()]
        for incoming in both:
            incoming.write(DATA)
        assert [incoming.keep() for incoming in both] == [True, False]
        for incoming in both:
            incoming.drop()
        assert blobs.read(hashlib.sha256(DATA).hexdigest()) == DATA

    @pytest.mark.parametrize("name", ["0" * 64])
    def test_a_file_that_is_not_held(self, blobs, name):
        assert not blobs.has(name)
        for act in (blobs.size, blobs.read, lambda n: list(blobs.stream(n))):
            with pytest.raises(KeyError):
                act(name)
