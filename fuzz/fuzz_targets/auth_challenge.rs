//! Whatever a server sends as `WWW-Authenticate` is read, and what we write is read as it was meant. The same for the
//! credentials that a client sends.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_auth::challenges;
use linkspan_auth::resource::{Presented, ToolScopes, parse_scopes};

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    for challenge in challenges(&text) {
        let written = challenge.to_string();
        let read = challenges(&written);
        assert_eq!(read.first(), Some(&challenge), "{written:?}");
    }
    let mut halves = input.splitn(2, |b| *b == b'\n');
    let (first, second) = (halves.next(), halves.next());
    if let Presented::Bearer(token) | Presented::Dpop { token, .. } =
        Presented::read(first, second)
    {
        assert!(!token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic()));
    }
    if let Ok(scopes) = parse_scopes(&text) {
        assert_eq!(parse_scopes(&scopes.join(" ")), Ok(scopes));
    }
    if let Ok(rules) = ToolScopes::parse([text.as_ref()]) {
        assert!(!rules.is_empty());
        rules.of(&text);
    }
});
