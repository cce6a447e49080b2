//! The allowed names in `Host` and `Origin`, which a web page cannot forge.

use linkspan_testkit::mcp_client::{everything, initialize};
use linkspan_testkit::{Ask, Client, Exposed};

use crate::setup::{LATEST, assert_error, expose, legacy};

/// Opens a session with that header instead of the usual one.
fn status(exposed: &Exposed, name: &str, value: &str) -> u16 {
    let client = exposed.client();
    let body = initialize(LATEST, &everything());
    client
        .send(&client.posting(&body).with(name, value))
        .status()
}

fn with_port(client: &Client, host: &str) -> String {
    format!("{host}:{}", client.address.port())
}

#[test]
fn the_names_of_this_machine_are_welcome() {
    let exposed = legacy();
    let client = exposed.client();
    for host in ["localhost", "127.0.0.1", "[::1]", "LocalHost"] {
        assert_eq!(status(&exposed, "Host", host), 200, "{host}");
        let host = with_port(&client, host);
        assert_eq!(status(&exposed, "Host", &host), 200, "{host}");
    }
    assert_eq!(status(&exposed, "Host", "localhost:1"), 200, "any port");
}

#[test]
fn any_other_name_is_forbidden() {
    let exposed = legacy();
    let client = exposed.client();
    let body = initialize(LATEST, &everything());
    for host in [
        "evil.example",
        &with_port(&client, "evil.example"),
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil-localhost",
        "localhost@evil.example",
        "127.0.0.2",
        "[::2]",
        "0.0.0.0",
    ] {
        let ask = client.posting(&body).with("Host", host);
        let mut call = client.send(&ask);
        let code = call.status();
        // A value that is not a host at all may also be answered with 400.
        assert!(
            code == 403 || (code == 400 && host.contains('@')),
            "{host}: {code}"
        );
        if code == 403 {
            assert_error(&mut call, 403);
        }
    }
    assert_eq!(
        exposed.children.started(),
        0,
        "nothing was started for them"
    );
}

#[test]
fn a_request_without_a_host_or_with_two_is_refused() {
    let exposed = legacy();
    let client = exposed.client();
    let body = initialize(LATEST, &everything());
    let none = client.posting(&body).without("Host");
    let two = client.posting(&body).header("Host", "evil.example");
    for ask in [none, two] {
        let code = client.send(&ask).status();
        assert!([400, 403].contains(&code), "{code}");
    }
}

#[test]
fn the_host_is_checked_on_every_path_and_method() {
    let exposed = expose(&["--sse"], &[]);
    let client = exposed.client();
    let session = client.session(LATEST);
    for (method, path) in [
        ("GET", "/mcp"),
        ("DELETE", "/mcp"),
        ("GET", "/healthz"),
        ("GET", "/sse"),
        ("POST", "/messages?sessionId=x"),
        ("OPTIONS", "/mcp"),
    ] {
        let ask = Ask::new(method, path)
            .header("Host", "evil.example")
            .header("Accept", "text/event-stream")
            .header("Mcp-Session-Id", &session.id);
        assert_eq!(client.send(&ask).status(), 403, "{method} {path}");
    }
    assert_eq!(session.end(), 204, "the session is still there");
}

#[test]
fn pages_of_this_machine_are_welcome() {
    let exposed = legacy();
    let client = exposed.client();
    for host in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"] {
        let origin = format!("http://{}", with_port(&client, host));
        assert_eq!(status(&exposed, "Origin", &origin), 200, "{origin}");
    }
}

#[test]
fn any_other_page_is_forbidden() {
    let exposed = legacy();
    let client = exposed.client();
    for origin in [
        "http://evil.example",
        "https://evil.example",
        &format!("http://{}", with_port(&client, "evil.example")),
        "http://localhost.evil.example",
        "http://evil.example/localhost",
        "http://localhost@evil.example",
        "null",
        "NULL",
        "file://",
        "localhost",
    ] {
        assert_eq!(status(&exposed, "Origin", origin), 403, "{origin}");
    }
    assert_eq!(
        exposed.children.started(),
        0,
        "nothing was started for them"
    );
}

#[test]
fn the_page_is_checked_on_every_path_and_method() {
    let exposed = expose(&["--sse"], &[]);
    let client = exposed.client();
    let session = client.session(LATEST);
    for (method, path) in [
        ("GET", "/mcp"),
        ("DELETE", "/mcp"),
        ("GET", "/sse"),
        ("GET", "/healthz"),
    ] {
        let ask = Ask::new(method, path)
            .header("Host", "localhost")
            .header("Accept", "text/event-stream")
            .header("Mcp-Session-Id", &session.id)
            .header("Origin", "http://evil.example");
        assert_eq!(client.send(&ask).status(), 403, "{method} {path}");
    }
    assert_eq!(session.end(), 204);
}

#[test]
fn a_page_can_be_allowed() {
    let exposed = expose(
        &[
            "--allow-origin",
            "https://app.example",
            "--allow-origin",
            "http://two.example:81",
        ],
        &[],
    );
    for (origin, expected) in [
        ("https://app.example", 200),
        ("HTTPS://APP.example", 200),
        ("http://two.example:81", 200),
        ("http://app.example", 403),
        ("https://app.example:8443", 403),
        ("https://app.example.evil.example", 403),
        ("null", 403),
    ] {
        assert_eq!(status(&exposed, "Origin", origin), expected, "{origin}");
    }
}

#[test]
fn every_page_can_be_allowed() {
    let exposed = expose(&["--allow-origin", "*"], &[]);
    for origin in ["https://app.example", "null"] {
        assert_eq!(status(&exposed, "Origin", origin), 200, "{origin}");
    }
    assert_eq!(
        status(&exposed, "Host", "evil.example"),
        403,
        "names are another matter"
    );
}

#[test]
fn a_name_can_be_allowed() {
    let exposed = expose(&["--allow-host", "quay.example"], &[]);
    for (host, expected) in [
        ("quay.example", 200),
        ("QUAY.example:8443", 200),
        ("evil.example", 403),
        ("quay.example.evil.example", 403),
    ] {
        assert_eq!(status(&exposed, "Host", host), expected, "{host}");
    }
}
