//! Whole files.

use proptest::prelude::*;

use super::*;
use crate::names::Prefix;

fn read(text: &str) -> GatewayConfig {
    match GatewayConfig::read("mcp.json", text) {
        Ok(config) => config,
        Err(errors) => panic!("{errors}"),
    }
}

/// The lines of the errors, without the name of the file.
fn errors(text: &str) -> Vec<String> {
    let errors = GatewayConfig::read("f", text).unwrap_err().to_string();
    let lines = errors.lines().map(|line| line.trim_start_matches("f:"));
    lines.map(str::to_owned).collect()
}

fn target(server: &str) -> Target {
    let config = read(&format!(r#"{{"mcpServers":{{"x":{server}}}}}"#));
    config.servers.into_iter().next().unwrap().target
}

fn is_at(server: &str, expected: &str, wanted: Transport) -> bool {
    match target(server) {
        Target::Url { url, transport, .. } => url.written() == expected && transport == wanted,
        _ => false,
    }
}

#[test]
fn a_file_of_claude_desktop_is_read() {
    let config = read(
        r#"{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "My Files": {"command": "npx", "args": ["-y", "server-fs", "/srv"], "env": {"N": 1, "T": "${TOKEN:-none}"}},
    "off": {"command": "x", "disabled": true, "linkspan": 7},
  }, // the last one
}"#,
    );
    let [server] = config.servers.as_slice() else {
        panic!("{config:?}");
    };
    assert_eq!(
        (server.key.as_str(), server.alias.as_str()),
        ("My Files", "my-files")
    );
    assert_eq!(server.at.to_string(), "4:5");
    let Target::Command {
        program, args, env, ..
    } = &server.target
    else {
        panic!("{server:?}");
    };
    assert_eq!(program.as_plain(), Some("npx"));
    assert_eq!(args.len(), 3);
    assert_eq!(env[0].1.as_plain(), Some("1"));
    assert_eq!(env[1].1.written(), "${env:TOKEN:-none}");
    assert_eq!(config.disabled, ["off"]);
    assert_eq!((server.start, server.share), (Start::Lazy, false));
}

#[test]
fn a_file_of_vs_code_is_read() {
    let config = read(
        r#"{
  "inputs": [
    {"type": "promptString", "id": "key", "description": "API key", "password": true, "default": "s3cret"},
    {"type": "pickString", "id": "zone", "options": ["eu", {"label": "US", "value": "us"}]}
  ],
  "servers": {"x": {"type": "http", "url": "https://${input:zone}.example.com/mcp",
                    "headers": {"Authorization": "Bearer ${input:key}", "X-A": "s3cret", "X-B": "${B:-s3cret}"}}}
}"#,
    );
    assert_eq!(config.inputs[1].options, ["eu", "us"]);
    let Target::Url {
        headers, transport, ..
    } = &config.servers[0].target
    else {
        panic!("{config:?}");
    };
    assert_eq!(headers[0].1.written(), "Bearer ${input:key}");
    assert_eq!(*transport, Transport::Http);
    assert!(!format!("{config:?}").contains("s3cret"));
}

