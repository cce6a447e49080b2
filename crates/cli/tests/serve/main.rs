//! `linkspan serve DIR` as its clients see it, through the real binary.
//!
//! Most requirements are those of the specification of mcp-bash, by its section numbers. The table names the
//! tests of each requirement that this program meets as written, meets differently, or leaves to tool authors:
//!
//! | requirement | tests |
//! |---|---|
//! | 1.1, 1.5, 2.1, 12.3 platforms, the tree, Bash 3.2 | not here: CI, the repository, `scripts/sdk` |
//! | 1.2, 3.1 layout | `finding::*` |
//! | 1.3, 7.4 revisions | `lifecycle::every_revision_with_a_handshake_is_spoken`, `an_unknown_revision_gets_a_counter_offer` |
//! | 1.4, 4.4, 5.5 one JSON object per line | every test: the client takes nothing else; `results::an_object_is_structured_content_and_text`, `text_is_text` |
//! | 1.6 HTTP | `http::*` |
//! | 2.2 jq | `calls::the_embedded_jq_is_there_for_tools` |
//! | 2.3, 2.4 minimal mode | `lifecycle::minimal_mode_offers_the_handshake_ping_and_logging_only` |
//! | 2.5, 4.3, 4.7, 4.9 what is no request | `lifecycle::an_invalid_message_is_refused_and_the_session_continues`, `a_request_with_a_null_id_is_refused` |
//! | 2.6 batches | `lifecycle::a_batch_is_answered_in_2025_03_26` |
//! | 2.7, 12.4 temporary files | `calls::temporary_files_are_private`, `surroundings::*temporary*`, `limits::calls_leave_no_temporary_files` |
//! | 2.8 UTF-8 | `calls::stdin_has_the_arguments_as_sent`, `results::text_is_text` |
//! | 3.2, 10.1 – 10.9 SDKs | `sdk::*`, and in `scripts/sdk` |
//! | 4.1 stdout | the transport of `connect`: `tests/connect` |
//! | 4.2 byte order mark, CR | `lifecycle::lines_may_have_a_byte_order_mark_and_crlf` |
//! | 4.5, 5.1 no call waits for another | `ending_calls::a_slow_tool_blocks_no_other` |
//! | 4.6, 15.1 many at once | `stress::a_hundred_concurrent_calls_are_answered_correctly`, `limits::at_most_sixteen_calls_run_at_once` and after it |
//! | 4.8 before the handshake | `lifecycle::requests_before_the_handshake_are_refused`, `a_second_handshake_is_refused` |
//! | 5.2 ids | `lifecycle::answers_have_the_original_spelling_of_ids` |
//! | 5.3, 5.7, 5.8 cancellation | `ending_calls::*cancel*`, `initialize_cannot_be_cancelled`, `questions::a_cancelled_call_cancels_its_question` |
//! | 5.4, 16.3 whole families end | `ending_calls::a_cancelled_call_ends_all_descendants`, `grandchildren_*`, `no_zombies_are_left` |
//! | 5.6 stderr | `results::a_failure_is_an_error_result`, `the_end_of_a_long_stderr_is_reported` |
//! | 5.9, 6.3 nothing is left | the end of every test; `lifecycle::a_signal_ends_the_server_and_every_tool`, `limits::calls_leave_*` |
//! | 6.1, 6.2, 15.2 time | `ending_calls::a_timeout_ends_the_tool_and_is_reported`, `progress_*`, `progress_does_not_extend_the_timeout_by_default` |
//! | 7.1, 7.2 capabilities | `lifecycle::initialize_returns_the_capabilities`, `older_revisions_get_only_members_they_know` |
//! | 7.3 nothing unasked | `lifecycle::the_server_sends_no_message_without_a_request` |
//! | 7.5 the end | `lifecycle::the_end_of_its_input_*`, `empty_input_ends_the_server_with_success`, `shutdown_is_answered_and_exit_ends_the_server`, `after_shutdown_the_server_ends_without_exit` |
//! | 7.6 who it is | `lifecycle::server_info_comes_from_the_server_file`, `the_default_server_name_is_that_of_the_folder` |
//! | 8.1 ping | `lifecycle::the_server_sends_no_message_without_a_request` |
//! | 8.2, 13.1, 13.2 logs | `notices::logs_*`, `an_unknown_log_level_is_refused` |
//! | 8.3 tools | `calls::*`, `results::*` |
//! | 8.4 resources, subscriptions | `resources::*` |
//! | 8.5, 14.1 roots | `resources::links_out_of_the_folder_are_refused`, `a_file_replaced_by_a_link_outside_is_not_read`, `only_files_in_roots_can_be_read`, `confined::*` |
//! | 8.6 prompts | `prompts::*` |
//! | 8.7 completion | `prompts::values_*`, `a_program_may_offer_values`, `completing_an_unknown_argument_is_an_error` |
//! | 9.1 metadata | `finding::a_metadata_file_overrides_inline_metadata`, `metadata_may_be_yaml_json_or_toml`, `a_tool_without_metadata_accepts_any_arguments` |
//! | 9.2 registry | in memory; `pages::*` see its hash |
//! | 9.3, 9.6 changes | `reload::*`, `calls::an_edited_script_takes_effect_at_once` |
//! | 9.4 register | for mcp-bash only: `mcp-bash/src` |
//! | 9.5, 16.2 output schema | `results::what_fits_*`, `output_that_violates_its_schema_is_an_error`, `calls::schemas_may_be_of_draft_7_or_2020_12_and_refer_to_themselves` |
//! | 9.7, 15.5 what is looked at | `finding::hidden_deep_and_not_executable_files_are_left_out`, `stress::five_hundred_tools_*`, `cyclic_links_are_handled` |
//! | 10.2 progress | `notices::progress_*`, `progress_needs_a_token` |
//! | 11.1 – 11.5, 15.8 pages | `pages::*` |
//! | 13.3 stderr | `finding::problems_are_reported_outside_the_protocol` |
//! | 14.2 control characters | `results::text_is_text`, `notices::nonsense_on_the_control_channel_is_harmless` |
//! | 14.3 no network | `resources::remote_schemes_are_off_by_default` |
//! | 14.4 arguments | `calls::arguments_are_never_read_by_a_shell`, `invalid_arguments_do_not_reach_the_tool`, `arguments_other_than_objects_are_refused` |
//! | 14.5 bounds | `limits::resource_limits_of_the_metadata_apply`, `calls::the_metadata_defines_the_environment`, `confined::*` |
//! | 15.3, 15.4 too much output | `limits::large_output_is_cut_and_stored_as_a_resource`, `endless_*`, `output_just_below_the_limit_passes` |
//! | 15.6 too much talk | `notices::progress_is_throttled_except_the_last`, `logs_are_throttled` |
//! | 15.7 speed | `bench/run serve` |
//! | 16.1 failures | `results::a_failure_*`, `a_tool_ended_by_a_signal_has_failed`, `a_script_that_cannot_run_is_an_error_result` |
//! | 16.5 noise | `calls::a_tool_cannot_write_to_the_client`, `workers::invalid_lines_of_a_worker_do_not_reach_the_client` |
//! | 16.6, 16.7 broken metadata | `finding::invalid_metadata_affects_its_entry_only`, `reload::metadata_that_breaks_leaves_the_last_good_entry` |
//! | 16.8 a full disk | `limits::a_full_disk_is_reported_with_the_cut_output` |
//! | 17, 19 authors, examples | `tests/cli`, `tests/peers/folder_*`, `examples/` |
//! | 18 stress | `stress::*`, `limits::without_files_to_open_calls_fail_and_later_ones_work` |
//!
//! What mcp-bash itself was found to do wrong, and must not happen here:
//!
//! | defect | tests |
//! |---|---|
//! | progress after the answer, `total: null` | `notices::progress_comes_while_the_tool_runs`, `progress_arrives_before_the_answer` |
//! | a failure is no result | `results::a_failure_is_an_error_result` |
//! | arguments are not checked | `calls::invalid_arguments_do_not_reach_the_tool` |
//! | unknown revisions are refused | `lifecycle::an_unknown_revision_gets_a_counter_offer` |
//! | newlines in prompts | `prompts::placeholders_are_filled_once_with_unchanged_values` |
//! | a bogus cursor is an internal error | `pages::a_foreign_cursor_is_refused` |
//! | resources lose their last newline, or depend on where it was started | `resources::a_file_is_read_to_its_last_newline`, `surroundings::the_working_directory_does_not_matter` |
//! | members that MCP does not know | `results::results_have_only_members_of_mcp` |
//! | it falls without TMPDIR | `surroundings::tmpdir_is_optional` |
//! | `env.sh` is not read, `--default` does nothing, a policy that is not trusted is skipped | `surroundings::the_environment_of_an_mcp_bash_project_is_read`, `sdk::bash_tools_read_their_arguments`, `surroundings::a_policy_writable_by_others_allows_nothing` |
//! | no HTTP, sampling, sound, links; elicitation by polling | `http::*`, `questions::*`, `results::images_and_audio_are_detected_by_their_first_bytes`, `limits::large_output_*` |
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
fn every_test_in_the_tables_exists() {
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
