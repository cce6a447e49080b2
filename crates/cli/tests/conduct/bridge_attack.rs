//! Another program of the same user connects to the bridge and gets no data from it.
#![cfg(target_os = "linux")]

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::json;

use crate::bridged::{Bridged, HTTP, PLAIN, bridged, connect, content, http, tools};

/// The messages that the attacker sends to the bridge.
const WORDS: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{}}}\n";

/// Whether `/proc` shows processes by the pids that we know; not so in some containers.
fn can_look() -> bool {
    let me = std::fs::read_link("/proc/self").ok();
    me.is_some_and(|me| me.as_os_str() == std::process::id().to_string().as_str())
}

/// The sockets that a process listens on: paths, and ports of this machine.
fn listening(pid: u32) -> (Vec<String>, Vec<u16>) {
    let mut inodes = HashSet::new();
    for file in std::fs::read_dir(format!("/proc/{pid}/fd")).expect("it runs") {
        let Ok(link) = file.and_then(|file| std::fs::read_link(file.path())) else {
            continue;
        };
        let link = link.to_string_lossy().into_owned();
        if let Some(inode) = link.strip_prefix("socket:[") {
            inodes.insert(inode.trim_end_matches(']').to_owned());
        }
    }
    let read = |name: &str| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/net/{name}"));
        text.expect("there is a list of sockets")
    };
    let mut paths = Vec::new();
    for line in read("unix").lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [_, _, _, _, _, _, inode, path] = words.as_slice()
            && inodes.contains(*inode)
            && !paths.contains(&(*path).to_owned())
        {
            paths.push((*path).to_owned());
        }
    }
    let mut ports = Vec::new();
    for line in read("tcp").lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let port = words[1].rsplit(':').next().expect("an address has a port");
        if words[3] == "0A" && inodes.contains(words[9]) {
            assert!(
                words[1].starts_with("0100007F:"),
                "only this machine: {line}"
            );
            ports.push(u16::from_str_radix(port, 16).expect("a number"));
        }
    }
    (paths, ports)
}

/// Everything received until the connection is closed; it must be closed.
fn answers(mut stream: impl Read) -> String {
    let mut said = Vec::new();
    // A reset is an end too; a time-out means that the bridge has not closed the connection.
    if let Err(e) = stream.read_to_end(&mut said) {
        assert_eq!(e.kind(), std::io::ErrorKind::ConnectionReset, "{e}");
    }
    String::from_utf8_lossy(&said).into_owned()
}

/// First lines that an attacker may try.
fn openings() -> [String; 5] {
    [
        String::new(),
        "\n".to_owned(),
        format!("{}\n", "0".repeat(64)),
        format!("{} {}\n", "0".repeat(64), "0".repeat(64)),
        format!("{}\n", "A".repeat(100_000)),
    ]
}

#[track_caller]
fn assert_still_works(chain: &Bridged, server: &serde_json::Value) {
    let client = connect(server);
    assert_eq!(
        content(&client, "1", "echo", &json!({"a": 1})),
        r#"{"a":1}"#
    );
    let seen = chain.editor.unread();
    assert!(
        seen.iter().all(|line| !line.contains("a stranger")),
        "{seen:?}"
    );
}

#[test]
fn an_attacker_gets_no_data_over_a_unix_socket() {
    use std::os::unix::fs::PermissionsExt;
    if !can_look() {
        return;
    }
    let chain = bridged(
        &["--bridge-transport", "unix"],
        &[tools("D5", "sparkle")],
        PLAIN,
    );
    let server = chain.session("s").remove(0);
    let (paths, ports) = listening(chain.editor.pid());
    assert_eq!((paths.len(), ports.len()), (1, 0), "{paths:?} {ports:?}");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let path = std::path::Path::new(&paths[0]);
    assert_eq!(mode(path) & 0o077, 0, "only its owner may connect");
    assert_eq!(
        mode(path.parent().unwrap()),
        0o700,
        "only its owner may look"
    );
    for opening in openings() {
        let mut stream = UnixStream::connect(path).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let _ = stream.write_all(format!("{opening}{WORDS}").as_bytes());
        assert_eq!(answers(stream), "", "{:.80}", opening);
    }
    // The bridge does not wait for a silent connection.
    let silent = UnixStream::connect(path).expect("it listens");
    silent
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    assert_eq!(answers(silent), "");
    assert_still_works(&chain, &server);
}

