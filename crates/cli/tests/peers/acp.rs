//! `linkspan conduct` between an editor and an agent that we did not write, with components on the
//! official crate, on its version 2 and on the generation before it.

mod connections;

use crate::acp_chain::{COMFORT, Chain, nested, program, sacp11, v2, v5};
use crate::installed;

const OFFICIAL: &str = "agent-client-protocol-conductor";
const SAD: &str = "I am sad";
const LIST: &str = "List tools from sparkle";
const CALL: &str = r#"Use tool sparkle::echo with {"message":"hi"}"#;
const NO_SUCH_TOOL: &str = r#"Use tool sparkle::nope with {"message":"hi"}"#;

/// The agent's text for a call that succeeded.
fn assert_echoed(said: &str) {
    assert!(said.contains("OK: CallToolResult"), "{said}");
    assert!(said.contains("Echo: hi"), "{said}");
}

fn official_proxy() -> Vec<String> {
    vec![program(OFFICIAL), "proxy".to_owned()]
}

fn our_proxy() -> Vec<String> {
    [installed::linkspan(), "conduct", "--proxy"]
        .map(str::to_owned)
        .to_vec()
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn an_agent_alone_answers() {
    assert_eq!(Chain::of(&[]).says(SAD), COMFORT);
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn a_proxy_changes_what_the_agent_says() {
    let said = Chain::of(&[&v5("arrow")]).says(SAD);
    assert_eq!(said, format!(">{COMFORT}"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn three_proxies_stand_in_line() {
    let said = Chain::of(&[&v5("arrow"), &v5("arrow"), &v5("pass")]).says(SAD);
    assert_eq!(said, format!(">>{COMFORT}"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn the_official_conductor_is_a_proxy_among_others() {
    let theirs = nested(&official_proxy(), &[&v5("arrow"), &v5("arrow")]);
    assert_eq!(Chain::of(&[&theirs]).says(SAD), format!(">>{COMFORT}"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn a_proxy_of_the_generation_before_passes_everything_on() {
    assert_eq!(Chain::of(&[&sacp11("pass")]).says(SAD), COMFORT);
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn both_generations_take_turns_in_one_chain() {
    let chain = [sacp11("arrow"), v5("arrow"), sacp11("pass"), v5("pass")];
    let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
    assert_eq!(Chain::of(&chain).says(SAD), format!(">>{COMFORT}"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn a_proxy_on_version_2_passes_everything_on() {
    assert_eq!(Chain::of(&[&v2("pass")]).says(SAD), COMFORT);
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn all_generations_take_turns_in_one_chain() {
    let chain = [v2("arrow"), v5("arrow"), sacp11("arrow"), v2("pass")];
    let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
    assert_eq!(Chain::of(&chain).says(SAD), format!(">>>{COMFORT}"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn the_agent_calls_a_tool_of_the_generation_before() {
    assert_echoed(&Chain::of(&[&sacp11("tool")]).says(CALL));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn the_agent_calls_a_tool_of_a_proxy() {
    assert_echoed(&Chain::of(&[&v5("tool")]).says(CALL));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn the_agent_calls_a_tool_of_a_proxy_on_version_2() {
    assert_echoed(&Chain::of(&[&v2("tool")]).says(CALL));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn the_agent_lists_the_tools_of_a_proxy() {
    for provider in [v5("tool"), v2("tool")] {
        let said = Chain::of(&[&provider]).says(LIST);
        assert!(said.contains("echo"), "{said}");
        assert!(said.contains("Says a message again"), "{said}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn a_tool_that_is_not_there_is_an_error_and_no_silence() {
    for provider in [v5("tool"), v2("tool"), sacp11("tool")] {
        let said = Chain::of(&[&provider]).says(NO_SUCH_TOOL);
        let error = "ERROR: Mcp error: -32602: tool `nope` not found";
        assert_eq!(said, error, "{provider}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn a_tool_is_reached_past_proxies_of_other_generations() {
    for chain in [
        [v5("pass"), sacp11("tool"), sacp11("pass"), v2("arrow")],
        [v5("pass"), v2("tool"), sacp11("pass"), v5("arrow")],
        [v2("pass"), v5("tool"), sacp11("pass"), v2("arrow")],
    ] {
        let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
        let said = Chain::of(&chain).says(CALL);
        assert_echoed(&said);
        assert!(said.starts_with('>'), "{said}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn we_are_a_proxy_in_the_official_conductor() {
    let ours = nested(&our_proxy(), &[&v5("arrow"), &sacp11("arrow")]);
    let said = Chain::of_their(OFFICIAL, &[&ours, &v5("arrow")]).says(SAD);
    assert_eq!(said, format!(">>>{COMFORT}"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn we_are_a_proxy_in_the_conductor_of_the_generation_before() {
    let ours = nested(&our_proxy(), &[&sacp11("arrow"), &v5("arrow")]);
    let said = Chain::of_their("sacp-conductor", &[&ours]).says(SAD);
    assert_eq!(said, format!(">>{COMFORT}"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn as_a_proxy_we_bring_the_bridge_that_a_conductor_lacks() {
    for provider in [v5("tool"), v2("tool"), sacp11("tool")] {
        let ours = nested(&our_proxy(), &[&provider, &v5("arrow")]);
        let said = Chain::of_their(OFFICIAL, &[&ours]).says(CALL);
        assert_echoed(&said);
        assert!(said.starts_with('>'), "{said}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn the_conductor_of_the_generation_before_is_a_proxy_once_its_dialect_is_said() {
    // Without its dialect, the conductor takes its first message for its last, so the dialect cannot be detected.
    let theirs = serde_json::json!({
        "command": program("sacp-conductor"),
        "args": ["proxy", sacp11("arrow"), sacp11("arrow")],
        "dialect": "_proxy",
    });
    let said = Chain::of(&[&theirs.to_string()]).says(SAD);
    assert_eq!(said, format!(">>{COMFORT}"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn we_are_a_proxy_in_ourselves() {
    let inner = nested(&our_proxy(), &[&v5("arrow")]);
    let said = Chain::of(&[&inner, &v5("arrow")]).says(SAD);
    assert_eq!(said, format!(">>{COMFORT}"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn a_tool_within_a_nested_conductor_is_reached() {
    let theirs = nested(&official_proxy(), &[&v5("tool"), &v5("pass")]);
    assert_echoed(&Chain::of(&[&theirs]).says(CALL));
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn the_shim_finds_its_way_by_socket_and_by_tcp() {
    for transport in ["unix", "tcp"] {
        let flags = ["--mcp-bridge", "stdio", "--bridge-transport", transport];
        assert_echoed(&Chain::with(&flags, &[&v5("tool")]).says(CALL));
    }
}
