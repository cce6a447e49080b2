//! `config` and the files of clients: writing, starting what was written, removing, restoring, listing.

use std::process::Command;

use insta::assert_snapshot;
use linkspan_testkit::{Bridge, LATEST, Server};
use serde_json::{Value, json};

use crate::setup::Workspace;

/// The clients, with their files below the home folder and the format of them.
const FILES: [(&str, &str, &str); 15] = [
    ("claude-code", ".claude.json", "json"),
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        "json",
    ),
    (
        "cline",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "json",
    ),
    ("codex", ".codex/config.toml", "toml"),
    ("continue", ".continue/config.yaml", "yaml"),
    ("crush", ".config/crush/crush.json", "json"),
    ("cursor", ".cursor/mcp.json", "json"),
    ("gemini", ".gemini/settings.json", "json"),
    ("goose", ".config/goose/config.yaml", "yaml"),
    ("kiro", ".kiro/settings/mcp.json", "json"),
    ("lm-studio", ".lmstudio/mcp.json", "json"),
    ("opencode", ".config/opencode/opencode.json", "json"),
    ("vscode", ".config/Code/User/mcp.json", "json"),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "json"),
    ("zed", ".config/zed/settings.json", "json"),
];

/// Reads a file with the parsers of Python, which are not ours; `None` if this machine has no such parser.
fn parsed(format: &str, file: &std::path::Path) -> Option<Value> {
    let read = match format {
        "json" => "import json; v = json.load(open(f))",
        "toml" => "import json, tomllib; v = tomllib.load(open(f, 'rb'))",
        _ => "import json, yaml; v = yaml.safe_load(open(f))",
    };
    let program = format!("import sys; f = sys.argv[1]; {read}; print(json.dumps(v))");
    let mut python = Command::new("python3");
    let ran = python.args(["-c", &program]).arg(file).output().ok()?;
    let errors = String::from_utf8_lossy(&ran.stderr);
    if !ran.status.success() && errors.contains("ModuleNotFoundError") {
        return None;
    }
    assert!(ran.status.success(), "{file:?}: {errors}");
    Some(serde_json::from_slice(&ran.stdout).expect("Python prints JSON"))
}

/// The entry of the only server in a configuration.
fn entry_in(root: &Value) -> &Value {
    let keys = [
        "mcpServers",
        "servers",
        "context_servers",
        "mcp",
        "mcp_servers",
        "extensions",
    ];
    let servers = keys.iter().find_map(|key| root.get(key));
    match servers.expect("it has servers") {
        Value::Array(items) => &items[0],
        servers => servers
            .as_object()
            .and_then(|all| all.values().next())
            .expect("it has one"),
    }
}

/// The command line in the entry of a server.
fn command_line(entry: &Value) -> Vec<String> {
    let parts = [&entry["command"], &entry["cmd"], &entry["args"]].into_iter();
    let words = parts.flat_map(|part| match part {
        Value::Array(words) => words.clone(),
        Value::String(_) => vec![part.clone()],
        _ => Vec::new(),
    });
    let words = words.map(|word| word.as_str().expect("it is text").to_owned());
    words.collect()
}

/// The variables that a client sets for the server of an entry, if `TOKEN` is this one in its own environment, in its
/// store of secrets, or written into the entry by the user.
fn variables(client: &str, entry: &Value, token: &str) -> Vec<(String, String)> {
    let reference = match client {
        "claude-code" | "kiro" => "${TOKEN}",
        "cursor" | "windsurf" => "${env:TOKEN}",
        "crush" | "gemini" => "$TOKEN",
        "opencode" => "{env:TOKEN}",
        "continue" => "${{ secrets.TOKEN }}",
        "vscode" => "${input:TOKEN}",
        _ => "…",
    };
    let set = ["env", "envs", "environment"].into_iter();
    let set = set
        .filter_map(|member| entry.get(member)?.as_object())
        .flatten();
    let set = set.map(|(name, value)| {
        let value = value.as_str().expect("it is text");
        let value = if value == reference { token } else { value };
        (name.clone(), value.to_owned())
    });
    let passed = ["env_vars", "env_keys"].into_iter();
    let passed = passed
        .filter_map(|member| entry.get(member)?.as_array())
        .flatten();
    let passed = passed.map(|name| {
        (
            name.as_str().expect("it is text").to_owned(),
            token.to_owned(),
        )
    });
    set.chain(passed).collect()
}

