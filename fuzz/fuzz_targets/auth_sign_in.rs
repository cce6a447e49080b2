//! Whatever servers answer during a sign-in, it ends, and asks and shows only safe places.
//! The lines of the input are a challenge and then the bodies of the answers, each with a digit for its status.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use linkspan_auth::client::{Action, ClientOptions, Demand, Input, SignIn, safe_url};
use linkspan_auth::{HttpResponse, Timestamp};

/// Actions after which a sign-in counts as endless. A code is polled for at most once in a second of its half hour.
const MOST: usize = 5000;

fuzz_target!(|input: &[u8]| {
    let mut lines = input.split(|b| *b == b'\n');
    let challenge = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let demand = Demand::read([challenge.as_ref()]).unwrap_or_default();
    let server = "https://h.example/mcp".parse().expect("a URL");
    let options = Arc::new(ClientOptions::default());
    let mut sign_in = SignIn::new(options, &server, demand, None);
    if input.len() % 2 == 1 {
        sign_in = sign_in.without_browser();
    }
    let mut now = Timestamp(1_800_000_000);
    let Ok(mut action) = sign_in.start() else {
        return;
    };
    for _ in 0..MOST {
        let next = match action {
            Action::Send(request) => {
                assert!(safe_url(request.url.as_str(), false).is_some());
                Input::Response(response(lines.next().unwrap_or_default()))
            }
            Action::Recall { .. } => Input::Recalled(None),
            Action::Listen { .. } => Input::Listening(4711),
            Action::Authorize(page) => {
                assert!(safe_url(page.url.as_str(), false).is_some());
                let query = String::from_utf8_lossy(lines.next().unwrap_or_default());
                Input::Redirected(format!("state={}&{query}", page.state))
            }
            Action::Show(code) => {
                assert!(safe_url(code.url.as_str(), false).is_some());
                Input::Continue
            }
            Action::Wait(time) => {
                now = now.after(time);
                Input::Continue
            }
            Action::Done(granted) => {
                let token = granted.tokens.access.expose();
                assert!(!token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic()));
                return;
            }
            Action::Found(_) => unreachable!("a whole sign-in was asked for"),
        };
        match sign_in.on(next, now) {
            Ok(then) => action = then,
            Err(why) => {
                let _ = (why.to_string(), why.hint());
                return;
            }
        }
    }
    panic!("the sign-in does not end");
});

fn response(line: &[u8]) -> HttpResponse {
    let (status, body) = match line {
        [digit @ b'0'..=b'9', body @ ..] => (
            [200, 201, 400, 401, 403, 404, 429, 500, 503, 302][usize::from(digit - b'0')],
            body,
        ),
        body => (200, body),
    };
    HttpResponse {
        status,
        body: body.to_vec(),
        retry_after: (status == 429).then_some(1),
        ..HttpResponse::default()
    }
}
