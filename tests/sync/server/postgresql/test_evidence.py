"""Of casework/test_evidence.py what the database has to do with, once more, on PostgreSQL."""

from tests.sync.server.casework.test_evidence import (  # noqa: F401
    city,
    clock,
    tablet,
    test_a_lost_file_is_noticed,
    test_a_receipt_turns_whole_when_the_last_file_is_here_in_whatever_order,
    test_a_tablet_with_a_new_code_is_still_the_one_that_sent_it,
    test_knowing_a_hash_grants_no_read,
    test_nor_does_naming_it_in_a_record_of_ones_own,
    test_the_same_file_again_gets_the_same_receipt,
    test_wrong_bytes_under_a_hash_are_refused_and_nothing_stays,
)