#[test]
fn urls_of_all_clients_are_found() {
    assert!(is_at(r#"{"url":"http://a"}"#, "http://a", Transport::Auto));
    assert!(is_at(
        r#"{"serverUrl":"https://a/b"}"#,
        "https://a/b",
        Transport::Auto
    ));
    assert!(is_at(
        r#"{"httpUrl":"https://a"}"#,
        "https://a",
        Transport::Http
    ));
    assert!(is_at(
        r#"{"type":"sse","url":"HTTPS://a"}"#,
        "HTTPS://a",
        Transport::Sse
    ));
    for word in ["http", "streamable-http", "streamableHttp"] {
        let text = format!(
            r#"{{"type":"{word}","url":"https://a","timeout":60,"alwaysAllow":[],"env":null}}"#
        );
        assert!(is_at(&text, "https://a", Transport::Http));
    }
    assert!(is_at(
        r#"{"url":"${A}/mcp"}"#,
        "${env:A}/mcp",
        Transport::Auto
    ));
    assert!(is_at(
        r#"{"url":"https://${A}"}"#,
        "https://${env:A}",
        Transport::Auto
    ));
}

#[test]
fn settings_of_a_server_and_of_the_gateway_are_read() {
    let config = read(
        r#"{"mcpServers": {"x": {"linkspan": {"folder": "${userHome}/tools", "as": "t", "start": "eager",
                "share": false, "concurrency": 4, "timeout": 1.5, "pins": "off", "newTools": "hide"}}},
            "linkspan": {"prefix": "never", "nameLimit": 47, "timeout": 60, "pins": "block", "newTools": "hide",
                "tools": "thin", "toolsBudget": 8000}}"#,
    );
    let server = &config.servers[0];
    assert_eq!(server.alias.as_str(), "t");
    assert!(
        matches!(&server.target, Target::Folder(path) if path.written() == "${userHome}/tools")
    );
    assert_eq!(
        (server.start, server.share, server.concurrency),
        (Start::Eager, false, Some(4))
    );
    assert_eq!(server.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(
        (server.pins, server.new_tools),
        (Some(PinMode::Off), Some(NewTools::Hide))
    );
    let expected = Settings {
        prefix: Some(Prefix::Never),
        name_limit: Some(47),
        timeout: Some(Duration::from_secs(60)),
        pins: Some(PinMode::Block),
        new_tools: Some(NewTools::Hide),
        tools: Some(ToolLevel::Thin),
        tools_budget: Some(8000),
        policy: crate::policy::Policy::default(),
    };
    assert_eq!(config.settings, expected);
}

#[test]
fn all_mistakes_are_found_at_once_with_their_places() {
    let found = errors(
        r#"{"mcpServers": {
  "a": {"command": "x", "url": "https://x"},
  "b": {"command": 7, "args": "x"},
  "c": {"url": "ftp://x", "linkspan": {"strat": "lazy"}},
  "d": {"command": "x", "type": "http"},
  "e": {},
  "f": {"command": "x", "env": {"A=B": "1"}, "args": ["${cmd:ls}", "${input:k}"]}
 },
 "linkspan": {"pins": "blok", "nameLimit": 8, "views": {"v w": {"servers": ["aa"]}}}
}"#,
    );
    assert_eq!(
        found,
        [
            r#"2:25: `mcpServers.a` has both `command` and `url`; remove one of them"#,
            r#"3:20: `mcpServers.b.command` is not a text; write a text"#,
            r#"3:31: `mcpServers.b.args` is not a list; write a list"#,
            r#"4:16: `mcpServers.c.url` is not a URL that begins with http:// or https://; write for example "url": "https://example.com/mcp""#,
            r#"4:40: `strat` is unknown in `mcpServers.c.linkspan`; did you mean `start`?"#,
            r#"5:25: `mcpServers.d` has both `command` and `"type": "http"`; remove one of them"#,
            r#"6:8: `command` is missing in `mcpServers.e`; add "command", "url", or "linkspan": {"folder": …}"#,
            r#"7:33: `mcpServers.f.env.A=B` cannot contain '='; remove it"#,
            r#"7:55: `mcpServers.f.args`: `${cmd:…}` would run a command; write the value to a file and use ${file:PATH}, or set a variable and use ${env:NAME}"#,
            r#"7:68: no input has the id `k`; allowed: none"#,
            r#"9:23: `linkspan.pins` cannot be `blok`; did you mean `block`?"#,
            r#"9:44: `linkspan.nameLimit` is not from 32 to 256; write a number from 32 to 256"#,
            r#"9:57: `linkspan.views.v w` is not a name of 1 to 64 letters, digits, -, _ and ~; write a name of 1 to 64 letters, digits, -, _ and ~"#,
            r#"9:77: `linkspan.views.v w.servers` cannot be `aa`; did you mean `a`?"#,
        ]
    );
}

#[test]
fn references_to_unknown_inputs_are_mistakes() {
    let found = errors(
        r#"{"inputs":[{"id":"token"}],"servers":{"a":{"command":"x","args":["${input:tokn}"]}}}"#,
    );
    assert_eq!(
        found,
        ["1:66: no input has the id `tokn`; did you mean `token`?"]
    );
}

