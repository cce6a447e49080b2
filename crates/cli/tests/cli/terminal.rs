//! Colours, and what a server must not do to a terminal.

use linkspan_testkit::{Conn, Flow, Request, Server};

use crate::setup::{Ran, Run, Scratch, answer, linkspan, serving};

/// Blinks, renames the window, rings the bell, returns to the start of the line (in one byte and in two), ends the line
/// in other ways, reverses it, and has an invisible tag.
const RUDE: &str = r"\u001b[5mx\u001b]0;owned\u0007\r\u009b5m\u0008\u007f\u0085\u2028\u2029\u202e\u2066\udb40\udc41";

/// Tries to begin a line that looks like one of ours.
const FORGED: &str = r"x\nerror: forged\r\nerror: forged\u2028error: forged\u200b";

fn rude(result: &str) -> String {
    result.replace("RUDE", RUDE)
}

/// An output without our own colours.
fn without_ours(text: &str) -> String {
    let ours = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[36m"];
    ours.iter()
        .fold(text.to_owned(), |text, code| text.replace(code, ""))
}

fn is_rude(c: char) -> bool {
    c.is_control() && !"\n\t".contains(c)
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// Asserts that a peer has added no line that looks like ours.
#[track_caller]
fn assert_nothing_forged(args: &[&str]) {
    let ran = linkspan(args);
    let all = format!("{}\n{}", ran.stdout, ran.stderr);
    assert!(all.contains("forged"), "{ran}");
    let lines = all.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}']);
    let forged = lines
        .map(without_ours)
        .find(|line| line.starts_with("error: forged"));
    assert_eq!(forged, None, "{ran}");
    assert!(!all.contains('\u{200b}'), "{ran}");
}

#[track_caller]
fn assert_harmless(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let left = without_ours(text);
        let bad = left.chars().find(|c| is_rude(*c));
        assert_eq!(bad, None, "{left:?}");
    }
}

/// Runs it as if on a terminal, and piped.
#[track_caller]
fn assert_harmless_on_a_terminal(args: &[&str]) {
    let ran = Run::new(args).env("CLICOLOR_FORCE", "1").end();
    assert_harmless(&ran);
    assert!(
        ran.stdout.contains('x') || ran.stderr.contains('x'),
        "{ran}"
    );
    let piped = linkspan(args);
    assert_harmless(&piped);
    assert!(
        !piped.stdout.contains('\x1b') && !piped.stderr.contains('\x1b'),
        "{piped}"
    );
}

#[test]
fn there_are_no_colours_in_a_pipe() {
    let server = serving(&[(
        "tools/list",
        r#"{"tools":[{"name":"echo","title":"Echo"}]}"#,
    )]);
    let ran = linkspan(&["tools", &server.url()]);
    assert_eq!(ran.stdout, "echo  Echo\n");
    let refused = linkspan(&["tools", "nonsense"]);
    assert!(refused.stderr.starts_with("error: "), "{refused}");
    let help = linkspan(&["--help"]);
    assert!(!help.stdout.contains('\x1b'), "{help}");
}

#[test]
fn colours_can_be_forced_and_forbidden() {
    let server = Server::legacy().start();
    let args = ["tools", &server.url()];
    let forced = Run::new(&args).env("CLICOLOR_FORCE", "1").end();
    assert_eq!(forced.stdout, "\x1b[1mecho\x1b[0m\n");
    let forbidden = Run::new(&args).env("NO_COLOR", "1").end();
    assert_eq!(forbidden.stdout, "echo\n");
}

#[test]
fn a_list_of_tools_cannot_drive_the_terminal() {
    let tools = r#"{"tools":[{"name":"RUDE","title":"RUDE","description":"RUDE","inputSchema":{"properties":{"RUDE":{"type":"RUDE","description":"RUDE"},"b":{"type":["RUDE","string"]}}}}]}"#;
    let server = serving(&[("tools/list", &rude(tools))]);
    assert_harmless_on_a_terminal(&["tools", &server.url()]);
}

#[test]
fn a_list_of_resources_cannot_drive_the_terminal() {
    let resources = r#"{"resources":[{"uri":"RUDE","name":"RUDE","title":"RUDE","mimeType":"RUDE","description":"RUDE"}]}"#;
    let server = serving(&[("resources/list", &rude(resources))]);
    assert_harmless_on_a_terminal(&["resources", &server.url()]);
}

#[test]
fn a_list_of_prompts_cannot_drive_the_terminal() {
    let prompts = r#"{"prompts":[{"name":"RUDE","description":"RUDE","arguments":[{"name":"RUDE","description":"RUDE"}]}]}"#;
    let server = serving(&[("prompts/list", &rude(prompts))]);
    assert_harmless_on_a_terminal(&["prompts", &server.url()]);
}

#[test]
fn a_result_cannot_drive_the_terminal() {
    let result = r#"{"content":[{"type":"text","text":"RUDE"},{"type":"image","mimeType":"RUDE","data":"AAAA"},{"type":"resource","resource":{"uri":"RUDE","text":"RUDE"}},{"type":"resource_link","uri":"RUDE","name":"RUDE"}]}"#;
    let server = serving(&[("tools/call", &rude(result))]);
    assert_harmless_on_a_terminal(&["call", "anything", &server.url()]);
}

