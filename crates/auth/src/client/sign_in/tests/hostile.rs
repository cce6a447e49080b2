//! Servers that answer with any documents.

use proptest::prelude::*;
use proptest::sample::select;

use super::world::{ISSUER, SERVER, World, demand};
use crate::client::{ClientOptions, Grant, safe_url};

const MEMBERS: [&str; 22] = [
    "resource",
    "authorization_servers",
    "scopes_supported",
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "registration_endpoint",
    "device_authorization_endpoint",
    "code_challenge_methods_supported",
    "grant_types_supported",
    "client_id",
    "client_secret",
    "client_secret_expires_at",
    "redirect_uris",
    "access_token",
    "token_type",
    "expires_in",
    "scope",
    "error",
    "device_code",
    "user_code",
    "verification_uri",
];

/// A value that fits one of the members, or none.
fn value() -> impl Strategy<Value = String> {
    let fitting = select(vec![
        format!("{SERVER:?}"),
        format!("{ISSUER:?}"),
        format!("[{ISSUER:?}]"),
        format!("[1, {ISSUER:?}, null]"),
        format!("{:?}", format!("{ISSUER}/x")),
        r#"["S256"]"#.to_owned(),
        r#""https://evil.example/mcp""#.to_owned(),
        r#""http://evil.example/x""#.to_owned(),
        r#""javascript:alert(1)""#.to_owned(),
        r#""Bearer""#.to_owned(),
        r#""authorization_pending""#.to_owned(),
    ]);
    let odd = select(vec![
        "null",
        "true",
        "0",
        "-1",
        "1e300",
        "\"\"",
        "[]",
        "{}",
        "[[]]",
        "\"\\u0000\"",
    ]);
    prop_oneof![fitting, odd.prop_map(str::to_owned)]
}

/// A document that is changed in some members, some of them twice.
fn document(base: &'static [(&'static str, &'static str)]) -> impl Strategy<Value = String> {
    let changes = prop::collection::vec((select(&MEMBERS[..]), value()), 0..4);
    let kept = prop::collection::vec(any::<u8>(), base.len());
    (changes, kept).prop_map(move |(changes, kept)| {
        // Most members are kept, so that most sign-ins get beyond the first document.
        let kept = base.iter().zip(kept).filter(|(_, at)| *at > 20);
        let kept = kept.map(|((name, value), _)| format!("{name:?}: {value}"));
        let changed = changes
            .iter()
            .map(|(name, value)| format!("{name:?}: {value}"));
        let members: Vec<String> = kept.chain(changed).collect();
        format!("{{{}}}", members.join(", "))
    })
}

fn resource() -> impl Strategy<Value = String> {
    document(&[
        ("resource", r#""https://server.example/mcp""#),
        ("authorization_servers", r#"["https://as.example"]"#),
    ])
}

fn metadata() -> impl Strategy<Value = String> {
    document(&[
        ("issuer", r#""https://as.example""#),
        (
            "authorization_endpoint",
            r#""https://as.example/authorize""#,
        ),
        ("token_endpoint", r#""https://as.example/token""#),
        ("registration_endpoint", r#""https://as.example/register""#),
        (
            "device_authorization_endpoint",
            r#""https://as.example/device""#,
        ),
        ("code_challenge_methods_supported", r#"["S256"]"#),
    ])
}

proptest! {
    #[test]
    fn any_documents_lead_to_an_end_and_to_no_unsafe_place(
        resource in resource(),
        metadata in metadata(),
        registration in document(&[("client_id", r#""c""#)]),
        codes in document(&[
            ("device_code", r#""d""#),
            ("user_code", r#""u""#),
            ("verification_uri", r#""https://as.example/enter""#),
        ]),
        token in document(&[("access_token", r#""t""#), ("token_type", r#""Bearer""#)]),
        statuses in prop::collection::vec(select(vec![200_u16, 200, 200, 400, 429, 500]), 3),
        grant in select(vec![Grant::Auto, Grant::Code, Grant::Device]),
        has_browser: bool,
    ) {
        let mut world = World::modern();
        world.answer("/.well-known/oauth-protected-resource/mcp", 200, &resource);
        world.answer("/.well-known/oauth-authorization-server", 200, &metadata);
        world.answer("/register", statuses[0], &registration);
        world.answer("/device", statuses[1], &codes);
        world.answer("/token", statuses[2], &token);
        world.has_browser = has_browser;
        let options = ClientOptions { grant, ..ClientOptions::default() };
        let ended = world.sign_in(options, demand(""));
        for url in world.urls().chain(&world.pages) {
            prop_assert!(safe_url(url.as_str(), false).is_some(), "{url}");
        }
        // A document for another resource never leads further. It may be there twice, and then counts as unreadable.
        if resource.contains(r#""resource": "https://evil.example/mcp""#) {
            prop_assert_eq!(world.asked().len(), 1);
            prop_assert!(ended.is_err());
        }
        match ended {
            Ok(granted) => {
                let token = granted.tokens.access.expose();
                prop_assert!(!token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic()));
            }
            Err(why) => prop_assert!(!why.to_string().contains(char::is_control), "{why:?}"),
        }
    }
}