/// A kind of target: its words for `config`, and a tool of its server.
struct Kind {
    words: Vec<String>,
    tool: &'static str,
}

/// Writes the configuration of each client for a target, starts what it says, and calls a tool. The result are the names
/// of the clients.
fn start_for_each_client(name: &str, kind: &Kind) -> Vec<&'static str> {
    let workspace = Workspace::new(name);
    assert_eq!(workspace.run(&["new", "tools"]).code, Some(0));
    let mut started = Vec::new();
    for (client, file, format) in FILES {
        let mut words = vec!["config", "--client", client, "--scope", "user", "--write"];
        words.extend(kind.words.iter().map(String::as_str));
        let ran = workspace.run(&words);
        assert_eq!(ran.code, Some(0), "{ran}");
        let text = workspace.read(&format!("home/{file}"));
        let again = workspace.run(&words);
        assert!(again.stdout.ends_with(" is up to date\n"), "{again}");
        assert_eq!(workspace.read(&format!("home/{file}")), text, "{client}");
        let Some(root) = parsed(format, &workspace.path("home").join(file)) else {
            eprintln!("skipped: Python cannot read {format} on this machine");
            continue;
        };
        let entry = entry_in(&root);
        let line = command_line(entry);
        let mut launch = Bridge::launch(&line[0])
            .args(&line[1..])
            .within(workspace.path("home"))
            .env("HOME", &workspace.path("home").to_string_lossy());
        for (name, value) in variables(client, entry, "secret-of-test") {
            launch = launch.env(&name, &value);
        }
        let bridge = launch.start();
        bridge.initialize(LATEST);
        let answer = bridge.ask("1", kind.tool, &json!({"name": "Ada"}));
        let result = answer.result.clone().unwrap_or_default();
        let is_good = result.contains("Ada") && !result.contains("\"isError\":true");
        assert!(is_good, "{client}: {}", answer.text);
        started.push(client);
    }
    started
}

#[test]
fn each_client_starts_a_folder() {
    let kind = Kind {
        words: vec!["tools".to_owned()],
        tool: "hello",
    };
    assert!(start_for_each_client("started-folder", &kind).len() > 12);
}

#[cfg(unix)]
#[test]
fn each_client_starts_a_command() {
    let program = linkspan_testkit::child_program();
    let kind = Kind {
        words: vec!["--".to_owned(), program.to_string_lossy().into_owned()],
        tool: "echo",
    };
    assert!(start_for_each_client("started-command", &kind).len() > 12);
}

#[test]
fn each_client_reaches_a_url_with_its_token() {
    let server = Server::legacy().start();
    let kind = Kind {
        words: ["--bearer-env", "TOKEN", &server.url()]
            .map(str::to_owned)
            .into(),
        tool: "echo",
    };
    let started = start_for_each_client("started-url", &kind);
    let calls = server.calls("echo");
    assert_eq!(calls.len(), started.len());
    for (client, call) in started.iter().zip(calls) {
        let sent = call.header("authorization");
        assert_eq!(sent, Some("Bearer secret-of-test"), "{client}");
    }
}

#[test]
fn each_client_gets_the_url_of_a_running_server() {
    let workspace = Workspace::new("running");
    let url = "http://127.0.0.1:8808/mcp";
    for (client, file, format) in FILES {
        let write = format!("config --http {url} --name x --client {client} --scope user --write");
        let ran = workspace.run(&write.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(0), "{ran}");
        let Some(root) = parsed(format, &workspace.path("home").join(file)) else {
            eprintln!("skipped: Python cannot read {format} on this machine");
            continue;
        };
        let entry = entry_in(&root);
        let members = ["url", "httpUrl", "serverUrl", "uri"].iter();
        let found = members.filter_map(|member| entry.get(member)).next();
        match found {
            Some(found) => assert_eq!(found, url, "{client}"),
            None => assert_eq!(command_line(entry)[1..], ["connect", url], "{client}"),
        }
    }
}

