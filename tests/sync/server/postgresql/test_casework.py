"""A sample of casework's other tests once more, on PostgreSQL: the audit record, orders, conflicts in both orders of
arrival, a whole day, lookings-back, unclaimed files.
"""

from tests.sync.server.casework.test_any_order import (  # noqa: F401
    test_the_day_holds_what_it_should,
    test_the_reverse_order_gives_the_same_state,
)
from tests.sync.server.casework.test_audit import (  # noqa: F401
    city,
    test_a_cut_off_end_is_found,
    test_the_record_is_sealed_from_its_first_entry,
)
from tests.sync.server.casework.test_conflicts import (  # noqa: F401
    test_an_order_on_the_wrong_parcel_is_voided_and_replaced_with_new_clocks,
    test_an_order_posted_without_the_power_is_ratified_as_posted_anew,
    test_an_order_that_arrives_after_day_10_waits_for_its_service_to_be_confirmed,
    test_two_orders_on_one_site_stay_two_when_the_office_keeps_both,
    test_two_orders_with_one_number_are_held_back_and_both_may_stand,
)
from tests.sync.server.casework.test_conflicts_of_permits import (  # noqa: F401
    test_an_extension_recorded_before_or_after_the_order_arrives_comes_to_the_same,
    test_an_extension_that_a_later_pack_does_not_allow_moves_nothing_and_shifts_nothing,
)
from tests.sync.server.casework.test_scope import (  # noqa: F401
    test_a_scope_that_changes_again_while_its_change_comes_down,
)
