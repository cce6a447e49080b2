//! Lines of supergateway, as its parser takes them.

use super::*;

fn parse(words: &[&str]) -> Result<Supergateway, LineError> {
    let words = words.iter().map(|word| (*word).to_owned());
    match Supergateway::parse(words)? {
        Asked::Run(line) => Ok(line),
        other => panic!("{other:?}"),
    }
}

/// A line that serves a command.
fn line(words: &[&str]) -> Supergateway {
    parse(&[&["--stdio", "server", "--host", "::1"], words].concat()).unwrap()
}

fn network(words: &[&str]) -> Network {
    match line(words).mode {
        Mode::ToNetwork(network) => network,
        other => panic!("{other:?}"),
    }
}

fn notes(words: &[&str]) -> Vec<String> {
    let notes = line(words).notes.into_iter();
    notes.map(|note| note.to_string()).collect()
}

fn refused(words: &[&str]) -> String {
    let error = parse(words).unwrap_err();
    format!("{error}; {}", error.hint())
}

#[test]
fn the_defaults_are_those_of_the_original() {
    let given = network(&[]);
    assert_eq!(
        (given.port, &*given.command),
        (8000, &["server".to_owned()][..])
    );
    assert!(given.cors.is_empty() && given.health.is_empty());
    let sse = Output::Sse {
        base_url: String::new(),
        path: "/sse".to_owned(),
        message_path: "/message".to_owned(),
    };
    assert_eq!(given.output, sse);
    let http = |sessions| Output::StreamableHttp {
        path: "/mcp".to_owned(),
        sessions,
        version: "2024-11-05".to_owned(),
    };
    let streamable = ["--outputTransport", "streamableHttp"];
    assert_eq!(network(&streamable).output, http(None));
    let stateful = network(&[&streamable[..], &["--stateful"]].concat());
    assert_eq!(stateful.output, http(Some(Duration::from_secs(1800))));
    assert!(notes(&[]).is_empty());
    let all = parse(&["--stdio", "server"]).unwrap().notes;
    assert!(all[0].to_string().starts_with("listening on all addresses"));
}

#[test]
fn a_remote_server_gets_the_headers_and_the_token() {
    for (flag, is_sse) in [("--sse", true), ("--streamableHttp", false)] {
        let headers = [
            "--header",
            "A: b",
            "authorization: x",
            "--oauth2Bearer",
            "t",
        ];
        let line = parse(&[&[flag, "https://mcp.example.com"], &headers[..]].concat()).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            line.headers,
            [pair("A", "b"), pair("Authorization", "Bearer t")]
        );
        assert!(matches!(line.mode, Mode::ToStdio { sse, .. } if sse == is_sse));
    }
}

#[test]
fn flags_of_other_outputs_have_no_effect_and_say_so() {
    let none = |words: &[&str], flag: &str| {
        let notes = notes(words);
        let expected = format!("{flag} has no effect: ");
        assert!(
            notes.iter().any(|note| note.starts_with(&expected)),
            "{words:?}: {notes:?}"
        );
    };
    none(&["--streamableHttpPath", "/x"], "--streamableHttpPath");
    none(&["--stateful"], "--stateful");
    none(&["--sessionTimeout", "5"], "--sessionTimeout");
    none(&["--protocolVersion", "2025-03-26"], "--protocolVersion");
    none(&["--outputTransport", "ws", "--header", "a: b"], "--header");
    none(
        &["--outputTransport", "ws", "--baseUrl", "http://h"],
        "--baseUrl",
    );
    none(
        &["--outputTransport", "streamableHttp", "--ssePath", "/s"],
        "--ssePath",
    );
    none(
        &["--outputTransport", "streamableHttp", "--messagePath", "/s"],
        "--messagePath",
    );
    assert!(notes(&["--cors", "http://a", r"/\.b$/"]).is_empty());
    let told = notes(&["--cors", "/(?=x)/"]);
    assert!(
        told[0].starts_with("the value of --cors is ignored: "),
        "{told:?}"
    );
    let told = notes(&["--oauth2Bearer", "very-secret"]);
    assert!(
        told[0].starts_with("--oauth2Bearer does not protect"),
        "{told:?}"
    );
}

#[test]
fn what_may_be_secret_is_in_no_note() {
    let words = [
        &["--header", "Authorization:", "very-secret"][..],
        &["--oauth2Bearer", "Bearer", "very-secret"],
        &["--header=very-secret"],
    ];
    for words in words {
        let notes = notes(words);
        assert!(
            !notes.is_empty() && !notes.concat().contains("secret"),
            "{notes:?}"
        );
    }
}

#[test]
fn lines_that_the_original_refuses_are_refused_with_a_reason() {
    let stdio = |words: &[&str]| refused(&[&["--stdio", "server"], words].concat());
    let told = [
        refused(&[]),
        refused(&["--stdio", "a", "--sse", "http://h"]),
        refused(&["--stdio", " "]),
        refused(&["--sse", "http://h", "--outputTransport", "ws"]),
        stdio(&["--outputTransport", "stdio"]),
        stdio(&["--outputTransport", "http"]),
        stdio(&["--logLevel", "loud"]),
        stdio(&["--port", "70000"]),
        stdio(&["--port"]),
        stdio(&["--sessionTimeout", "0"]),
        stdio(&["--ssePath", "sse"]),
        stdio(&["--host", "example.com"]),
        stdio(&["--portt", "1"]),
    ];
    insta::assert_snapshot!(told.join("\n"), @r#"
    one of --stdio, --sse and --streamableHttp is needed; for example linkspan supergateway --stdio "uvx mcp-server-git"
    only one of --stdio, --sse and --streamableHttp is possible; leave the others out
    `--stdio` takes a command; --help lists the flags and their values
    sse to ws is not possible; linkspan expose URL serves a remote server over HTTP
    stdio to stdio is not possible; run the command itself, or linkspan connect -- COMMAND
    `--outputTransport` takes stdio, sse, ws or streamableHttp; --help lists the flags and their values
    `--logLevel` takes debug, info or none; --help lists the flags and their values
    `--port` takes a port from 0 to 65535; --help lists the flags and their values
    `--port` needs a value; linkspan supergateway --help lists the flags
    `--sessionTimeout` takes a positive number of milliseconds; --help lists the flags and their values
    `--ssePath` takes a path that begins with / and has no spaces, ?, # or %; --help lists the flags and their values
    `--host` takes an IP address; --help lists the flags and their values
    supergateway has no flag `--portt`; did you mean `--port`?; linkspan supergateway --help lists the flags
    "#);
}