#[test]
fn a_change_can_be_shown_made_undone_and_restored() {
    let workspace = Workspace::new("undone");
    let before = "# mine\nmodel = \"m\"\n\n[mcp_servers.docs]\ncommand = \"npx\"\n";
    workspace.write("home/.codex/config.toml", before);
    let run = |line: &str| workspace.run(&line.split(' ').collect::<Vec<_>>());
    let put = "config https://mcp.example.com/mcp --bearer-env TOKEN --client codex --program npx";
    assert_snapshot!(run(&format!("{put} --dry-run")), @r#"
    HERE/home/.codex/config.toml:

      [mcp_servers.docs]
      command = "npx"
    +
    + [mcp_servers.example]
    + command = "npx"
    + args = ["-y", "linkspan", "connect", "--bearer-env", "TOKEN", "https://mcp.example.com/mcp"]
    + env_vars = ["TOKEN"]
    "#);
    assert_eq!(workspace.read("home/.codex/config.toml"), before);
    assert_snapshot!(run(&format!("{put} --write")), @"
    HERE/home/.codex/config.toml (backup: HERE/home/.codex/config.toml.linkspan-1.bak)
    set TOKEN in the shell that starts Codex
    start codex again; /mcp shows whether the server runs
    ");
    let with = workspace.read("home/.codex/config.toml");
    assert_snapshot!(run("config --list"), @"
    Codex (codex)  HERE/home/.codex/config.toml
      docs
      example  linkspan
      copy 1: 55 bytes, just now
    ");
    assert_snapshot!(run("config --remove --name docs --all"), @"
    [stderr]
    error: the server `docs` in HERE/home/.codex/config.toml does not run linkspan
    hint: nothing was changed; --force removes it
    [exit 1]
    ");
    assert_eq!(
        run("config --remove --name example --client codex").code,
        Some(0)
    );
    assert_eq!(workspace.read("home/.codex/config.toml"), before);
    assert_eq!(run("config --restore --client codex").code, Some(0));
    assert_eq!(workspace.read("home/.codex/config.toml"), with);
    assert_eq!(run("config --restore=1 --client codex").code, Some(0));
    assert_eq!(workspace.read("home/.codex/config.toml"), before);
    assert_snapshot!(run("config --restore=9 --client codex"), @"
    [stderr]
    error: there is no copy 9 of HERE/home/.codex/config.toml
    hint: linkspan config --list --client CLIENT lists the copies
    [exit 1]
    ");
}

#[test]
fn several_clients_get_the_server_and_one_broken_file_does_not_stop_the_others() {
    let workspace = Workspace::new("several");
    assert_eq!(workspace.run(&["new", "tools"]).code, Some(0));
    workspace.write("home/.gemini/settings.json", "{\n  \"theme\" \"x\"\n}\n");
    workspace.write("home/.continue/config.yaml", "name: me # me\n");
    let ran = workspace.run(&["config", "tools", "--all", "--write"]);
    assert_snapshot!(ran, @"
    HERE/home/.continue/config.yaml (backup: HERE/home/.continue/config.yaml.linkspan-1.bak)
    reload the window of the editor; only the agent mode of Continue has tools
    [stderr]
    error: HERE/home/.gemini/settings.json is not JSON: line 2, column 11: expected `:`
    hint: nothing was changed; fix the file, or leave out --write and add the printed entry by hand
    [exit 1]
    ");
    let config = workspace.read("home/.continue/config.yaml");
    assert!(config.starts_with("name: me # me\nmcpServers:\n  - name: tools\n"));
    let empty = Workspace::new("several-none");
    let ran = empty.run(&["config", "--all", "--list"]);
    assert_eq!(ran.code, Some(2), "{ran}");
}

#[test]
fn a_command_line_of_linkspan_is_checked_and_used_as_it_is() {
    let workspace = Workspace::new("own");
    assert_eq!(workspace.run(&["new", "tools"]).code, Some(0));
    let words = "config --client zed --json -- linkspan serve --no-watch tools".split(' ');
    let ran = workspace.run(&words.collect::<Vec<_>>());
    let args = &ran.json()["config"]["context_servers"]["tools"]["args"];
    let folder = workspace.path("tools");
    assert_eq!(*args, json!(["serve", "--no-watch", folder]));
    let ran = workspace.run(&["config", "--", "linkspan", "connect", "--nonsense", "x"]);
    assert_snapshot!(ran, @"
    [stderr]
    error: unexpected argument '--nonsense' found
    hint: try the command line without `config`
    [exit 2]
    ");
    let secret = [
        "config",
        "https://x.example.com/mcp",
        "-H",
        "X-Api-Key: abc",
    ];
    assert_snapshot!(workspace.run(&secret), @"
    [stderr]
    error: the value of the header `X-Api-Key` would be in the configuration
    hint: give a variable of the environment: --bearer-env TOKEN, or -H 'X-Api-Key: ${VARIABLE}'
    [exit 2]
    ");
}
