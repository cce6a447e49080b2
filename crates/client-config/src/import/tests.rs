use linkspan_gateway::config::GatewayConfig;

use super::*;

fn import(configs: &[(Client, &str)]) -> Import {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config");
    let mut import = Import::default();
    for (client, text) in configs {
        std::fs::write(&file, text).unwrap();
        import.add(&ConfigFile::read(*client, &file).unwrap());
    }
    let config = import.to_json().to_string();
    let config = GatewayConfig::read("imported", &config).unwrap();
    assert_eq!(config.servers.len(), import.servers.len());
    import
}

fn entry(client: Client, entry: &Value) -> Value {
    let name = Value::from("x");
    let root = match client.slot("x").named_by {
        None => json!({ client.key(): { "x": entry } }),
        Some(member) => {
            let mut entry = entry.clone();
            entry[member] = name;
            json!({ client.key(): [entry] })
        }
    };
    let import = import(&[(client, &client.format().write(&root))]);
    assert_eq!(import.skipped, [], "{client:?}");
    import.servers[0].entry.clone()
}

#[test]
fn entries_of_every_client_become_those_of_the_gateway() {
    let stdio = json!({ "command": "p", "args": ["a", "1"], "env": {"K": "v"} });
    let (plain, env) = (
        json!({ "command": "p", "args": ["a", 1] }),
        json!({ "K": "v" }),
    );
    for client in Client::ALL {
        let given = match client {
            Client::Goose => {
                json!({"type": "stdio", "enabled": true, "cmd": "p", "args": ["a", 1], "envs": env})
            }
            Client::OpenCode => {
                json!({"type": "local", "command": ["p", "a", "1"], "environment": env})
            }
            Client::Zed => json!({"command": {"path": "p", "args": ["a", "1"], "env": env}}),
            _ => {
                let mut given = plain.clone();
                given["env"] = env.clone();
                given["autoApprove"] = json!(["t"]);
                given
            }
        };
        assert_eq!(entry(client, &given), stdio, "{client:?}");
    }
}

#[test]
fn urls_keep_their_transport_and_headers() {
    let url = "https://mcp.example.com/mcp";
    let http = json!({ "type": "http", "url": url, "headers": {"X": "1"} });
    let headers = json!({ "X": "1" });
    let cases = [
        (
            Client::VsCode,
            json!({"type": "http", "url": url, "headers": headers}),
        ),
        (Client::Gemini, json!({"httpUrl": url, "headers": headers})),
        (
            Client::Cline,
            json!({"type": "streamableHttp", "url": url, "headers": headers}),
        ),
        (
            Client::Goose,
            json!({"type": "streamable_http", "uri": url, "headers": headers}),
        ),
        (
            Client::Continue,
            json!({"type": "streamable-http", "url": url, "requestOptions": {"headers": headers}}),
        ),
    ];
    for (client, given) in cases {
        assert_eq!(entry(client, &given), http, "{client:?}");
    }
    let sse = json!({"type": "sse", "url": url});
    assert_eq!(entry(Client::Cursor, &sse), sse);
    let unknown = entry(Client::Windsurf, &json!({"serverUrl": url}));
    assert_eq!(unknown, json!({ "url": url }));
    let remote = entry(Client::OpenCode, &json!({"type": "remote", "url": url}));
    assert_eq!(remote, json!({ "url": url }));
}

#[test]
fn variables_that_a_client_passes_on_are_references() {
    let codex = json!({"command": "p", "env_vars": ["A"]});
    assert_eq!(
        entry(Client::Codex, &codex)["env"],
        json!({"A": "${env:A}"})
    );
    let codex = json!({
        "url": "https://x.example/mcp", "http_headers": {"X": "${y}"}, "env_http_headers": {"Y": "B"},
        "bearer_token_env_var": "TOKEN",
    });
    assert_eq!(
        entry(Client::Codex, &codex)["headers"],
        json!({"X": "$${y}", "Y": "${env:B}", "Authorization": "Bearer ${env:TOKEN}"})
    );
    let goose = json!({"cmd": "p", "envs": {}, "env_keys": ["A"]});
    assert_eq!(
        entry(Client::Goose, &goose)["env"],
        json!({"A": "${env:A}"})
    );
}

