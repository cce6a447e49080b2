//! The examples in the READMEs of mcp-remote and supergateway, word for word: a shell runs each line, and `npx` is ours.
//! Only what is on other machines is replaced: URLs of servers, and the files of a reader. The port is a free one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{everything, seen};
use crate::installed::{folder, linkspan, node, npm};
use crate::server::{Server, free_address};

/// Where the servers of the examples are.
const SERVERS: [&str; 6] = [
    "https://remote.mcp.server/",
    "https://mcp.atlassian.com/",
    "https://example.remote/",
    "http://internal-service.vpc/",
    "https://mcp-server-ab71a6b2-cd55-49d0-adba-562bc85956e3.supermachine.app",
    "https://mcp-server.example.com/",
];

/// Variables that the configurations of the examples set, or their texts speak of.
const VARIABLES: [(&str, &str); 7] = [
    ("AUTH_TOKEN", "..."),
    ("AUTH_HEADER", "Bearer <auth-token>"),
    ("HTTPS_PROXY", "http://127.0.0.1:3128"),
    ("NO_PROXY", "localhost,127.0.0.1"),
    ("MCP_REMOTE_CLIENT_ID", "xxx"),
    ("MCP_REMOTE_CLIENT_SECRET", "yyy"),
    ("MCP_CLIENT_SECRET", "zzz"),
];

/// A folder with the programs that the lines name, and the files.
struct Reader(tempfile::TempDir);

impl Reader {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let bin = folder.path().join("bin");
        for own in [&bin, &folder.path().join("my-folder")] {
            fs::create_dir(own).expect("a folder");
        }
        let files = npm("server-filesystem/dist/index.js");
        let npx = format!(
            "while :; do case $1 in -y) shift;; -p) shift 2;; *) break;; esac; done\n\
             case $1 in @modelcontextprotocol/server-filesystem)\n\
             shift; exec '{}' '{}' \"$@\";; esac\n\
             name=${{1%@latest}}; shift; exec '{}' \"$name\" \"$@\"",
            node().display(),
            files.display(),
            linkspan()
        );
        let uvx = format!("exec {}", everything());
        for (name, text) in [("npx", npx), ("uvx", uvx)] {
            let path = bin.join(name);
            fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
        }
        let metadata = "{\"scope\": \"a b\"}";
        let info = "{\"client_id\": \"c\"}";
        for (name, text) in [
            ("headers.txt", "# x\nA: b\n"),
            ("info", info),
            ("metadata", metadata),
        ] {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// A line with what this reader has in place of what the author has.
    fn own(&self, line: &str, url: &str, port: &str) -> String {
        let here = self.path().display();
        let mac = "/Users/username/Library/Application Support/Claude/oauth_client_";
        let mut line = line
            .replace("/path/to/headers.txt", &format!("{here}/headers.txt"))
            .replace(&format!("{mac}info.json"), &format!("{here}/info"))
            .replace(&format!("{mac}metadata.json"), &format!("{here}/metadata"))
            .replace("/Users/MyName/Desktop", &format!("{here}/my-folder"))
            .replace("./my-folder", &format!("{here}/my-folder"))
            .replace("server-filesystem .", &format!("server-filesystem {here}"));
        for server in SERVERS {
            if let Some(at) = line.find(server) {
                let is_end = |c: char| c.is_whitespace() || "'\"".contains(c);
                let end = line[at..].find(is_end).map_or(line.len(), |end| at + end);
                line.replace_range(at..end, url);
            }
        }
        if line.contains("--stdio ") && !line.contains("8000") {
            line += &format!(" --port {port}");
        }
        line.replace("8000", port)
    }
}

/// The lines of a README that start a program, for a shell.
fn examples(package: &str) -> Vec<String> {
    let readme = folder()
        .join("npm/node_modules")
        .join(package)
        .join("README.md");
    let readme = fs::read_to_string(readme).expect("its README");
    let readme = readme.replace("\\\n", " ");
    let lines = readme.lines().map(str::trim);
    let mut examples: Vec<String> = lines
        .filter(|line| line.starts_with("npx ") && line.contains(package))
        .map(str::to_owned)
        .collect();
    // Configurations for npx; those for another program have another name before this one.
    for part in readme.split("\"args\":").skip(1) {
        let end = part.find(']').expect("the end of the array");
        let lines = part[..=end].lines();
        let array: String = lines
            .map(|line| line.split(" //").next().unwrap_or(line))
            .collect();
        let words: Vec<String> = serde_json::from_str(array.trim()).expect(&array);
        let is_ours = |word: &String| word != "-y" && word != &format!("{package}@latest");
        if words
            .iter()
            .find(|word| is_ours(word))
            .is_some_and(|word| word == "run")
        {
            continue;
        }
        let quoted = words.iter().map(|word| format!("'{word}'"));
        examples.push(format!("npx {}", quoted.collect::<Vec<_>>().join(" ")));
    }
    examples
}

fn tools(seen: &Value) -> usize {
    seen["tools"].as_array().map_or(0, Vec::len)
}

#[test]
#[ignore = "needs the peers of cargo xtask test"]
fn every_example_of_mcp_remote_works() {
    let (http, sse) = (
        Server::everything("streamableHttp"),
        Server::everything("sse"),
    );
    let reader = Reader::new();
    let examples = examples("mcp-remote");
    assert!(examples.len() >= 35, "{examples:#?}");
    for example in examples {
        let is_sse = example.contains("/sse") || example.contains("sse-only");
        let url = if is_sse {
            sse.url("/sse")
        } else {
            http.url("/mcp")
        };
        let line = reader.own(&example, &url, "0");
        assert!(line.contains(&url), "{line}");
        if line.contains("mcp-remote-client") {
            let output = shell(&reader, &line).output().expect("a shell");
            let told = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && told.contains("echo"),
                "{line}: {output:?}"
            );
            continue;
        }
        let seen = run(&reader, "stdio", "", &line, "0");
        assert!(tools(&seen) > 5, "{line}: {seen}");
        let text = &seen["echo"]["content"][0]["text"];
        assert!(
            text.as_str().is_some_and(|text| text.contains("ahoy ø ⛴")),
            "{line}: {seen}"
        );
    }
}

