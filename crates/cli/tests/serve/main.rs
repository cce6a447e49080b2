//! `linkspan serve DIR` as its clients meet it, through the real binary.
//!
//! Most of it was asked for by the specification of mcp-bash, whose sections have numbers. Which test
//! is for which of its requirements (those that are ours to meet as written, in another way, or for
//! those who write tools):
//!
//! | requirement | tests |
//! |---|---|
//! | 1.1, 1.5, 2.1, 12.3 platforms, the tree, Bash 3.2 | not here: CI, the repository, `scripts/sdk` |
//! | 1.2, 3.1 layout | `finding::*` |
//! | 1.3, 7.4 revisions | `lifecycle::every_revision_with_a_handshake_is_spoken`, `a_revision_that_is_unknown_gets_a_counter_offer` |
//! | 1.4, 4.4, 5.5 one JSON object per line | every test: the client takes nothing else; `results::an_object_is_structured_and_the_same_as_text`, `text_is_text` |
//! | 1.6 HTTP | `http::*` |
//! | 2.2 jq | `calls::the_embedded_jq_is_there_for_tools` |
//! | 2.3, 2.4 minimal mode | `lifecycle::minimal_mode_offers_the_handshake_ping_and_logging_only` |
//! | 2.5, 4.3, 4.7, 4.9 what is no request | `lifecycle::what_is_no_message_is_refused_and_the_next_one_works`, `a_request_with_a_null_id_is_refused` |
//! | 2.6 batches | `lifecycle::a_batch_of_the_revision_that_has_them_is_answered` |
//! | 2.7, 12.4 temporary files | `calls::temporary_files_are_private`, `surroundings::*temporary*`, `limits::calls_leave_no_temporary_files` |
//! | 2.8 UTF-8 | `calls::arguments_come_on_stdin_as_they_were_sent`, `results::text_is_text` |
//! | 3.2, 10.1 – 10.9 SDKs | `sdk::*`, and in `scripts/sdk` |
//! | 4.1 stdout | the transport of `connect`: `tests/connect` |
//! | 4.2 byte order mark, CR | `lifecycle::lines_may_have_a_byte_order_mark_and_end_like_on_windows` |
//! | 4.5, 5.1 no call waits for another | `ending_calls::a_slow_tool_blocks_no_other` |
//! | 4.6, 15.1 many at once | `stress::a_hundred_calls_at_once_are_all_answered_rightly`, `limits::no_more_than_sixteen_run_at_once_and_the_others_wait` and after it |
//! | 4.8 before the handshake | `lifecycle::nothing_is_done_before_the_handshake`, `a_second_handshake_is_refused` |
//! | 5.2 ids | `lifecycle::answers_bear_the_ids_of_their_requests_as_they_were_spelled` |
//! | 5.3, 5.7, 5.8 cancellation | `ending_calls::*cancel*`, `initialize_cannot_be_cancelled`, `questions::a_cancelled_call_takes_its_question_back` |
//! | 5.4, 16.3 whole families end | `ending_calls::a_cancelled_call_takes_its_whole_family_along`, `grandchildren_*`, `no_process_is_left_as_a_zombie` |
//! | 5.6 stderr | `results::a_failure_is_a_result_that_the_model_can_read`, `of_a_long_stderr_the_end_is_told` |
//! | 5.9, 6.3 nothing is left | the end of every test; `lifecycle::a_signal_ends_it_and_every_tool`, `limits::calls_leave_*` |
//! | 6.1, 6.2, 15.2 time | `ending_calls::a_tool_that_takes_too_long_is_ended_and_that_is_said`, `progress_*`, `without_being_asked_to_progress_gives_no_time` |
//! | 7.1, 7.2 capabilities | `lifecycle::it_says_what_it_can_do`, `an_old_revision_hears_of_nothing_that_it_does_not_know` |
//! | 7.3 nothing unasked | `lifecycle::the_server_sends_no_message_without_a_request` |
//! | 7.5 the end | `lifecycle::the_end_of_its_input_*`, `without_anything_to_say_it_ends_well`, `shutdown_is_answered_and_exit_ends_the_server`, `after_shutdown_it_ends_without_exit_as_well` |
//! | 7.6 who it is | `lifecycle::server_info_comes_from_the_server_file`, `without_a_word_about_itself_it_is_called_like_its_folder` |
//! | 8.1 ping | `lifecycle::the_server_sends_no_message_without_a_request` |
//! | 8.2, 13.1, 13.2 logs | `notices::logs_*`, `a_level_that_there_is_not_is_refused` |
//! | 8.3 tools | `calls::*`, `results::*` |
//! | 8.4 resources, subscriptions | `resources::*` |
//! | 8.5, 14.1 roots | `resources::no_link_leads_out_of_the_folder`, `a_file_that_becomes_a_link_outside_is_not_read`, `files_in_the_roots_*`, `confined::*` |
//! | 8.6 prompts | `prompts::*` |
//! | 8.7 completion | `prompts::values_*`, `a_program_may_offer_values`, `completing_what_is_not_there_is_an_error` |
//! | 9.1 metadata | `finding::the_file_beside_a_script_comes_before_the_comment_in_it`, `metadata_may_be_yaml_json_or_toml`, `without_metadata_a_tool_takes_anything` |
//! | 9.2 registry | in memory; `pages::*` see its hash |
//! | 9.3, 9.6 changes | `reload::*`, `calls::an_edited_script_runs_as_it_is_now` |
//! | 9.4 register | for mcp-bash only: `mcp-bash/src` |
//! | 9.5, 16.2 output schema | `results::what_fits_*`, `what_does_not_fit_the_output_schema_is_an_error`, `calls::schemas_may_be_of_draft_7_or_2020_12_and_refer_to_themselves` |
//! | 9.7, 15.5 what is looked at | `finding::what_is_hidden_too_deep_or_not_executable_is_left_out`, `stress::five_hundred_tools_*`, `links_that_lead_in_circles_end` |
//! | 10.2 progress | `notices::progress_*`, `a_call_without_a_token_gets_no_progress` |
//! | 11.1 – 11.5, 15.8 pages | `pages::*` |
//! | 13.3 stderr | `finding::problems_are_told_without_disturbing_the_protocol` |
//! | 14.2 control characters | `results::text_is_text`, `notices::nonsense_on_the_control_channel_is_harmless` |
//! | 14.3 no network | `resources::what_reaches_out_of_this_machine_is_off_unless_it_is_allowed` |
//! | 14.4 arguments | `calls::arguments_are_never_read_by_a_shell`, `arguments_that_do_not_fit_the_schema_do_not_reach_the_tool`, `arguments_that_are_no_object_are_refused` |
//! | 14.5 bounds | `limits::limits_of_the_metadata_hold`, `calls::the_environment_is_what_the_metadata_says`, `confined::*` |
//! | 15.3, 15.4 too much output | `limits::too_much_output_is_cut_and_can_be_read_as_a_resource`, `a_flood_*`, `output_just_below_the_limit_passes` |
//! | 15.6 too much talk | `notices::too_much_progress_is_thinned_out_but_for_the_last`, `a_flood_of_logs_is_thinned_out` |
//! | 15.7 speed | `bench/run serve` |
//! | 16.1 failures | `results::a_failure_*`, `a_tool_that_a_signal_ended_has_failed`, `a_script_that_cannot_be_run_*` |
//! | 16.5 noise | `calls::a_tool_cannot_write_to_the_client`, `workers::noise_does_not_reach_the_client` |
//! | 16.6, 16.7 broken metadata | `finding::metadata_that_is_broken_costs_its_entry_only`, `reload::metadata_that_breaks_leaves_the_last_good_entry` |
//! | 16.8 a full disk | `limits::without_room_for_the_rest_what_is_cut_is_said` |
//! | 17, 19 authors, examples | `tests/cli`, `tests/peers/folder_*`, `examples/` |
//! | 18 stress | `stress::*`, `limits::without_files_to_open_calls_fail_and_later_ones_work` |
//!
//! What mcp-bash itself was found to do wrong, and must not happen here:
//!
//! | defect | tests |
//! |---|---|
//! | progress after the answer, `total: null` | `notices::progress_comes_while_the_tool_runs`, `progress_comes_before_the_answer` |
//! | a failure is no result | `results::a_failure_is_a_result_that_the_model_can_read` |
//! | arguments are not checked | `calls::arguments_that_do_not_fit_the_schema_do_not_reach_the_tool` |
//! | unknown revisions are refused | `lifecycle::a_revision_that_is_unknown_gets_a_counter_offer` |
//! | newlines in prompts | `prompts::values_are_put_in_as_they_are_and_once` |
//! | a bogus cursor is an internal error | `pages::a_cursor_that_is_none_of_ours_is_refused` |
//! | resources lose their last newline, or depend on where it was started | `resources::a_file_is_read_to_its_last_newline`, `surroundings::it_matters_not_where_it_is_started` |
//! | members that MCP does not know | `results::results_have_only_what_mcp_knows` |
//! | it falls without TMPDIR | `surroundings::it_needs_no_folder_for_temporary_files_to_be_named` |
//! | `env.sh` is not read, `--default` does nothing, a policy that is not trusted is skipped | `surroundings::the_environment_of_such_a_project_is_read`, `sdk::bash_tools_read_their_arguments`, `surroundings::a_policy_that_others_can_write_to_lets_nothing_through` |
//! | no HTTP, sampling, sound, links; elicitation by looking again and again | `http::*`, `questions::*`, `results::images_and_sounds_are_told_by_their_first_bytes`, `limits::too_much_output_*` |
//! | three announcements after the handshake | `lifecycle::the_server_sends_no_message_without_a_request` |
#![cfg(unix)]

