//! linkspan in place of mcp-remote and supergateway: the same command lines, and clients see the same.

mod readmes;

use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::installed::{folder, linkspan, node, npm, npm_script};
use crate::server::{Server, free_address};

/// A script of one of the packages.
fn original(path: &str) -> String {
    let script = folder().join("npm/node_modules").join(path);
    script.to_string_lossy().into_owned()
}

/// The words that start a program: the original, and ours.
fn both(name: &str) -> [Vec<String>; 2] {
    let path = match name {
        "mcp-remote" => "mcp-remote/dist/proxy.js",
        _ => "supergateway/dist/index.js",
    };
    let node = node().to_string_lossy().into_owned();
    [
        vec![node, original(path)],
        vec![linkspan().to_owned(), name.to_owned()],
    ]
}

/// server-everything on stdin and stdout, as one word.
fn everything() -> String {
    let node = node();
    let server = npm("server-everything/dist/index.js");
    format!("{} {}", node.display(), server.display())
}

/// What clients see of a program with these words; `{port}` in them is a free port.
fn seen(kind: &str, path: &str, program: &[String], words: &[&str], env: &[(&str, &str)]) -> Value {
    let home = tempfile::tempdir().expect("a folder");
    let port = free_address().port().to_string();
    let words = words.iter().map(|word| word.replace("{port}", &port));
    let output = Command::new(node())
        .arg(npm_script("dropin.mjs"))
        .arg(kind)
        .args(program)
        .args(words)
        .envs([("PORT", &*port), ("PATH_OF", path)])
        .env("HOME", home.path())
        .env("LINKSPAN_STATE", home.path().join("state"))
        .env("MCP_REMOTE_CONFIG_DIR", home.path().join("mcp-auth"))
        .envs(env.iter().copied())
        .output()
        .expect("node");
    let printed = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&printed).unwrap_or_else(|_| {
        let why = String::from_utf8_lossy(&output.stderr);
        panic!("{program:?}: {printed}{why}")
    })
}

/// Both programs look the same to clients.
#[track_caller]
fn same(name: &str, kind: &str, path: &str, words: &[&str]) -> Value {
    let [original, ours] = both(name).map(|program| seen(kind, path, &program, words, &[]));
    assert_eq!(ours, original, "{name} {words:?}");
    ours
}

#[test]
#[ignore = "needs the peers of cargo xtask test"]
fn a_client_of_mcp_remote_sees_the_same_server() {
    let http = Server::everything("streamableHttp");
    let sse = Server::everything("sse");
    let (http, sse) = (http.url("/mcp"), sse.url("/sse"));
    same("mcp-remote", "stdio", "", &[&http]);
    same(
        "mcp-remote",
        "stdio",
        "",
        &[&http, "9696", "--transport", "http-only", "--silent"],
    );
    same(
        "mcp-remote",
        "stdio",
        "",
        &[&sse, "--transport", "sse-only", "--debug"],
    );
    let modern = ["--protocol", "auto", "--keep-alive", "--ping-interval", "1"];
    same(
        "mcp-remote",
        "stdio",
        "",
        &[&[&*http], &modern[..]].concat(),
    );
    let hidden = ["--ignore-tool", "get*", "--ignore-tool", "ECHO"];
    let left = same(
        "mcp-remote",
        "stdio",
        "",
        &[&[&*http], &hidden[..]].concat(),
    );
    assert_eq!(left["echo"]["message"], "Tool \"echo\" is not available");
}