#[test]
#[ignore = "needs the peers of cargo xtask test"]
fn every_example_of_supergateway_works() {
    let (http, sse) = (
        Server::everything("streamableHttp"),
        Server::everything("sse"),
    );
    let reader = Reader::new();
    let examples = examples("supergateway");
    assert!(examples.len() >= 12, "{examples:#?}");
    for example in examples {
        let port = free_address().port().to_string();
        let url = if example.contains("--sse") {
            sse.url("/sse")
        } else {
            http.url("/mcp")
        };
        let line = reader.own(&example, &url, &port);
        let has = |word: &str| line.contains(word);
        let (kind, path) = if has("--outputTransport ws") {
            ("ws", "/message")
        } else if has("--outputTransport streamableHttp") {
            ("http", "/mcp")
        } else if has("--stdio ") {
            ("sse", "/sse")
        } else {
            ("stdio", "")
        };
        let seen = run(&reader, kind, path, &line, &port);
        assert!(tools(&seen) > 5, "{line}: {seen}");
        assert_eq!(seen["ping"], serde_json::json!({}), "{line}: {seen}");
    }
}

fn shell(reader: &Reader, line: &str) -> Command {
    let mut command = Command::new("sh");
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .args(["-c", line])
        .env("PATH", format!("{}/bin:{path}", reader.path().display()))
        .env("HOME", reader.path())
        .env("LINKSPAN_STATE", reader.path().join("state"))
        .envs(VARIABLES);
    command
}

fn run(reader: &Reader, kind: &str, path: &str, line: &str, port: &str) -> Value {
    let command = shell(reader, line);
    let env: Vec<(String, String)> = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value?.to_str()?.to_owned())))
        .chain([("PORT".to_owned(), port.to_owned())])
        .collect();
    let env: Vec<(&str, &str)> = env
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let program = ["sh", "-c"].map(str::to_owned);
    seen(kind, path, &program, &[line], &env)
}
