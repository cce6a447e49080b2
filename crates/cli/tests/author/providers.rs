//! URIs of other machines, read through the real binary from a local web server.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::setup::Workspace;
use crate::web::{Answer, Web};

/// A folder and a web server.
struct Scene {
    workspace: Workspace,
    web: Web,
}

impl Scene {
    fn new(name: &str) -> Self {
        let workspace = Workspace::new(name);
        workspace.write("served/prompts/x.md", "x\n");
        let web = Web::start(&workspace.root, page);
        Self { workspace, web }
    }

    /// Starts the server with these flags and reads each URI.
    #[track_caller]
    fn read(&self, flags: &[&str], trusts: bool, uris: &[String]) -> Vec<Value> {
        let hello = json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }});
        let mut stdin = format!("{hello}\n");
        for (id, uri) in uris.iter().enumerate() {
            let params = json!({"uri": uri});
            let line =
                json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params});
            stdin.push_str(&format!("{line}\n"));
        }
        let mut words = vec!["serve", "served", "--no-watch"];
        words.extend(flags);
        let mut run = self.workspace.runs(&words).stdin(&stdin);
        // Proxies must not be used, and the folder must be empty afterwards.
        let tmp = self.workspace.path("tmp");
        std::fs::create_dir_all(&tmp).expect("a folder can be made");
        run = run
            .env("TMPDIR", tmp.to_str().expect("UTF-8"))
            .env("HTTPS_PROXY", "http://127.0.0.1:1")
            .env("ALL_PROXY", "http://127.0.0.1:1");
        if trusts {
            run = run.env("SSL_CERT_FILE", self.web.ca.to_str().expect("UTF-8"));
        }
        let ran = run.end();
        // The SDKs stay, for the next server.
        let stays = |name: &str| {
            name.strip_prefix("linkspan-")
                .is_some_and(|user| user.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let left: Vec<String> = std::fs::read_dir(&tmp)
            .expect("it can be read")
            .map(|entry| entry.expect("it can be read").file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| !stays(name))
            .collect();
        assert!(left.is_empty(), "files are left behind: {left:?}");
        let lines: Vec<Value> = ran
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line is JSON"))
            .collect();
        let answer = |id: usize| lines.iter().find(|line| line["id"] == id).cloned();
        (0..uris.len())
            .map(|id| answer(id).unwrap_or_else(|| panic!("no answer to {id}\n{ran}")))
            .collect()
    }

    fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.web.port)
    }

    fn named(&self) -> String {
        format!("localhost:{}", self.web.port)
    }

    fn asked(&self) -> Vec<String> {
        self.web
            .asked
            .lock()
            .expect("no holder of the lock panics")
            .clone()
    }
}

fn page(path: &str, port: u16) -> Answer {
    let to = |url: String| {
        let cookie = "Set-Cookie: a=b; Path=/\r\n";
        (302, format!("Location: {url}\r\n{cookie}"), Vec::new())
    };
    let kind = |kind: &str| format!("Content-Type: {kind}\r\n");
    match path {
        "/page?q=1" => (200, kind("text/html; charset=utf-8"), b"<p>hi</p>".to_vec()),
        "/bytes" => (200, kind("image/png"), vec![0x89, 0xff]),
        "/moved" => to("/page?q=1".to_owned()),
        "/loop" => to("/loop".to_owned()),
        "/inside" => to(format!("https://127.0.0.1:{port}/page?q=1")),
        "/plain" => to("http://localhost/".to_owned()),
        "/closed" => (403, String::new(), Vec::new()),
        "/large" => (200, String::new(), vec![b'x'; (10 << 20) + 1]),
        "/endless" => {
            let mut body = Vec::new();
            for _ in 0..12 {
                body.extend_from_slice(b"100000\r\n");
                body.extend_from_slice(&vec![b'x'; 1 << 20]);
                body.extend_from_slice(b"\r\n");
            }
            (200, "Transfer-Encoding: chunked\r\n".to_owned(), body)
        }
        "/packed" => (200, "Content-Encoding: gzip\r\n".to_owned(), vec![1]),
        path if path.starts_with("/away/") => to("/git/r/.git/info/refs".to_owned()),
        _ => (404, String::new(), Vec::new()),
    }
}

#[track_caller]
fn refused(answer: &Value, code: i64, words: &str) {
    assert_eq!(answer["error"]["code"], code, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains(words), "{answer}");
}

#[test]
fn https_reads_from_an_allowed_host() {
    let scene = Scene::new("https");
    let flags = ["--allow-provider", "https", "--https-host", &scene.named()];
    let uris = ["/page?q=1#part", "/bytes", "/moved"].map(|path| scene.url(path));
    let answers = scene.read(&flags, true, &uris);
    let contents = |n: usize| answers[n]["result"]["contents"][0].clone();
    assert_eq!(
        contents(0),
        json!({"uri": uris[0], "mimeType": "text/html", "text": "<p>hi</p>"})
    );
    assert_eq!(
        contents(1),
        json!({"uri": uris[1], "mimeType": "image/png", "blob": "if8="})
    );
    assert_eq!(contents(2)["text"], "<p>hi</p>");
    let asked = scene.asked();
    assert_eq!(asked.len(), 4);
    for head in asked {
        let head = head.to_ascii_lowercase();
        assert!(head.starts_with("get /"), "{head}");
        assert!(head.contains(&format!("host: {}\r\n", scene.named())));
        for secret in ["cookie", "authorization", "referer"] {
            assert!(!head.contains(secret), "{head}");
        }
    }
}

