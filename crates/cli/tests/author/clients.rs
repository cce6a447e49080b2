//! `config`.

use insta::assert_snapshot;
use serde_json::json;

use crate::setup::{Workspace, mode};

fn with_server(name: &str) -> Workspace {
    let workspace = Workspace::new(name);
    assert_eq!(workspace.run(&["new", "my-server"]).code, Some(0));
    workspace
}

#[test]
fn config_uses_the_format_of_each_client() {
    let workspace = with_server("all");
    let five = "claude-code,claude-desktop,cursor,vscode,zed";
    assert_snapshot!(workspace.run(&["config", "my-server", "--client", five]), @r#"
    Claude Code:
      run this
        claude mcp add --scope project my-server -- LINKSPAN serve HERE/my-server
      or put this into .mcp.json
        {
          "mcpServers": {
            "my-server": {
              "type": "stdio",
              "command": "LINKSPAN",
              "args": [
                "serve",
                "HERE/my-server"
              ]
            }
          }
        }

    Claude Desktop:
      put this into HERE/home/.config/Claude/claude_desktop_config.json
        {
          "mcpServers": {
            "my-server": {
              "command": "LINKSPAN",
              "args": [
                "serve",
                "HERE/my-server"
              ]
            }
          }
        }

    Cursor:
      put this into HERE/home/.cursor/mcp.json
        {
          "mcpServers": {
            "my-server": {
              "command": "LINKSPAN",
              "args": [
                "serve",
                "HERE/my-server"
              ]
            }
          }
        }

    Visual Studio Code:
      run this
        code --add-mcp '{"name":"my-server","type":"stdio","command":"LINKSPAN","args":["serve","HERE/my-server"]}'
      or put this into .vscode/mcp.json
        {
          "servers": {
            "my-server": {
              "type": "stdio",
              "command": "LINKSPAN",
              "args": [
                "serve",
                "HERE/my-server"
              ]
            }
          }
        }

    Zed:
      put this into HERE/home/.config/zed/settings.json
        {
          "context_servers": {
            "my-server": {
              "command": "LINKSPAN",
              "args": [
                "serve",
                "HERE/my-server"
              ]
            }
          }
        }
    "#);
}

#[test]
fn config_writes_only_with_the_flag() {
    let workspace = with_server("print");
    let before = workspace.files(".");
    for args in [&[][..], &["--json"], &["--show"], &["--inspector"]] {
        let ran = workspace.run(&[&["config", "my-server"], args].concat());
        assert_eq!(ran.code, Some(0), "{ran}");
    }
    assert_eq!(workspace.files("."), before);
}

#[test]
fn clients_with_url_support_get_the_url() {
    let workspace = with_server("url");
    let url = "http://127.0.0.1:8808/mcp";
    let entry = |client: &str| {
        let ran = workspace.run(&[
            "config",
            "my-server",
            "--client",
            client,
            "--http",
            url,
            "--json",
        ]);
        let all = ran.json();
        let key = all["key"].as_str().unwrap().to_owned();
        all["config"][&key]["my-server"].clone()
    };
    assert_eq!(entry("claude-code"), json!({ "type": "http", "url": url }));
    assert_eq!(entry("vscode"), json!({ "type": "http", "url": url }));
    assert_eq!(entry("cursor"), json!({ "url": url }));
    assert_eq!(entry("zed"), json!({ "url": url }));
    assert_eq!(entry("claude-desktop")["args"], json!(["connect", url]));
    let ran = workspace.run(&[
        "config",
        "--client",
        "claude-code",
        "--http",
        url,
        "--name",
        "x",
    ]);
    assert!(
        ran.stdout.contains(&format!(
            "claude mcp add --scope project --transport http x {url}\n"
        )),
        "{ran}"
    );
    assert_snapshot!(workspace.run(&["config", "--http", "8808"]), @"
    [stderr]
    error: `8808` is not a URL of a server
    hint: linkspan serve --http prints it, for example http://127.0.0.1:8808/mcp
    [exit 2]
    ");
}

#[test]
fn config_json_has_every_client() {
    let workspace = with_server("json");
    let one = workspace.run(&[
        "config",
        "my-server",
        "--client",
        "zed",
        "--json",
        "--name",
        "n",
    ]);
    let one = one.json();
    assert_eq!(one["client"], "zed");
    assert_eq!(one["name"], "n");
    assert_eq!(one["command"], json!(null));
    assert!(one["file"].as_str().unwrap().ends_with("zed/settings.json"));
    let args = &one["config"]["context_servers"]["n"]["args"];
    assert_eq!(args[0], "serve");
    let all = workspace.run(&["config", "my-server", "--json"]).json();
    let clients: Vec<&str> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["client"].as_str().unwrap())
        .collect();
    assert_eq!(
        clients,
        [
            "claude-code",
            "claude-desktop",
            "cline",
            "codex",
            "continue",
            "crush",
            "cursor",
            "gemini",
            "goose",
            "kiro",
            "lm-studio",
            "opencode",
            "vscode",
            "windsurf",
            "zed"
        ]
    );
}

#[test]
fn config_can_include_the_path_of_the_shell() {
    let workspace = with_server("path");
    let run = workspace.runs(&[
        "config",
        "my-server",
        "--client",
        "claude-desktop",
        "--with-path",
        "--json",
    ]);
    let config = run.env("PATH", "/opt/x/bin:/usr/bin").end().json();
    assert_eq!(
        config["config"]["mcpServers"]["my-server"]["env"]["PATH"],
        "/opt/x/bin:/usr/bin"
    );
}

#[test]
fn config_creates_a_missing_file() {
    let workspace = with_server("fresh");
    assert_snapshot!(workspace.run(&["config", "my-server", "--client", "cursor", "--write"]), @"
    HERE/home/.cursor/mcp.json
    switch the server on in Cursor's settings, under MCP
    ");
    let config = workspace.json("home/.cursor/mcp.json");
    assert_eq!(config["mcpServers"]["my-server"]["args"][0], "serve");
    assert_eq!(
        workspace
            .run(&["config", "my-server", "--client", "vscode", "--write"])
            .code,
        Some(0)
    );
    assert!(workspace.json(".vscode/mcp.json")["servers"]["my-server"].is_object());
    assert_eq!(
        workspace
            .run(&["config", "my-server", "--client", "claude-code", "--write"])
            .code,
        Some(0)
    );
    assert!(workspace.json(".mcp.json")["mcpServers"]["my-server"].is_object());
}

#[test]
fn config_keeps_other_settings_and_writes_a_backup() {
    let workspace = with_server("keep");
    let before = "// My settings\n{\n\t\"theme\": \"One\", // nice\n\t\"context_servers\": {\n\t\t\"other\": { \"command\": \"x\", \"n\": 18446744073709551616 },\n\t},\n}\n";
    workspace.write("home/.config/zed/settings.json", before);
    mode(&workspace.path("home/.config/zed/settings.json"), 0o600);
    let args = ["config", "my-server", "--client", "zed", "--write"];
    assert_snapshot!(workspace.run(&args), @"
    HERE/home/.config/zed/settings.json (backup: HERE/home/.config/zed/settings.json.linkspan-1.bak)
    Zed sees it at once; its agent panel shows whether it runs
    ");
    let after = workspace.read("home/.config/zed/settings.json");
    let (head, tail) = before.split_once("16 },\n").unwrap();
    assert!(after.starts_with(head) && after.ends_with(tail), "{after}");
    assert!(
        after.contains("\n\t\t\"my-server\": {\n\t\t\t\"command\": "),
        "{after}"
    );
    assert_eq!(
        workspace.read("home/.config/zed/settings.json.linkspan-1.bak"),
        before
    );
    #[cfg(unix)]
    for file in ["settings.json", "settings.json.linkspan-1.bak"] {
        use std::os::unix::fs::PermissionsExt;
        let about = workspace
            .path("home/.config/zed")
            .join(file)
            .metadata()
            .unwrap();
        assert_eq!(about.permissions().mode() & 0o777, 0o600, "{file}");
    }

    // A second run changes nothing.
    assert_snapshot!(workspace.run(&args), @"HERE/home/.config/zed/settings.json is up to date");
    assert_eq!(workspace.read("home/.config/zed/settings.json"), after);

    // Another folder with the same name: with --force the entry changes, and the first backup stays.
    assert_eq!(workspace.run(&["new", "second"]).code, Some(0));
    let other = "config second --name my-server --client zed --write";
    let other: Vec<&str> = other.split(' ').collect();
    assert_snapshot!(workspace.run(&other), @"
    [stderr]
    error: HERE/home/.config/zed/settings.json has another server `my-server`
    hint: nothing was changed; --force replaces it, --name NAME adds another one
    [exit 1]
    ");
    let ran = workspace.run(&[&other[..], &["--force"]].concat());
    assert!(ran.stdout.contains("settings.json.linkspan-2.bak"), "{ran}");
    assert_eq!(
        workspace.read("home/.config/zed/settings.json.linkspan-1.bak"),
        before
    );
    assert!(
        workspace
            .read("home/.config/zed/settings.json")
            .contains("/second\"")
    );
    let files = workspace.files("home/.config/zed");
    assert_eq!(files.len(), 3, "no scratch file is left: {files:?}");
}

#[test]
fn config_does_not_change_an_invalid_file() {
    let workspace = with_server("broken");
    for (text, what) in [
        ("{ \"mcpServers\": ", "is not JSON"),
        ("[]", "is not an object"),
        ("{ \"mcpServers\": 3 }", "`mcpServers` in"),
        (
            "{ \"mcpServers\": {\"a\":1}, \"mcpServers\": {\"a\":2} }",
            "more than once",
        ),
    ] {
        workspace.write("c.json", text);
        let ran = workspace.run(&[
            "config",
            "my-server",
            "--client",
            "cursor",
            "--write",
            "--file",
            "c.json",
        ]);
        assert_eq!(ran.code, Some(1), "{ran}");
        assert!(ran.stderr.contains(what), "{ran}");
        assert!(ran.stderr.contains("hint: nothing was changed"), "{ran}");
        assert_eq!(workspace.read("c.json"), text);
        assert!(!workspace.path("c.json.linkspan-1.bak").exists());
    }
}

#[cfg(unix)]
#[test]
fn config_keeps_a_link() {
    let workspace = with_server("linked");
    workspace.write("dotfiles/mcp.json", "{}");
    std::fs::create_dir(workspace.path("home/.cursor")).unwrap();
    let link = workspace.path("home/.cursor/mcp.json");
    std::os::unix::fs::symlink(workspace.path("dotfiles/mcp.json"), &link).unwrap();
    assert_eq!(
        workspace
            .run(&["config", "my-server", "--client", "cursor", "--write"])
            .code,
        Some(0)
    );
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(workspace.json("dotfiles/mcp.json")["mcpServers"]["my-server"].is_object());
}

#[test]
fn config_refuses_a_missing_folder() {
    let workspace = Workspace::new("nowhere");
    let ran = workspace.run(&["config", "nowhere", "--client", "zed"]);
    assert_eq!(ran.code, Some(2), "{ran}");
    assert!(ran.stderr.contains("hint: linkspan new nowhere"), "{ran}");
    assert_eq!(
        workspace.run(&["config", ".", "--write"]).code,
        Some(2),
        "`--write` needs a client"
    );
    let ran = workspace.run(&["config", ".", "--client", "zed", "--name", "a b"]);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn words_with_blanks_are_shell_quoted() {
    let workspace = Workspace::new("quoted");
    assert_eq!(workspace.run(&["new", "it's mine"]).code, Some(0));
    let ran = workspace.run(&["config", "it's mine", "--client", "claude-code"]);
    assert!(ran.stdout.contains(r"/it'\''s mine'"), "{ran}");
    let ran = workspace.run(&["config", "it's mine", "--inspector"]);
    assert!(
        ran.stdout
            .starts_with("npx @modelcontextprotocol/inspector -- "),
        "{ran}"
    );
}

#[test]
fn a_url_is_reached_through_connect() {
    let workspace = Workspace::new("config-url");
    let ran = workspace.run(&[
        "config",
        "https://mcp.example.com/mcp",
        "--client",
        "zed",
        "--json",
    ]);
    assert_snapshot!(ran, @r#"{"client":"zed","name":"example","file":"HERE/home/.config/zed/settings.json","format":"json","key":"context_servers","text":"{\n  \"context_servers\": {\n    \"example\": {\n      \"command\": \"LINKSPAN\",\n      \"args\": [\n        \"connect\",\n        \"https://mcp.example.com/mcp\"\n      ]\n    }\n  }\n}\n","config":{"context_servers":{"example":{"command":"LINKSPAN","args":["connect","https://mcp.example.com/mcp"]}}},"command":null}"#);
}

#[test]
fn a_command_is_reached_through_connect() {
    let workspace = Workspace::new("config-command");
    workspace.program("server.sh", "");
    let words = [
        "config",
        "--client",
        "claude-code",
        "--",
        "./server.sh",
        "--flag",
        "a b",
    ];
    assert_snapshot!(workspace.run(&words), @r#"
    Claude Code:
      run this
        claude mcp add --scope project server -- LINKSPAN connect -- HERE/server.sh --flag 'a b'
      or put this into .mcp.json
        {
          "mcpServers": {
            "server": {
              "type": "stdio",
              "command": "LINKSPAN",
              "args": [
                "connect",
                "--",
                "HERE/server.sh",
                "--flag",
                "a b"
              ]
            }
          }
        }
    "#);
    assert_snapshot!(workspace.run(&["config", "--", "./no-such-server"]), @"
    [stderr]
    error: there is no program `./no-such-server`
    hint: give the path of an executable file, or a name that is in PATH
    [exit 2]
    ");
    assert_snapshot!(workspace.run(&["config", "https://mcp.example.com/mcp", "--", "x"]), @"
    [stderr]
    error: two targets: `https://mcp.example.com/mcp` and a command after `--`
    hint: give one of them
    [exit 2]
    ");
}

#[test]
fn every_client_supports_a_url_and_a_command() {
    let workspace = Workspace::new("config-every");
    for client in ["claude-code", "claude-desktop", "cursor", "vscode", "zed"] {
        let ran = workspace.run(&[
            "config",
            "https://mcp.example.com/mcp",
            "--client",
            client,
            "--json",
        ]);
        let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(told["name"], "example", "{client}");
        let key = told["key"].as_str().unwrap();
        let args = &told["config"][key]["example"]["args"];
        assert_eq!(
            *args,
            json!(["connect", "https://mcp.example.com/mcp"]),
            "{client}"
        );
        let ran = workspace.run(&[
            "config", "--client", client, "--json", "--", "npx", "-y", "my-git",
        ]);
        let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let args = &told["config"][key]["my-git"]["args"];
        assert_eq!(
            *args,
            json!(["connect", "--", "npx", "-y", "my-git"]),
            "{client}"
        );
    }
}
