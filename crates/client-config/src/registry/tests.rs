use linkspan_gateway::config::{GatewayConfig, Reference, Target};
use proptest::prelude::*;

use super::*;

/// A file whose offers the gateway can read.
fn file(server: &Value) -> ServerFile {
    let file = ServerFile::parse(&server.to_string()).unwrap();
    for offer in &file.offers {
        target(offer);
    }
    file
}

fn target(offer: &Offer) -> Target {
    let config = offer.to_json("w").to_string();
    let mut config = GatewayConfig::read("added", &config).unwrap();
    config.servers.remove(0).target
}

fn package(package: &Value) -> Result<Offer, WhyNot> {
    let mut file = file(&json!({"name": "com.example/weather", "packages": [package]}));
    match file.refused.pop() {
        Some((_, why)) => Err(why),
        None => Ok(file.offers.remove(0)),
    }
}

fn line(given: &Value) -> String {
    let entry = package(given).unwrap().entry;
    let args = entry["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|arg| arg.as_str().unwrap());
    format!(
        "{} {}",
        entry["command"].as_str().unwrap(),
        args.collect::<Vec<_>>().join(" ")
    )
}

#[test]
fn packages_of_every_registry_have_a_launcher() {
    let cases = [
        (
            json!({"registryType": "npm", "identifier": "@x/y", "version": "1.2.3"}),
            "npx -y @x/y@1.2.3",
        ),
        (
            json!({"registryType": "npm", "identifier": "y"}),
            "npx -y y",
        ),
        (
            json!({"registryType": "pypi", "identifier": "y[cli]", "version": "1.0"}),
            "uvx y[cli]==1.0",
        ),
        (
            json!({"registryType": "oci", "identifier": "r.example/x/y", "version": "1.0"}),
            "docker run -i --rm r.example/x/y:1.0",
        ),
        (
            json!({"registryType": "oci", "identifier": "r.example:5000/x/y:2", "version": "1"}),
            "docker run -i --rm r.example:5000/x/y:2",
        ),
        (
            json!({"registryType": "nuget", "identifier": "A.B", "version": "1.0"}),
            "dnx A.B@1.0 --yes --",
        ),
    ];
    for (given, expected) in cases {
        assert_eq!(line(&given), expected);
    }
}

#[test]
fn arguments_come_before_and_after_the_package() {
    let given = json!({
        "registryType": "npm", "identifier": "y", "version": "1",
        "runtimeArguments": [{"type": "positional", "value": "-y"}, {"type": "named", "name": "--cache", "value": "/tmp"}],
        "packageArguments": [
            {"type": "positional", "value": "start"},
            {"type": "named", "name": "--port", "default": 8080},
            {"type": "named", "name": "--dir", "value": "{home}/{sub}/{other}", "variables": {"home": {}, "sub": {"default": "d"}}},
            {"type": "named", "name": "--verbose", "isRequired": true},
            {"type": "named", "name": "--on", "format": "boolean", "default": "true"},
            {"type": "named", "name": "--off", "format": "boolean", "default": false},
            {"type": "named", "name": "--level", "valueHint": "level"},
            {"type": "positional", "valueHint": "path", "isRequired": true, "description": "What to read"}
        ]
    });
    assert_eq!(
        line(&given),
        "npx -y --cache /tmp y@1 start --port 8080 --dir ${input:weather-home}/d/{other} --verbose --on ${input:weather-path}"
    );
    let offer = package(&given).unwrap();
    assert_eq!(offer.optional, ["--level"]);
    assert_eq!(offer.questions[1].description, "What to read");
}

#[test]
fn variables_are_asked_for_if_they_are_required() {
    let given = json!({
        "registryType": "oci", "identifier": "x/y:1", "registryBaseUrl": "https://r.example",
        "environmentVariables": [
            {"name": "API_KEY", "isRequired": true, "isSecret": true, "description": "Key"},
            {"name": "ZONE", "isRequired": true, "choices": ["eu", "us"]},
            {"name": "MODE", "default": "fast"},
            {"name": "DEBUG"}
        ]
    });
    let offer = package(&given).unwrap();
    assert_eq!(
        line(&given),
        "docker run -i --rm -e API_KEY -e ZONE -e MODE x/y:1"
    );
    assert_eq!(
        offer.to_json("w"),
        json!({
            "inputs": [
                {"type": "promptString", "id": "weather-API_KEY", "description": "Key", "password": true},
                {"type": "pickString", "id": "weather-ZONE", "description": "ZONE", "options": ["eu", "us"]}
            ],
            "mcpServers": {"w": {
                "command": "docker",
                "args": ["run", "-i", "--rm", "-e", "API_KEY", "-e", "ZONE", "-e", "MODE", "x/y:1"],
                "env": {"API_KEY": "${input:weather-API_KEY}", "ZONE": "${input:weather-ZONE}", "MODE": "fast"}
            }}
        })
    );
    assert_eq!(offer.optional, ["DEBUG"]);
    assert_eq!(offer.registry.as_deref(), Some("https://r.example"));
}

#[test]
fn remotes_have_urls_and_headers() {
    let file = file(&json!({"server": {
        "name": "com.example/weather", "version": "1.0.0",
        "remotes": [
            {
                "type": "streamable-http", "url": "https://{tenant}.example.com/mcp",
                "variables": {"tenant": {"isRequired": true}},
                "headers": [
                    {"name": "Authorization", "value": "Bearer {token}", "variables": {"token": {"isSecret": true}}},
                    {"name": "X-Trace"}
                ]
            },
            {"type": "sse", "url": "https://x.example/sse"},
            {"type": "websocket", "url": "wss://x.example"}
        ]
    }}));
    assert_eq!(
        file.offers[0].entry,
        json!({
            "type": "http", "url": "https://${input:weather-tenant}.example.com/mcp",
            "headers": {"Authorization": "Bearer ${input:weather-token}"}
        })
    );
    assert!(file.offers[0].questions[1].is_secret);
    assert_eq!(
        file.offers[1].entry,
        json!({"type": "sse", "url": "https://x.example/sse"})
    );
    assert_eq!(file.refused[0].1, WhyNot::Transport("websocket".to_owned()));
}

#[test]
fn names_that_are_options_paths_or_urls_are_refused() {
    let names = [
        ("npm", "--eval=x"),
        ("npm", "https://x.example/a.tgz"),
        ("npm", "user/repo"),
        ("npm", "../x"),
        ("npm", "@x/../y"),
        ("npm", "a b"),
        ("npm", ""),
        ("pypi", "git+https://x.example/y"),
        ("pypi", "./y"),
        ("oci", "-v"),
        ("oci", "a b"),
        ("nuget", "@x/y"),
    ];
    for (kind, name) in names {
        let given = json!({"registryType": kind, "identifier": name, "version": "1"});
        assert_eq!(
            package(&given),
            Err(WhyNot::Name(name.to_owned())),
            "{kind} {name}"
        );
    }
    for version in ["npm:evil@1", "-x", "1 --y", ""] {
        let given = json!({"registryType": "npm", "identifier": "y", "version": version});
        assert_eq!(package(&given), Err(WhyNot::Name(version.to_owned())));
    }
    let given = json!({"registryType": "npm", "identifier": "y", "environmentVariables": [{"name": "A=B", "value": "c"}]});
    assert_eq!(package(&given), Err(WhyNot::Name("A=B".to_owned())));
}

#[test]
fn packages_that_cannot_be_run_have_a_reason() {
    let mcpb = json!({"registryType": "mcpb", "identifier": "x.mcpb", "fileSha256": "0"});
    assert_eq!(package(&mcpb), Err(WhyNot::Type("mcpb".to_owned())));
    let http =
        json!({"registryType": "npm", "identifier": "y", "transport": {"type": "streamable-http"}});
    assert_eq!(
        package(&http),
        Err(WhyNot::Transport("streamable-http".to_owned()))
    );
    assert_eq!(
        package(&json!({"registryType": "npm"})),
        Err(WhyNot::Missing("identifier"))
    );
    assert_eq!(ServerFile::parse("{}"), Err(RegistryError::NoName));
    assert!(matches!(
        ServerFile::parse("{"),
        Err(RegistryError::Syntax(_))
    ));
}

#[test]
fn what_will_run_is_shown_without_control_characters() {
    let file = file(&json!({
        "name": "com.example/weather\u{1b}", "version": "1.0.0", "description": "Weather.\nerror: x",
        "packages": [
            {"registryType": "npm", "identifier": "y", "version": "1",
             "packageArguments": [{"type": "positional", "value": "\u{202e}x"}],
             "environmentVariables": [{"name": "KEY", "isRequired": true, "isSecret": true}, {"name": "B"}]},
            {"registryType": "mcpb", "identifier": "z"}
        ]
    }));
    let mut out = Vec::new();
    file.write(&mut out).unwrap();
    let lines = String::from_utf8(out).unwrap();
    assert_eq!(
        lines,
        "com.example/weather\\u{1b} 1.0.0\nWeather.\\nerror: x\nnpm y\n  npx -y y@1 '\\u{202e}x'\n  asks for weather--KEY, a secret: KEY\n  optional: B\nnot mcpb z: packages of type `mcpb` cannot be run\n"
    );
}

proptest! {
    #[test]
    fn texts_of_the_file_cannot_refer_to_secrets_of_the_user(
        text in "(\\$|\\{|\\}|env:A|v|x){0,8}", has_default in any::<bool>(), default in "(\\$|\\{|env:A\\}|x){0,4}",
    ) {
        let variable = if has_default { json!({ "default": default }) } else { json!({}) };
        let offer = package(&json!({
            "registryType": "npm", "identifier": "y",
            "packageArguments": [{"type": "positional", "value": text, "variables": {"v": variable}}]
        }));
        let Ok(offer) = offer else {
            return Ok(());
        };
        let Target::Command { args, .. } = target(&offer) else {
            panic!("{offer:?}");
        };
        let mut references = args[2].references();
        let is_answer = |one: &Reference| *one == Reference::Input("weather-v".to_owned());
        prop_assert!(references.all(is_answer), "{:?}", args[2]);
        if !text.contains("{v}") {
            prop_assert_eq!(args[2].as_plain(), Some(&*text));
        }
    }
}