#[test]
#[ignore = "needs the peers of cargo xtask test"]
fn clients_of_supergateway_see_the_same_server() {
    let everything = everything();
    let stdio = ["--stdio", &*everything, "--port", "{port}"];
    let with = |more: &[&'static str]| -> Vec<String> {
        let words = stdio.iter().copied().chain(more.iter().copied());
        words.map(str::to_owned).collect()
    };
    let check = |kind: &str, path: &str, more: &[&'static str]| {
        let words = with(more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        same("supergateway", kind, path, &words);
    };
    check("sse", "/sse", &[]);
    check(
        "sse",
        "/events",
        &["--ssePath", "/events", "--messagePath", "/in"],
    );
    check("ws", "/message", &["--outputTransport", "ws"]);
    check(
        "ws",
        "/socket",
        &["--outputTransport=ws", "--message-path", "/socket"],
    );
    let http = ["--outputTransport", "streamableHttp", "--stateful"];
    check("http", "/mcp", &http);
    check(
        "http",
        "/x",
        &[&http[..], &["--streamableHttpPath", "/x"]].concat(),
    );
}

/// A shared process serves clients that have no session: it is told that clients can do everything, and may offer more.
#[test]
#[ignore = "needs the peers of cargo xtask test"]
fn clients_without_a_session_see_at_least_the_same_server() {
    let everything = everything();
    let http = [
        "--stdio",
        &*everything,
        "--port",
        "{port}",
        "--outputTransport",
        "streamableHttp",
    ];
    let mut all = both("supergateway").map(|program| seen("http", "/mcp", &program, &http, &[]));
    let [original, ours] = all.each_mut().map(|seen| {
        let tools = seen["tools"].take();
        let tools = tools.as_array().expect("tools").iter();
        let tools = tools.map(|tool| tool.to_string());
        tools.collect::<BTreeSet<_>>()
    });
    assert!(ours.is_superset(&original), "{ours:?}");
    assert_eq!(all[1], all[0]);
}

#[test]
#[ignore = "needs the peers of cargo xtask test"]
fn a_client_on_stdio_sees_the_same_server_through_supergateway() {
    let http = Server::everything("streamableHttp");
    let sse = Server::everything("sse");
    let header = [
        "--oauth2Bearer",
        "some-access-token",
        "--header",
        "X-My-Header: another",
    ];
    let url = http.url("/mcp");
    same("supergateway", "stdio", "", &["--streamableHttp", &url]);
    let url = sse.url("/sse");
    same(
        "supergateway",
        "stdio",
        "",
        &[&["--sse", &*url], &header[..]].concat(),
    );
}

/// A link to linkspan is the program whose name it has.
#[test]
#[ignore = "needs the peers of cargo xtask test"]
fn linkspan_under_another_name_is_that_program() {
    let http = Server::everything("streamableHttp");
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy/mcp-remote");
    std::fs::create_dir(folder.path().join("copy")).expect("a folder");
    std::fs::copy(linkspan(), &copy).expect("a copy");
    let worker = Command::new(&copy).args(["auth", "worker"]).output();
    let told = String::from_utf8_lossy(&worker.expect("linkspan").stderr).into_owned();
    assert!(told.contains("no order on stdin"), "{told}");
    let link = |name: &str| {
        let link = folder.path().join(name);
        std::os::unix::fs::symlink(linkspan(), &link).expect("a link");
        link.to_string_lossy().into_owned()
    };
    let direct = both("mcp-remote")[1].clone();
    let direct = seen("stdio", "", &direct, &[&http.url("/mcp")], &[]);
    assert_eq!(
        seen(
            "stdio",
            "",
            &[link("mcp-remote")],
            &[&http.url("/mcp")],
            &[]
        ),
        direct
    );
    let words = ["--streamableHttp", &http.url("/mcp")];
    assert_eq!(
        seen("stdio", "", &[link("supergateway.exe")], &words, &[]),
        direct
    );
    let listed = Command::new(link("mcp-remote-client"))
        .arg(http.url("/mcp"))
        .env("HOME", folder.path())
        .output()
        .expect("linkspan");
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("echo"),
        "{listed:?}"
    );
}

/// The flags that a text names.
fn flags_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    let is_flag = |word: &&str| word.len() > 3 && word.starts_with("--");
    words.filter(is_flag).map(str::to_owned).collect()
}

/// Whether ours knows a flag: only an unknown one is refused as such.
fn is_known(name: &str, flag: &str) -> bool {
    let output: Output = Command::new(linkspan())
        .args([name, flag])
        .stdin(Stdio::null())
        .output()
        .expect("linkspan");
    !String::from_utf8_lossy(&output.stderr).contains("has no flag")
}

#[test]
#[ignore = "needs the peers of cargo xtask test"]
fn every_flag_of_the_originals_is_known() {
    let [supergateway, _] = both("supergateway");
    let help = Command::new(&supergateway[0])
        .args([&supergateway[1], "--help"])
        .output()
        .expect("node");
    // The lines of the table: texts name flags of examples as well.
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let rows = help
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let supergateway: BTreeSet<String> = rows.flat_map(flags_in).collect();
    assert!(supergateway.len() > 15, "{supergateway:?}");
    // mcp-remote has no list of its flags; its code compares words with them.
    let package = folder().join("npm/node_modules/mcp-remote/dist");
    let mut code = String::new();
    for file in std::fs::read_dir(package).expect("its files").flatten() {
        code += &std::fs::read_to_string(file.path()).unwrap_or_default();
    }
    let start = code
        .find("async function parseCommandLineArgs")
        .expect("its parser");
    let before = code
        .find("function parseAuthorizeParams")
        .expect("a part of it");
    let parser = &code[before.min(start)..start + 20_000];
    let quoted = parser.split('"').filter(|text| text.starts_with("--"));
    let quoted = quoted.filter(|text| flags_in(text).contains(*text));
    let mcp_remote: BTreeSet<String> = quoted.map(str::to_owned).collect();
    assert!(mcp_remote.len() > 25, "{mcp_remote:?}");
    for (name, flags) in [("supergateway", supergateway), ("mcp-remote", mcp_remote)] {
        for flag in flags {
            assert!(is_known(name, &flag), "{name} {flag}");
        }
    }
}