mod calls;
mod confined;
mod confined_calls;
mod confined_links;
mod ending_calls;
mod finding;
mod folder;
mod http;
mod lifecycle;
mod limits;
mod mounting;
mod notices;
mod pages;
mod prompts;
mod questions;
mod reload;
mod resources;
mod results;
mod sdk;
mod served;
mod stress;
mod surroundings;
mod trust;
mod web;
mod workers;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/serve");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}

/// The tables above name tests, and tests get other names.
#[test]
fn every_test_in_the_tables_is_there() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/serve");
    let rows = include_str!("main.rs").lines();
    let rows = rows.filter(|line| line.starts_with("//! |") && line.contains("::"));
    for row in rows {
        let mut source = String::new();
        for word in row.split('`').skip(1).step_by(2) {
            let name = match word.split_once("::") {
                Some((module, name)) => {
                    let file = here.join(format!("{module}.rs"));
                    source = std::fs::read_to_string(file).expect("the module is there");
                    name
                }
                None => word,
            };
            if source.is_empty() || !word.contains('_') {
                continue;
            }
            let parts: Vec<&str> = name.split('*').filter(|part| !part.is_empty()).collect();
            let mut tests = source.lines().filter_map(|line| line.strip_prefix("fn "));
            assert!(
                tests.any(|test| parts.iter().all(|part| test.contains(part))),
                "{name} in {row}"
            );
        }
    }
}