#[test]
fn json_that_is_shown_for_want_of_text_cannot_drive_the_terminal() {
    // JSON allows these two characters as they are.
    for result in [
        "{\"content\":[],\"structuredContent\":{\"x\":\"\u{9b}5m\u{7f}\"}}",
        "{\"content\":[{\"type\":\"of tomorrow\",\"x\":\"\u{9b}5m\u{7f}\"}]}",
        "{\"x\":\"\u{9b}5m\u{7f}\"}",
    ] {
        let server = serving(&[("tools/call", result)]);
        assert_harmless_on_a_terminal(&["call", "anything", &server.url()]);
    }
}

#[test]
fn a_resource_and_a_prompt_cannot_drive_the_terminal() {
    let contents =
        r#"{"contents":[{"uri":"a","text":"RUDE"},{"uri":"a","mimeType":"RUDE","blob":"AAAA"}]}"#;
    let messages = r#"{"messages":[{"role":"RUDE","content":{"type":"text","text":"RUDE"}}]}"#;
    let server = serving(&[
        ("resources/read", &rude(contents)),
        ("prompts/get", &rude(messages)),
    ]);
    assert_harmless_on_a_terminal(&["read", "a", &server.url()]);
    assert_harmless_on_a_terminal(&["prompt", "a", &server.url()]);
}

#[test]
fn an_error_cannot_drive_the_terminal() {
    for data in ["\"RUDE\"", "{\"why\":\"\u{9b}5m\"}"] {
        let error = format!(r#""error":{{"code":1,"message":"RUDE","data":{data}}}"#);
        let error = rude(&error);
        let hook = move |request: &Request, conn: &mut Conn| match request.rpc() {
            Some("tools/list") => answer(request, conn, &error),
            _ => Flow::Pass,
        };
        let server = Server::legacy().intercept(hook).start();
        assert_harmless_on_a_terminal(&["tools", &server.url()]);
    }
}

#[test]
fn the_words_of_an_http_error_cannot_drive_the_terminal() {
    let hook = |_: &Request, conn: &mut Conn| {
        let headers = [("Content-Type", "text/plain; charset=utf-8")];
        Flow::written(conn.reply(500, &headers, "x \x1b[5m \u{9b}5m \x07 \r"))
    };
    let server = Server::legacy().intercept(hook).start();
    assert_harmless_on_a_terminal(&["tools", &server.url()]);
}

#[cfg(unix)]
#[test]
fn the_last_words_of_a_command_cannot_drive_the_terminal() {
    let scratch = Scratch::new("last-words");
    let script = scratch.write(
        "server.sh",
        r"printf 'x \033[5m \302\2335m \007 \r y\n' >&2; exit 1",
    );
    assert_harmless_on_a_terminal(&["tools", "--", "sh", &script]);
}

#[test]
fn a_server_cannot_add_lines_to_a_list() {
    let list = |text: &str| text.replace("FORGED", FORGED);
    let tools = r#"{"tools":[{"name":"FORGED","title":"FORGED","inputSchema":{"type":"object","properties":{"FORGED":{"type":"FORGED","description":"x"},"y":{"type":["FORGED","FORGED"]}}}}]}"#;
    let prompts = r#"{"prompts":[{"name":"FORGED","title":"FORGED","arguments":[{"name":"FORGED","description":"x"}]}]}"#;
    let resources = r#"{"resources":[{"uri":"FORGED","name":"FORGED","mimeType":"FORGED"}]}"#;
    let templates = r#"{"resourceTemplates":[{"uriTemplate":"FORGED","name":"FORGED"}]}"#;
    let messages = r#"{"messages":[{"role":"FORGED","content":{"type":"image","mimeType":"FORGED","data":"AA"}}]}"#;
    let result = r#"{"content":[{"type":"resource_link","uri":"FORGED","name":"FORGED"},{"type":"resource","resource":{"uri":"FORGED","mimeType":"FORGED","blob":"AA"}}]}"#;
    let server = serving(&[
        ("tools/list", &list(tools)),
        ("prompts/list", &list(prompts)),
        ("resources/list", &list(resources)),
        ("resources/templates/list", &list(templates)),
        ("prompts/get", &list(messages)),
        ("tools/call", &list(result)),
    ]);
    for words in [
        &["tools"][..],
        &["prompts"],
        &["resources"],
        &["prompt", "a"],
        &["call", "a"],
    ] {
        let url = server.url();
        assert_nothing_forged(&[words, &[url.as_str()]].concat());
    }
}

#[test]
fn a_server_cannot_add_lines_to_an_error() {
    let error = r#""error":{"code":1,"message":"FORGED","data":"FORGED"}"#;
    let error = error.replace("FORGED", FORGED);
    let hook = move |request: &Request, conn: &mut Conn| match request.rpc() {
        Some("tools/list") => answer(request, conn, &error),
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    assert_nothing_forged(&["tools", &server.url()]);
    // The log contains the names too.
    assert_nothing_forged(&["tools", "-v", &server.url()]);
}

#[cfg(unix)]
#[test]
fn the_last_words_of_a_command_cannot_add_lines() {
    let scratch = Scratch::new("forged-words");
    let script = scratch.write(
        "server.sh",
        r"printf 'x\nerror: forged\rerror: forged\342\200\250error: forged\n' >&2; exit 1",
    );
    assert_nothing_forged(&["tools", "--", "sh", &script]);
    assert_nothing_forged(&["tools", "-v", "--", "sh", &script]);
}
