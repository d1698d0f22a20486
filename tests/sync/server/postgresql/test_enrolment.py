"""Of casework/test_enrolment.py what takes a code or a number for good, once more, on PostgreSQL."""

from tests.sync.server.casework.test_enrolment import (  # noqa: F401
    city,
    clock,
    test_a_code_serves_one_tablet,
    test_a_server_restored_from_yesterday_recognises_its_own_tablets_people_and_numbers,
    test_a_withdrawn_tablet_gets_nothing_more,
    test_asking_for_numbers_again_burns_none_also_over_new_year,
    test_signing_in_again_with_the_same_code_on_the_same_tablet_gives_the_same_credential,
    test_the_same_code_and_secret_get_the_same_answer_for_good,
    test_when_a_tablet_was_last_in_touch,
)