#[test]
fn names_that_occur_twice_are_mistakes() {
    let found = errors(
        r#"{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}},"servers":{"a":{"command":"z"}}}"#,
    );
    assert_eq!(found.len(), 2);
    assert!(
        found[0].starts_with("1:36: `a` is there twice"),
        "{found:?}"
    );
    let found = errors(r#"{"mcpServers":{"My x":{"command":"x"},"my-x":{"command":"y"}}}"#);
    assert_eq!(
        found,
        [
            r#"1:39: `my-x` and `My x` have the same short name `my-x`; give one of them another: "linkspan": {"as": "other"}"#
        ]
    );
    let found = errors(r#"{"servers":{"x":{"url":"https://x","headers":{"A":"1","a":"2"}}}}"#);
    assert!(found[0].contains("`a` is there twice"), "{found:?}");
}

#[test]
fn texts_that_are_not_json_have_a_place() {
    for (text, place) in [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "3:3"),
        ("{\"a\": [1, 2}", "1:12"),
        ("{ // x", "1:2"),
        ("", "1:1"),
        ("{} /* x", "1:4"),
        ("{}\n}", "2:1"),
    ] {
        let found = errors(text);
        assert_eq!(found.len(), 1, "{text}");
        assert!(
            found[0].starts_with(&format!("{place}: this is not JSON: ")),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn a_file_without_servers_says_what_it_may_have_meant() {
    assert!(errors(r#"{"mcpServer":{}}"#)[0].contains("did you mean `mcpServers`"));
    assert!(errors(r#"{"mcp":{"x":{}}}"#)[0].contains("`mcp` is unknown in `the file`"));
    assert!(errors("{}")[0].contains("`mcpServers` is missing"));
    assert!(errors("[]")[0].contains("is not an object"));
    assert!(read(r#"{"mcpServers":{}}"#).servers.is_empty());
}

#[test]
fn patterns_that_fit_no_name_are_mistakes() {
    let with = |settings: &str| {
        format!(
            r#"{{"mcpServers":{{"git":{{"command":"x"}},"off":{{"disabled":true}}}},"linkspan":{{{settings}}}}}"#
        )
    };
    let allowing = |pattern: &str| format!(r#""views":{{"v":{{"allow":["{pattern}"]}}}}"#);
    for pattern in ["git__x", "git__*", "g*", "*", "?it__x", "off__*", "git_*"] {
        read(&with(&allowing(pattern)));
    }
    for pattern in ["gti__x", "x", "", "git_x", "gi__*", "x*"] {
        let found = errors(&with(&allowing(pattern)));
        assert!(found[0].contains("fits no name"), "{pattern}: {found:?}");
    }
    read(&with(&format!(r#""prefix":"never",{}"#, allowing("x"))));
}

#[test]
fn servers_that_stay_the_same_are_unchanged() {
    let old = read(
        r#"{"mcpServers":{"a":{"command":"x","env":{"A":"1","B":"2"}},"b":{"command":"x"},
            "c":{"command":"x"},"d":{"command":"x"},"e":{"command":"x"}}}"#,
    );
    let new = read(
        r#"{"linkspan":{"pins":"off"},"mcpServers":{"f":{"command":"x"},"e":{"command":"x","linkspan":{"share":true}},
            "d":{"command":"x","linkspan":{"as":"dd"}},"c":{"command":"y"},
            /* moved */ "a":{"env":{"B":"2","A":"1"},"command":"x","trust":true}}}"#,
    );
    let changes = old.changes(&new);
    let keys = |servers: &[&ServerConfig]| -> Vec<String> {
        servers.iter().map(|one| one.key.clone()).collect()
    };
    assert_eq!(keys(&changes.added), ["f"]);
    assert_eq!(keys(&changes.removed), ["b"]);
    assert_eq!(keys(&changes.unchanged), ["a"]);
    let pairs = |pairs: &[(&ServerConfig, &ServerConfig)]| -> Vec<String> {
        pairs.iter().map(|(_, new)| new.key.clone()).collect()
    };
    assert_eq!(pairs(&changes.changed), ["e", "c"]);
    assert_eq!(pairs(&changes.adjusted), ["d"]);
    assert!(changes.settings && !changes.is_empty());
    assert!(new.changes(&new.clone()).is_empty());
}

#[test]
fn a_changed_input_changes_the_servers_that_use_it() {
    let with = |default: &str| {
        read(&format!(
            r#"{{"inputs":[{{"id":"k","default":"{default}"}}],
                "servers":{{"a":{{"command":"x","args":["${{input:k}}"]}},"b":{{"command":"x"}}}}}}"#
        ))
    };
    let (old, new) = (with("1"), with("2"));
    let changes = old.changes(&new);
    assert_eq!((changes.changed.len(), changes.unchanged.len()), (1, 1));
}

#[test]
fn mistakes_are_counted_when_there_are_too_many() {
    let servers: Vec<String> = (0..80).map(|n| format!(r#""s{n}":7"#)).collect();
    let text = format!(r#"{{"mcpServers":{{{}}}}}"#, servers.join(","));
    let errors = GatewayConfig::read("f", &text).unwrap_err();
    assert_eq!((errors.errors.len(), errors.omitted), (50, 30));
}

#[test]
fn errors_contain_no_values() {
    let found = errors(
        r#"{"servers":{"a":{"command":"x","env":{"A":["s3cret"]}},"b":{"url":"s3cret"},
            "c":{"url":"https://x","headers":{"K":"s3\r\ncret","\u001b[2J":"s3cret"}}}}"#,
    );
    assert_eq!(found.len(), 4);
    for line in &found {
        assert!(!line.contains("s3") && !line.contains('\u{1b}'), "{line}");
    }
}

#[test]
fn the_examples_of_the_documentation_are_read() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gateway-config.md");
    let page = std::fs::read_to_string(page).unwrap();
    let examples: Vec<&str> = page
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert!(examples.len() > 4);
    for example in examples {
        assert!(read(example).servers.len() + read(example).disabled.len() > 0);
    }
    // The mistake that the page shows.
    let line = page
        .lines()
        .find(|line| line.starts_with("mcp.json:"))
        .unwrap();
    let wrong = page
        .split("```json\n")
        .nth(1)
        .unwrap()
        .replace("\"pins\"", "\"pin\"");
    let errors = GatewayConfig::read("mcp.json", wrong.split("```").next().unwrap()).unwrap_err();
    assert_eq!(errors.to_string(), line);
}

/// Texts that look like a configuration.
fn files() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "mcpServers",
        "servers",
        "inputs",
        "linkspan",
        "command",
        "args",
        "env",
        "url",
        "headers",
        "folder",
        "as",
        "views",
        "rules",
        "allow",
        "servers",
        "then",
        "limit",
        "perMinute",
        "when",
        "arguments",
        "who",
        "keys",
        "claim",
        "prefix",
        "never",
        "a",
        "a__*",
        "https://x",
        "${A}",
        "${input:a}",
        "${",
        "é",
        "deny",
        "confirm",
        "disabled",
        "id",
        "pins",
    ]);
    let leaf = prop_oneof![
        words.clone().prop_map(linkspan_wire::quote),
        prop::sample::select(vec!["1", "-1", "1e99", "true", "null", "{}", "[]"])
            .prop_map(str::to_owned),
    ];
    let value = leaf.prop_recursive(6, 60, 6, move |inner| {
        let member =
            (words.clone(), inner.clone()).prop_map(|(name, value)| format!("\"{name}\": {value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(|list| format!("[{}]", list.join(", "))),
            prop::collection::vec(member, 0..6)
                .prop_map(|list| format!("{{{}}}", list.join(",\n"))),
        ]
    });
    (value, 0usize..400, r#"[{}\[\]",:/*]{0,2}"#).prop_map(|(mut text, at, more)| {
        let at = at.min(text.len());
        if text.is_char_boundary(at) {
            text.insert_str(at, &more);
        }
        format!("{{\"mcpServers\": {text}, \"linkspan\": {text}}}")
    })
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let lines: Vec<&str> = text.split('\n').collect();
    let is_inside = |at: Position| {
        let line = lines.get(at.line - 1).copied().unwrap_or_default();
        at.line <= lines.len() && at.column >= 1 && at.column <= line.chars().count() + 1
    };
    match GatewayConfig::read("f", text) {
        Ok(config) => {
            prop_assert!(config.servers.iter().all(|server| is_inside(server.at)));
            prop_assert!(config.changes(&config).is_empty());
        }
        Err(errors) => {
            prop_assert!(!errors.errors.is_empty());
            prop_assert!(
                errors.errors.iter().all(|error| is_inside(error.at)),
                "{errors}"
            );
            prop_assert!(errors.to_string().lines().count() <= errors.errors.len() + 1);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_text_is_read_or_has_mistakes_inside_it(text in r#"([{}\[\]",:/*\\ \r\n1]|é|\PC){0,60}"#) {
        check(&text)?;
    }

    #[test]
    fn any_configuration_is_read_or_has_mistakes_inside_it(text in files()) {
        check(&text)?;
    }
}
