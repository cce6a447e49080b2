mod account;
mod mid_session;
mod modern_client;
mod modern_server;
mod open_handshake;

use std::sync::{Arc, Mutex};

use super::*;

#[derive(Clone, Default)]
struct Account(Arc<Mutex<Known>>);

/// What an account asks for, and what it was told.
#[derive(Default)]
struct Known {
    prompt: Option<Prompt>,
    generation: Option<u64>,
    client_shows_pages: Option<bool>,
    patience: Option<Duration>,
    asked_again: u32,
}

impl SignInState for Account {
    fn prompt(&self) -> Option<Prompt> {
        self.0.lock().unwrap().prompt.clone()
    }

    fn set_client_shows_pages(&self, can: bool) {
        self.0.lock().unwrap().client_shows_pages = Some(can);
    }

    fn set_patience(&self, patience: Option<Duration>) {
        self.0.lock().unwrap().patience = patience;
    }

    fn generation(&self) -> Option<u64> {
        self.0.lock().unwrap().generation
    }

    fn ask_again(&self) {
        self.0.lock().unwrap().asked_again += 1;
    }
}

impl Account {
    fn asks(&self, opened: bool) {
        self.asks_for("https://as/page", opened);
    }

    fn asks_for(&self, page: &str, opened: bool) {
        self.0.lock().unwrap().prompt = Some(Prompt {
            server: "https://h/mcp".to_owned(),
            url: page.to_owned(),
            user_code: None,
            opened,
        });
    }

    /// The sign-in has ended without success.
    fn is_done(&self) {
        self.0.lock().unwrap().prompt = None;
    }

    fn is_signed_in(&self) {
        let mut known = self.0.lock().unwrap();
        known.prompt = None;
        known.generation = Some(known.generation.map_or(1, |it| it + 1));
    }

    fn client_shows_pages(&self) -> Option<bool> {
        self.0.lock().unwrap().client_shows_pages
    }

    fn patience(&self) -> Option<Duration> {
        self.0.lock().unwrap().patience
    }
}

struct World<L = SignInLayer<Account>> {
    account: Account,
    layer: L,
    now: Instant,
}

const OPEN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#;
const OPEN_PAGES: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"url":{}}}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const OPENED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;

impl World {
    fn new() -> Self {
        let account = Account::default();
        Self {
            layer: SignInLayer::new(account.clone()),
            account,
            now: Instant::now(),
        }
    }

    /// A client that was answered in the server's place.
    fn greeted() -> Self {
        let mut world = Self::new();
        world.client(OPEN);
        world.account.asks(true);
        assert_eq!(world.after(PATIENCE + LOOK).len(), 1);
        world
    }
}

impl<L: Layer> World<L> {
    /// What leaves the layer: `>` towards the server, `<` towards the client.
    fn on(&mut self, way: Way, text: &str) -> Vec<String> {
        let envelope = Envelope::new(Message::parse(text.to_owned().into()).unwrap());
        let several = match self.layer.on(way, envelope, self.now) {
            Verdict::Pass(envelope) => vec![(way, envelope)],
            Verdict::Back(envelope) => vec![(way.reversed(), envelope)],
            Verdict::Many(several) => several,
            Verdict::Drop => Vec::new(),
            _ => panic!("this layer takes no detours"),
        };
        several.iter().map(shown).collect()
    }

    fn client(&mut self, text: &str) -> Vec<String> {
        self.on(Way::ToBack, text)
    }

    fn server(&mut self, text: &str) -> Vec<String> {
        self.on(Way::ToFront, text)
    }

    fn after(&mut self, time: Duration) -> Vec<String> {
        let until = self.now + time;
        let mut left = Vec::new();
        while let Some(at) = self.layer.next_wake().filter(|at| *at <= until) {
            self.now = at;
            left.extend(self.layer.on_time(at).iter().map(shown));
        }
        self.now = until;
        left
    }
}

fn shown((way, envelope): &(Way, Envelope)) -> String {
    let mark = match way {
        Way::ToBack => '>',
        Way::ToFront => '<',
    };
    format!("{mark}{}", envelope.msg.text())
}

fn request(id: u64, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

fn call(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"sign_in"}}}}"#)
}

