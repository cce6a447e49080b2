//! Lines of mcp-remote, as its parser takes them.

use std::io;

use super::*;

const URL: &str = "https://mcp.example.com/mcp";

const AROUND: Surroundings<'static> = Surroundings {
    variable: &|name| (name == "TOKEN").then(|| "abc".to_owned()),
    read: &|path| match path.to_str() {
        Some("headers.txt") => Ok("# ours\nA: ${TOKEN}\noops\n".to_owned()),
        Some("client.json") => Ok(r#"{"client_id":"c","client_secret":"${TOKEN}"}"#.to_owned()),
        _ => Err(io::ErrorKind::NotFound.into()),
    },
};

fn parse(words: &[&str]) -> Result<McpRemote, LineError> {
    let words = words.iter().map(|word| (*word).to_owned());
    match McpRemote::parse(Program::McpRemote, words, AROUND)? {
        Asked::Run(line) => Ok(line),
        other => panic!("{other:?}"),
    }
}

fn line(words: &[&str]) -> McpRemote {
    parse(&[&[URL], words].concat()).unwrap()
}

fn refused(words: &[&str]) -> String {
    parse(&[&[URL], words].concat()).unwrap_err().to_string()
}

fn notes(words: &[&str]) -> Vec<String> {
    let notes = line(words).notes.into_iter();
    notes.map(|note| note.to_string()).collect()
}

#[test]
fn the_url_comes_with_or_without_a_port_and_before_or_after_flags() {
    assert_eq!(line(&["9696"]).callback_port, Some(9696));
    assert_eq!(line(&[]).callback_port, None);
    let flags_first = parse(&["--debug", "--header", "A: b", URL, "1"]).unwrap();
    assert_eq!(
        (&*flags_first.url, flags_first.callback_port),
        (URL, Some(1))
    );
    assert!(parse(&["--debug"]).unwrap_err().to_string().contains("URL"));
}

#[test]
fn an_unknown_flag_names_the_nearest_one() {
    let near = "mcp-remote has no flag `--transprt`; did you mean `--transport`?";
    assert_eq!(refused(&["--transprt", "sse-only"]), near);
    assert_eq!(refused(&["--header"]), "`--header` needs a value");
    assert_eq!(
        refused(&["--transport", "--debug"]),
        "`--transport` needs a value"
    );
}

#[test]
fn bad_values_are_ignored_with_a_warning() {
    for words in [
        ["--transport", "pigeon"],
        ["--protocol", "new"],
        ["--connect-timeout", "0"],
        ["--ping-interval", "-1"],
        ["--auth-timeout", "soon"],
        ["--callback-path", "callback"],
        ["--callback-path", "/wait-for-auth"],
        ["--client-metadata-url", "http://h/c.json"],
        ["--header", "no colon"],
    ] {
        let notes = notes(&words);
        let expected = format!("the value of {} is ignored: ", words[0]);
        assert!(notes[0].starts_with(&expected), "{notes:?}");
    }
    assert_eq!(
        notes(&["no-port"]),
        ["1 unexpected argument is ignored; a value with spaces needs quotes"]
    );
}

#[test]
fn values_that_decide_where_credentials_go_are_refused() {
    for words in [
        &["--resource", "not a uri"][..],
        &["--authorize-param", "state=1"],
        &["--authorize-param", "no-pair"],
        &["--auth-success-url", "https://h/x?code=1"],
        &["--auth-success-url", "http://h/x"],
        &[
            "--auth-success-url",
            "https://h/x",
            "--auth-success-url",
            "https://h/y",
        ],
        &["--token-endpoint", "https://as/token"],
        &[
            "--token-endpoint",
            "http://as/token",
            "--client-credentials",
        ],
        &["--static-oauth-client-info", "{"],
        &["--static-oauth-client-info", "{}"],
        &["--header-file", "nowhere.txt"],
    ] {
        assert!(!refused(words).is_empty(), "{words:?}");
    }
    line(&["--auth-success-url", "http://localhost:1/x"]);
    line(&["--auth-success-url", "http://h/x", "--allow-http"]);
    line(&[
        "--client-credentials",
        "--token-endpoint",
        "https://as/token",
    ]);
}

#[test]
fn the_last_header_of_a_name_counts_and_variables_stay_until_they_are_sent() {
    let headers = [
        "--header-file",
        "headers.txt",
        "--header",
        "A:${TOKEN}2",
        "--header=B: ${NO}",
    ];
    let line = line(&headers);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(line.headers, [pair("A", "${TOKEN}2"), pair("B", "${NO}")]);
    let notes: Vec<String> = line.notes.iter().map(Note::to_string).collect();
    assert!(notes[0].starts_with("line 3 of headers.txt"), "{notes:?}");
    assert!(notes[1].contains("NO is not set"), "{notes:?}");
    let options = line.http(AROUND).unwrap();
    assert!(options.secrets().iter().any(|secret| secret == "abc2"));
}

#[test]
fn a_flag_without_effect_says_why() {
    for flag in [
        "--enable-proxy",
        "--clean",
        "--body-timeout=5",
        "--protocol=auto",
    ] {
        let notes = notes(&[flag]);
        assert!(notes[0].contains("has no effect: "), "{notes:?}");
    }
    assert!(notes(&["--transport", "sse-first"])[0].contains("has no effect"));
    assert!(notes(&["--ipv4", "--silent", "--headers-timeout", "0"]).is_empty());
}

#[test]
fn the_flags_of_the_sign_in_are_taken() {
    let oauth = line(&[
        "--static-oauth-client-info",
        "@client.json",
        "--static-oauth-client-metadata",
        r#"{"scope":"a b","token_endpoint_auth_method":"none"}"#,
        "--resource",
        "https://tenant.example/",
        "--authorize-param",
        "audience=x=y",
        "--auth-timeout",
        "60s",
        "--callback-path",
        "/cb",
        "--device-code",
    ])
    .oauth;
    let client = oauth.client.unwrap();
    assert_eq!((&*client.id, client.secret.unwrap().expose()), ("c", "abc"));
    assert_eq!(
        oauth.authorize_params,
        [("audience".to_owned(), "x=y".to_owned())]
    );
    assert_eq!(oauth.resource.as_deref(), Some("https://tenant.example/"));
    assert_eq!(oauth.timeout, Duration::from_secs(60));
    assert_eq!((&*oauth.path, oauth.grant), ("/cb", Grant::Device));
    let none = line(&["--resource", ""]).oauth;
    assert!(!none.send_resource);
}