#[test]
fn over_tcp() {
    if !can_look() {
        return;
    }
    let chain = bridged(
        &["--bridge-transport", "tcp"],
        &[tools("D2", "sparkle")],
        PLAIN,
    );
    let server = chain.session("s").remove(0);
    let (paths, ports) = listening(chain.editor.pid());
    assert_eq!((paths.len(), ports.len()), (0, 1), "{paths:?} {ports:?}");
    assert_eq!(server["args"], json!(["mcp", ports[0].to_string()]));
    for opening in openings() {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, ports[0])).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let _ = stream.write_all(format!("{opening}{WORDS}").as_bytes());
        let said = answers(stream);
        // A challenge, which cannot be answered without the secret, and nothing more.
        assert!(said.lines().count() <= 1 && said.len() <= 65, "{said}");
    }
    assert_still_works(&chain, &server);
}

#[test]
fn over_http() {
    if !can_look() {
        return;
    }
    let chain = bridged(&["--mcp-bridge", "http"], &[tools("D5", "sparkle")], HTTP);
    let server = chain.session("s").remove(0);
    let (paths, ports) = listening(chain.editor.pid());
    assert_eq!((paths.len(), ports.len()), (0, 1), "{paths:?} {ports:?}");
    let real = http(&server);
    let token = server["headers"][0]["value"].as_str().unwrap();
    let body = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let host = real.address.to_string();
    for (path, host, header) in [
        ("/", &*host, String::new()),
        ("/mcp", &host, String::new()),
        (&real.path, &host, String::new()),
        (&real.path, &host, "Authorization: Bearer \r\n".to_owned()),
        (
            &real.path,
            &host,
            format!("Authorization: Bearer {}\r\n", "0".repeat(64)),
        ),
        (&real.path, &host, format!("Authorization: {}0\r\n", token)),
        ("/mcp", &host, format!("Authorization: {token}\r\n")),
        // A web page that has found the port, even with the token.
        (
            &real.path,
            "evil.example",
            format!("Authorization: {token}\r\n"),
        ),
        (
            &real.path,
            &host,
            format!("Authorization: {token}\r\nOrigin: http://evil.example\r\n"),
        ),
    ] {
        let mut stream = TcpStream::connect(real.address).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let _ = write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: {host}\r\n{header}Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2025-06-18\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let said = answers(stream);
        assert!(said.starts_with("HTTP/1.1 4"), "{path} {header}: {said}");
        assert!(!said.contains("echo"), "{path} {header}: {said}");
    }
    let session = real.session("2025-11-25");
    let answer = session.tool("1", "echo", &json!({"a": 1}));
    assert!(answer.text.contains(r#"{"a":1}"#), "{}", answer.text);
}

#[test]
fn a_secret_opens_one_server_only_and_is_in_no_log() {
    let dir = tempfile::TempDir::new().unwrap();
    let (trace, debug) = (dir.path().join("t.jsons"), dir.path().join("debug"));
    let flags = [
        "--trace",
        trace.to_str().unwrap(),
        "--debug-dir",
        debug.to_str().unwrap(),
    ];
    let proxies = [tools("D5", "one"), tools("D3", "two")];
    let mut chain = bridged(&flags, &proxies, PLAIN);
    let servers = chain.session("s");
    let mut secrets = Vec::new();
    for server in &servers {
        let client = connect(server);
        client.request("1", "tools/list", &json!({}));
        assert!(client.answer("1").result.is_some());
        secrets.push(server["env"][0]["value"].as_str().unwrap().to_owned());
    }
    assert_ne!(secrets[0], secrets[1]);
    chain.editor.close_stdin();
    assert_eq!(chain.editor.exit_code(), Some(0));
    let log = std::fs::read_dir(&debug).unwrap().next().unwrap().unwrap();
    let texts = [
        std::fs::read_to_string(&trace).unwrap(),
        std::fs::read_to_string(log.path()).unwrap(),
        chain.editor.stderr(),
    ];
    for text in texts {
        assert!(
            secrets.iter().all(|secret| !text.contains(secret)),
            "{text}"
        );
    }
}