#[test]
fn without_a_sign_in_everything_passes_however_long_it_takes() {
    let mut world = World::new();
    assert_eq!(world.client(OPEN), [format!(">{OPEN}")]);
    assert!(world.after(Duration::from_secs(600)).is_empty());
    assert_eq!(world.server(OPENED), [format!("<{OPENED}")]);
    assert_eq!(world.layer.next_wake(), None);
    let list = request(2, "prompts/list");
    assert_eq!(world.client(&list), [format!(">{list}")]);
    assert_eq!(world.account.client_shows_pages(), Some(false));
}

#[test]
fn a_client_is_answered_after_twenty_seconds_of_a_sign_in() {
    let mut world = World::new();
    world.client(OPEN);
    world.account.asks(true);
    assert!(world.after(Duration::from_secs(19)).is_empty());
    let answer = world.after(Duration::from_secs(2)).remove(0);
    assert!(
        answer.starts_with(r#"<{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18""#),
        "{answer}"
    );
    assert!(answer.contains("https://as/page"), "{answer}");
}

#[test]
fn until_the_sign_in_is_done_there_is_one_tool() {
    let mut world = World::greeted();
    assert!(world.client(READY).is_empty());
    assert!(world.client(&request(2, "tools/list"))[0].contains(r#""name":"sign_in""#));
    assert!(world.client(&request(3, "prompts/list"))[0].contains(r#""prompts":[]"#));
    assert!(world.client(&request(4, "ping"))[0].ends_with(r#""result":{}}"#));
    assert!(world.client(&request(5, "resources/read"))[0].contains("not_signed_in"));
}

#[test]
fn after_the_sign_in_the_client_hears_of_everything_once() {
    let mut world = World::greeted();
    world.client(READY);
    assert!(world.client(&call(2)).is_empty());
    let left = world.server(OPENED);
    assert!(
        left[0].contains(r#""id":2"#) && left[0].contains("Signed in."),
        "{left:?}"
    );
    assert_eq!(left[1], format!(">{READY}"));
    assert!(left[2].contains("tools/list_changed"));
    assert_eq!(left.len(), 5);
    let list = request(3, "tools/list");
    assert_eq!(world.client(&list), [format!(">{list}")]);
    // The server has no prompts, though the client was told that there may be some.
    assert!(world.client(&request(4, "prompts/list"))[0].contains(r#"<{"jsonrpc":"2.0","id":4"#));
}

#[test]
fn a_call_of_the_tool_is_answered_before_the_client_gives_up() {
    let mut world = World::greeted();
    world.client(&call(2));
    assert!(world.after(Duration::from_secs(44)).is_empty());
    let left = world.after(Duration::from_secs(2));
    assert!(
        left[0].contains("https://as/page") && left[0].contains("again"),
        "{left:?}"
    );
}

#[test]
fn a_failed_sign_in_can_be_tried_again_with_the_tool() {
    let mut world = World::greeted();
    world.client(&call(2));
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}"#;
    let left = world.server(error);
    assert!(left[0].contains(r#""isError":true"#), "{left:?}");
    let again = world.client(&call(3));
    assert!(
        again[0].starts_with(r#">{"jsonrpc":"2.0","id":"linkspan-initialize""#),
        "{again:?}"
    );
    assert_eq!(world.account.0.lock().unwrap().asked_again, 1);
    let opened = OPENED.replace(r#""id":1"#, r#""id":"linkspan-initialize""#);
    assert!(world.server(&opened)[0].contains("Signed in."));
}

#[test]
fn a_client_that_shows_pages_is_asked_at_once_where_there_is_no_browser() {
    let mut world = World::new();
    world.client(OPEN_PAGES);
    assert_eq!(world.account.client_shows_pages(), Some(true));
    world.account.asks(false);
    assert_eq!(world.after(Duration::from_secs(1)).len(), 1);
    world.client(READY);
    let question = world.after(Duration::from_secs(1));
    assert!(question[0].contains("elicitation/create") && question[0].contains(r#""mode":"url""#));
    let answer = r#"{"jsonrpc":"2.0","id":"linkspan-sign-in","result":{"action":"accept"}}"#;
    assert!(world.client(answer).is_empty());
    assert!(world.after(Duration::from_secs(5)).is_empty());
}

#[test]
fn calls_that_wait_are_bounded() {
    let mut world = World::greeted();
    for id in 0..CALLS as u64 {
        assert!(world.client(&call(10 + id)).is_empty());
    }
    assert!(world.client(&call(99))[0].contains(r#""isError":true"#));
}