#[test]
fn equal_servers_are_imported_once_and_keys_stay_unique() {
    let import = import(&[
        (
            Client::Cursor,
            r#"{"mcpServers":{"git":{"command":"a"},"Web":{"command":"w"}}}"#,
        ),
        (
            Client::Windsurf,
            r#"{"mcpServers":{"git":{"command":"b"},"web":{"command":"w"}}}"#,
        ),
        (
            Client::Kiro,
            r#"{"mcpServers":{"Git":{"command":"c"},"git-windsurf":{"command":"d"}}}"#,
        ),
    ]);
    let keys: Vec<&str> = import.servers.iter().map(|server| &*server.key).collect();
    assert_eq!(
        keys,
        [
            "git",
            "Web",
            "git-windsurf",
            "Git-kiro",
            "git-windsurf-kiro"
        ]
    );
    let aliases: HashSet<Alias> = keys.iter().map(|key| Alias::of_key(key)).collect();
    assert_eq!(aliases.len(), keys.len());
    assert_eq!(import.servers[1].origins.len(), 2);
}

#[test]
fn entries_that_cannot_be_used_have_a_reason() {
    let import = import(&[(
        Client::Cursor,
        r#"{"mcpServers":{
            "off":{"command":"a","disabled":true},
            "own":{"command":"npx","args":["-y","linkspan","gateway","-c","x.json"]},
            "other":{"command":"linkspan","args":["connect","https://x.example/mcp"]},
            "empty":{},
            "odd":{"command":"a","args":[{}]}
        }}"#,
    )]);
    let reasons: Vec<_> = import
        .skipped
        .iter()
        .map(|(origin, why)| (&*origin.name, *why))
        .collect();
    assert_eq!(
        reasons,
        [
            ("off", Skipped::Disabled),
            ("own", Skipped::Gateway),
            ("empty", Skipped::NoTarget),
            ("odd", Skipped::Invalid("args")),
        ]
    );
    assert_eq!(import.servers.len(), 1);
}

#[test]
fn questions_of_vs_code_are_imported_with_its_servers() {
    let text = r#"{"inputs":[{"type":"promptString","id":"k","password":true}],
        "servers":{"a":{"command":"p","env":{"K":"${input:k}"}}}}"#;
    let import = import(&[(Client::VsCode, text), (Client::VsCode, text)]);
    assert_eq!(
        import.to_json(),
        json!({
            "inputs": [{"type": "promptString", "id": "k", "password": true}],
            "mcpServers": {"a": {"command": "p", "env": {"K": "${input:k}"}}}
        })
    );
}

#[test]
fn the_plan_names_clients_and_shows_no_secret() {
    let import = import(&[
        (
            Client::Cursor,
            r#"{"mcpServers":{"web":{"command":"npx","args":["-y","web","--token","s3cret-4711"]},"x":{"url":"https://me:s3cret-4711@x.example/mcp"}}}"#,
        ),
        (
            Client::Zed,
            "{\"context_servers\":{\"web\":{\"command\":\"a\\u001b[2J\"},\"b\":{}}}",
        ),
    ]);
    let mut out = Vec::new();
    import.write(&mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(
        !text.contains("s3cret") && !text.contains('\u{1b}'),
        "{text}"
    );
    assert!(text.contains("web-zed  "), "{text}");
    assert!(text.contains("  from Zed, where it is web\n"), "{text}");
    assert!(
        text.ends_with("not b of Zed: it has no command and no URL\n"),
        "{text}"
    );
}

#[test]
fn clients_are_read_from_the_files_of_the_user() {
    let home = tempfile::tempdir().unwrap();
    let system = System {
        home: Some(home.path().to_owned()),
        ..System::default()
    };
    let of = |client| Import::of_clients(&[client], &system);
    assert!(matches!(
        of(Client::Cursor),
        Err(ImportError::NotFound(Client::Cursor))
    ));
    let folder = home.path().join(".cursor");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("mcp.json"), "{").unwrap();
    assert!(matches!(of(Client::Cursor), Err(ImportError::Read { .. })));
    std::fs::write(
        folder.join("mcp.json"),
        r#"{"mcpServers":{"a":{"command":"p"}}}"#,
    )
    .unwrap();
    assert_eq!(of(Client::Cursor).unwrap().servers.len(), 1);
}
