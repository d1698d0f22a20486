"""Field failures of comparable systems that touch sync, and the tests that show that Siltwatch does not have them.

One row for each kind of failure: where it was reported, what must come of it here, and the tests (file::function, below
``tests/``). ``tests/contracts/test_anchors.py`` sees that each named test is there and runs in every run.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Anchor:
    """``row``: B for reports of failures, E for promises and how others test them."""

    row: str
    seen: str
    here: str
    tests: tuple[str, ...]


WORK, CLIENT, SERVER = "field_app/work/test_", "sync/client/test_", "sync/server/"

ANCHORS = (
    # --- B: what was reported -------------------------------------------------------------------------------------
    Anchor("B1", "Survey123 #389, #305: each retry made another record, some without photos",
           "lost replies and failing photos leave one record, incomplete until every photo is there", (
               WORK + "evidence_anchors.py::test_b1_lost_replies_make_no_second_record_and_lose_no_photo",
               WORK + "evidence_anchors.py::test_b1_a_photo_that_fails_leaves_one_incomplete_record",
               "model/test_scenes.py::test_each_fate_of_every_first_call_ends_well")),
    Anchor("B3", "KoboCAT #470: check, then insert, stored one submission twice",
           "32 at once are one, by a constraint of the database", (
               SERVER + "test_process.py::test_thirty_two_at_once_are_one",
               SERVER + "api/test_at_once.py::test_one_record_by_32_is_one_record_and_31_are_told_that_it_is_held")),
    Anchor("B5", "ODK #1017: deleted on the tablet although sending had failed",
           "nothing but a receipt that names every file lets anything go", (
               WORK + "evidence_anchors.py::test_b5_nothing_but_a_receipt_lets_a_photo_go",
               CLIENT + "engine.py::test_no_other_reply_turns_an_item_green",
               CLIENT + "outbox.py::test_originals_are_kept_for_a_fortnight_after_the_receipt",
               "model/test_scenes.py::test_what_was_kept_for_fourteen_days_goes_and_any_younger_backup_still_has_it")),
    Anchor("B7", "Enketo #1043: of two signatures in one form, one image went missing",
           "two files kept in the same moment are two files", (
               WORK + "evidence_anchors.py::test_b7_two_signatures_in_the_same_moment_are_both_kept",)),
    Anchor("B9", "QField #4341, QFieldCloud #445: 342 of 2,000 photos arrived, some were empty",
           "all arrive through cuts and kills; empty and cut-off files are refused on both sides", (
               "faults/test_a_day_of_photos.py::test_a_hundred_photos_with_five_cuts_and_both_sides_killed",
               "faults/test_cut_connections.py::test_everything_arrives_once_through_cut_connections",
               WORK + "evidence_anchors.py::test_b9_an_empty_or_cut_photo_is_refused_where_it_is_taken",
               SERVER + "casework/test_evidence.py::test_what_is_no_evidence_is_refused_and_nothing_stays")),
    Anchor("B11", "QField #4033, QFieldCloud #551: said pushed, failed later, the next sync erased it",
           "received is not applied; what is held back is said with its reason, and stays", (
               CLIENT + "engine_items.py::test_received_is_not_applied",
               WORK + "sites_and_outbox.py::test_what_the_office_holds_back_is_said_with_its_reason",
               WORK + "the_whole_job.py::test_signed_says_safe_only_once_the_server_has_record_and_files")),
    Anchor("B13", "QField #6228: the token ran out in the field",
           "an old token is renewed in between, the queue goes on, capture never waits", (
               CLIENT + "standing.py::test_after_fourteen_days_offline_all_arrives_over_http_without_a_person",
               WORK + "tablet_standing.py::test_after_two_weeks_in_the_field_the_token_is_renewed_and_nobody_notices")),
    Anchor("B15", "Mergin #582, #4207: a dead upload's lock, and a promise to retry that nobody kept",
           "a dead transfer is taken over at once; the next try that is shown is the one that comes", (
               SERVER + "uploads/test_taking_over.py::test_a_dead_transfer_is_taken_over_at_once_and_keeps_what_it_brought",
               SERVER + "uploads/test_taking_over.py::test_a_server_killed_in_the_middle_goes_on_from_the_offset_it_told",
               CLIENT + "driver_times.py::test_the_next_try_that_is_shown_is_the_one_that_comes",
               WORK + "engine_in_the_app.py::test_the_time_of_the_next_try_is_on_the_screen_and_true")),
    Anchor("B17", "Mergin manual: many photos in one transaction time out",
           "each photo goes by itself, and what is there stays there over restarts", (
               CLIENT + "driver_times.py::test_photos_go_one_by_one_and_what_is_there_stays_there_over_restarts",)),
    Anchor("B20", "ODK #672: out of memory after ten photos",
           "one picture is decoded at a time", (
               WORK + "evidence_anchors.py::test_b20_thirty_previews_take_no_more_memory_than_three",
               WORK + "memory.py::test_thirty_photos_of_50_megapixels_need_at_most_1_2_times_the_memory_of_three",
               "field_app/photos/test_opfs_box.py::test_thirty_photos_of_12_megapixels_leave_the_heap_as_three_did")),
    Anchor("B23", "Collect #4571, #5033: sideways and unreadable resized photos",
           "previews are upright, originals untouched", (
               WORK + "evidence_anchors.py::test_b23_every_orientation_is_upright_in_the_preview_and_the_original_stays",)),
    Anchor("B25", "Inlet app #50: positions at 0,0",
           "no position travels as none, with the reason", (
               WORK + "evidence_anchors.py::test_b25_a_photo_without_a_position_arrives_without_one",
               WORK + "photos.py::test_a_zeroed_position_in_a_picture_is_none",
               WORK + "photos.py::test_far_from_the_site_both_positions_and_the_reason_are_signed")),
    Anchor("B27", "KPI #5771, ODK #1213: dates a day early, times shifted at a change of clocks",
           "tablet, server and papers name one day", (
               WORK + "clocks.py::test_in_the_night_when_the_clock_changes_tablet_server_and_papers_name_one_day",)),
    Anchor("B29", "Collect #997, #6741: an update that broke the store or its drafts",
           "killed anywhere in an update, the store is the old one or the new one, with all drafts", (
               "field_app/store/test_killed_opening.py::test_killed_at_every_operation_of_an_update",
               "field_app/store/test_fixtures.py::test_an_older_store_is_read_and_goes_on",
               "field_app/store/test_crash.py::test_a_full_medium_leaves_the_old_data_and_says_so",
               SERVER + "db/test_killed_migration.py::test_killed_at_one_statement_after_the_other",
               SERVER + "db/test_killed_migration.py::test_every_revision_comes_up_to_date_after_a_kill")),
    Anchor("B31", "Central #433, KoboCAT #546: names in other scripts lost the attachment",
           "a name is a note beside the file and never its address", (
               WORK + "evidence_anchors.py::test_b31_a_name_in_any_script_and_form_travels_as_it_is_and_names_no_file",)),
    Anchor("B33", "several projects: offline devices gave one number twice",
           "250 orders offline have 250 numbers and 250 entries; a true collision holds both back", (
               SERVER + "casework/test_numbers.py::test_five_tablets_with_fifty_orders_each_have_250_numbers_and_250_entries_in_any_order",
               WORK + "tablet_standing.py::test_a_true_collision_holds_both_orders_back_and_keeps_both_records",
               "model/test_scenes.py::test_two_copies_of_a_tablet_lose_nothing_and_both_orders_under_one_number_are_held_back")),
    Anchor("B34", "CommCare #1823, #1807: one bad form blocked every other",
           "one bad item is set aside with its reason, the rest is delivered", (
               CLIENT + "driver_times.py::test_one_poison_record_among_fifty_is_set_aside_and_the_rest_is_delivered",
               WORK + "engine_in_the_app.py::test_a_poison_item_is_set_aside_after_the_set_number_of_tries")),
    Anchor("B36", "CHT #273, Ground #2133: a full disk lost data",
           "a full disk on either side loses nothing, says so, and goes on when there is room", (
               "model/test_scenes.py::test_both_disks_are_full_for_long_and_nothing_is_lost",
               SERVER + "uploads/test_bounds.py::test_a_full_disk_leaves_nothing_half_done_and_it_goes_on_when_there_is_room",
               "field_app/store/test_crash.py::test_a_full_medium_leaves_the_old_data_and_says_so")),
    Anchor("B38", "SORMAS #1378, #950: the next user saw or lost the last one's work",
           "each person's items go out under that person, whoever holds the tablet", (
               WORK + "pins_and_people.py::test_two_people_share_a_tablet",
               WORK + "pins_and_people.py::test_signing_out_with_seven_unsent_items_loses_and_shows_nothing")),
    Anchor("B39", "OpenSRP #527, QField, CommCare: a log-in page's 200 counted as sent",
           "only a receipt counts; a log-in page is called one", (
               CLIENT + "engine.py::test_a_wifi_login_page_keeps_everything_waiting_and_is_named",
               CLIENT + "native_transport.py::test_a_bad_answer_is_never_a_success_and_has_its_name",
               CLIENT + "browser_transport.py::test_a_bad_answer_is_never_a_success_and_has_its_name",
               "faults/test_strangers.py::test_the_app_says_what_is_the_matter_and_nothing_turns_green",
               "model/test_scenes.py::test_each_fate_of_every_first_call_ends_well")),
    Anchor("B, more: Mergin #4335", "a deleted item came back",
           "what is gone comes down as a tombstone and stays gone", (
               WORK + "what_came_down.py::test_a_document_that_was_deleted_does_not_come_back",)),
    Anchor("B, more: tusd #234, TUSKit #162", "a stale offset led to a restart or a deadlock",
           "the offset is asked for, and it goes on from there", (
               CLIENT + "uploads.py::test_after_a_cut_the_server_is_asked_and_no_more_than_a_chunk_goes_twice",
               SERVER + "uploads/test_protocol.py::test_bytes_at_another_place_change_nothing",
               SERVER + "uploads/test_foreign_clients.py::test_aiotus_resumes_by_itself_after_cuts")),
    Anchor("B, more: Fulcrum", "what was on a lost device is unknown",
           "what a lost tablet is known to have held is listed", (
               SERVER + "casework/test_lost.py::test_gaps_needs_and_files_are_listed_and_vanish_when_they_arrive",)),
    Anchor("B, more: InspectPoint", "no autosave: the tablet fell, and the day was gone",
           "after every step a killed app shows the same", (
               WORK + "kill_and_restart.py::test_after_every_step_a_restarted_app_shows_the_same",)),
    # --- E: what others promise -----------------------------------------------------------------------------------
    Anchor("E OpenRosa", "no resume, no digest; the server alone decides that something is complete",
           "a receipt names every file by its hash, and the tablet checks it", (
               CLIENT + "engine.py::test_no_other_reply_turns_an_item_green",
               CLIENT + "uploads.py::test_whatever_the_network_does_the_file_arrives_once_and_whole",
               SERVER + "api/test_facts.py::test_a_correction_after_a_lost_reply_is_a_record_of_its_own")),
    Anchor("E Kobo", "201, 202, 409, 423: tested with two at once",
           "32 at once, with forks among them", (
               SERVER + "api/test_at_once.py::test_one_batch_with_forks_by_32_keeps_each_version_once",
               SERVER + "api/test_at_once.py::test_one_file_by_32_is_one_file_and_31_are_told_that_it_is_held")),
    Anchor("E CouchDB", "conflicts are normal, and invisible unless asked for",
           "every conflict is listed with its decisions, and the end is the same in any order of arrival", (
               SERVER + "casework/test_conflicts_any_order.py::test_any_order_of_arrival_and_any_repetition_comes_to_the_same",)),
    Anchor("E tus 1.0", "409 and nothing changed; checksum; expiry; no digest of the whole",
           "all of it, and the SHA-256 of the whole before the file exists", (
               SERVER + "uploads/test_protocol.py::test_bytes_at_another_place_change_nothing",
               SERVER + "uploads/test_protocol.py::test_a_part_that_does_not_match_its_checksum_is_thrown_away_alone",
               SERVER + "uploads/test_protocol.py::test_its_time_runs_out",
               SERVER + "uploads/test_protocol.py::test_wrong_bytes_never_become_a_file_and_the_upload_begins_anew")),
    Anchor("E resumable uploads draft", "an acknowledged offset is a guarantee; limits told; the newer request wins",
           "the same", (
               SERVER + "uploads/test_taking_over.py::test_an_offset_is_told_only_when_the_bytes_and_the_note_of_them_are_on_the_disk",
               SERVER + "uploads/test_taking_over.py::test_a_patch_that_does_not_fit_disturbs_nobody",
               SERVER + "uploads/test_protocol.py::test_what_this_server_can_do_is_told_to_anybody",
               CLIENT + "evidence_lane.py::test_what_is_larger_than_the_server_takes_is_never_sent_until_the_limit_is_raised")),
    Anchor("E idempotency key", "the same request is safe to repeat; other content under the key is refused",
           "the id and the bytes are the key; other bytes are a fork, and both are kept", (
               SERVER + "casework/test_receiving.py::test_the_same_bytes_again_get_the_same_receipt_and_change_nothing",
               SERVER + "casework/test_receiving.py::test_other_bytes_under_a_known_id_are_kept_apart_and_never_replace_the_first")),
    Anchor("E Mergin", "a stale push is taken over; one push at a time",
           "taken over at once, and never waited for", (
               SERVER + "uploads/test_taking_over.py::test_32_clients_at_once_cannot_corrupt",)),
    Anchor("E PowerSync", "a public suite of kills, pauses and partitions: nothing acknowledged is lost, nothing twice",
           "the state machine, and real processes that are really killed", (
               "model/test_sync_machine.py::test_runs",
               "faults/test_a_day_of_photos.py::test_a_hundred_photos_with_five_cuts_and_both_sides_killed",
               SERVER + "test_copies_and_restores.py::test_a_server_restored_from_yesterday_gets_back_what_its_tablets_hold_and_no_number_twice")),
    Anchor("E content-addressed files", "nobody has them from end to end",
           "one hash from the shutter to the office", (
               WORK + "evidence_anchors.py::test_e_content_addressed_from_the_shutter_to_the_office",)),
)  # fmt: skip