#[test]
fn https_errors_name_the_reason() {
    let scene = Scene::new("https-errors");
    let flags = ["--allow-provider", "https", "--https-host", &scene.named()];
    let paths = [
        "/none", "/closed", "/loop", "/inside", "/plain", "/large", "/endless", "/packed",
    ];
    let uris = paths.map(|path| scene.url(path));
    let answers = scene.read(&flags, true, &uris);
    for (n, (code, words)) in [
        (-32002, "not found"),
        (-32603, "answers with status 403"),
        (-32603, "more than 3 redirects"),
        (-32602, "`127.0.0.1` is not an allowed host"),
        (-32602, "not an https:// URL"),
        (-32603, "more than 10485760 bytes"),
        (-32603, "more than 10485760 bytes"),
        (-32603, "the content encoding \"gzip\""),
    ]
    .into_iter()
    .enumerate()
    {
        refused(&answers[n], code, words);
    }
    assert_eq!(scene.asked().len(), 3 + 8, "{:?}", scene.asked());
}

#[test]
fn this_machine_is_refused_unless_host_and_port_are_allowed() {
    let scene = Scene::new("https-private");
    let uris = [
        scene.url("/page?q=1"),
        "https://localhost/".to_owned(),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        "https://[::ffff:127.0.0.1]/".to_owned(),
    ];
    let answers = scene.read(&["--allow-provider", "https"], true, &uris);
    refused(
        &answers[0],
        -32602,
        &format!("--https-host {}", scene.named()),
    );
    refused(&answers[1], -32602, "`localhost` is this machine");
    refused(&answers[2], -32602, "is a link-local address");
    refused(&answers[3], -32602, "is an IPv4 address in disguise");
    let flags = ["--allow-provider", "https", "--https-host", "localhost"];
    let answers = scene.read(&flags, true, &uris[1..3]);
    refused(&answers[0], -32602, "`localhost` is this machine");
    refused(&answers[1], -32602, "is not an allowed host");
    let answers = scene.read(&[], true, &uris[..1]);
    refused(&answers[0], -32002, "not found");
    assert!(scene.asked().is_empty());
}

#[test]
fn an_untrusted_certificate_is_refused() {
    let scene = Scene::new("https-stranger");
    let flags = ["--allow-provider", "https", "--https-host", &scene.named()];
    let answers = scene.read(&flags, false, &[scene.url("/page?q=1")]);
    refused(&answers[0], -32603, "certificate");
    refused(
        &answers[0],
        -32603,
        "proxies of the environment are not used",
    );
    assert!(scene.asked().is_empty());
}

#[test]
fn an_invalid_https_host_is_a_usage_error() {
    let workspace = Workspace::new("https-usage");
    workspace.write("served/prompts/x.md", "x\n");
    let ran = workspace.run(&[
        "serve",
        "served",
        "--allow-provider",
        "https",
        "--https-host",
        "https://x.org",
    ]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("`https://x.org` is not a host"),
        "{ran}"
    );
    let ran = workspace.run(&["serve", "served", "--https-host", "x.org"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("--allow-provider"), "{ran}");
}

fn git(dir: &Path, words: &[&str]) -> Option<String> {
    let ran = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
        .args(["-c", "init.defaultBranch=main"])
        .args(words)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .ok()?;
    assert!(ran.status.success(), "{words:?}: {ran:?}");
    Some(
        String::from_utf8(ran.stdout)
            .expect("UTF-8")
            .trim()
            .to_owned(),
    )
}

#[test]
fn a_remote_git_file_is_read_without_leftovers() {
    let scene = Scene::new("git-https");
    let workspace = &scene.workspace;
    if git(&workspace.root, &["init", "--quiet", "r"]).is_none() {
        eprintln!("skipped: there is no git here");
        return;
    }
    workspace.write("r/docs/a.txt", "old\n");
    workspace.write("r/other", &"x".repeat(5000));
    let repo = workspace.path("r");
    let commit = |what: &str| {
        git(&repo, &["add", "."]);
        git(&repo, &["commit", "--quiet", "-m", what]);
    };
    commit("one");
    git(&repo, &["tag", "v1"]);
    let old = git(&repo, &["rev-parse", "HEAD"]).expect("it is there");
    workspace.write("r/docs/a.txt", "new\n");
    commit("two");
    git(&repo, &["config", "uploadpack.allowFilter", "true"]);
    let base = format!("git+{}", scene.url("/git/r/.git"));
    let uris = [
        format!("{base}#docs/a.txt"),
        format!("{base}?ref=v1#docs/a.txt"),
        format!("{base}?ref={old}#docs/a.txt"),
        format!("{base}#main:docs/a.txt"),
        format!("{base}?ref=none#docs/a.txt"),
        format!("{base}#docs/none"),
        format!("git+{}#x", scene.url("/git/none")),
        format!("git+{}#x", scene.url("/away")),
        format!("git+https://127.0.0.1:{}/git/r/.git#x", scene.web.port),
    ];
    let flags = ["--allow-provider", "git", "--https-host", &scene.named()];
    let answers = scene.read(&flags, true, &uris);
    for (n, text) in ["new\n", "old\n", "old\n", "new\n"].iter().enumerate() {
        let answer = &answers[n];
        assert_eq!(answer["result"]["contents"][0]["text"], *text, "{answer}");
    }
    for answer in &answers[4..7] {
        refused(answer, -32002, "not found");
    }
    refused(&answers[7], -32603, "it is redirected");
    refused(&answers[8], -32602, "`127.0.0.1` is not an allowed host");
    let stranger = scene.read(&flags, false, &uris[..1]);
    refused(&stranger[0], -32603, "certificate");
}
