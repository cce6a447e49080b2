//! Every client and every server of either era, on every transport between them.
//!
//! The measure is the server itself: the same SDK on a direct connection in the server's own era.

use std::sync::OnceLock;

use crate::exposed::Exposed;
use crate::sdk::{Era, Language, Sdk, Told};
use crate::server::Server;
use crate::words;

/// A server of one era.
#[derive(Clone, Copy)]
struct Peer {
    era: Era,
    /// The words that start it on stdio.
    words: fn() -> Vec<String>,
    /// Starts it on Streamable HTTP.
    http: fn() -> Server,
    /// Calls whose results are the same every time.
    calls: &'static [(&'static str, &'static str)],
    /// The requests that these calls send to the client.
    asks: &'static [&'static str],
    /// Direct results of each SDK, made once.
    direct: fn(Language) -> &'static OnceLock<Told>,
}

/// `server-everything` has only the legacy era. It asks for roots once, at an arbitrary time.
const EVERYTHING: Peer = Peer {
    era: Era::Legacy,
    words: words::everything,
    http: || Server::everything("streamableHttp"),
    calls: &[
        ("tools/list", "{}"),
        (
            "tools/call",
            r#"{"name":"echo","arguments":{"message":"ahoy ø “quay” ⛴ \n"}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"get-sum","arguments":{"a":"not a number"}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"get-structured-content","arguments":{"location":"New York"}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"trigger-sampling-request","arguments":{"prompt":"tide?"}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"trigger-elicitation-request","arguments":{}}"#,
        ),
        ("tools/call", r#"{"name":"get-roots-list","arguments":{}}"#),
        // After this call it asks for no more roots: a question would interrupt the progress.
        (
            "tools/call",
            r#"{"name":"trigger-long-running-operation","arguments":{"duration":0.3,"steps":3}}"#,
        ),
        ("resources/list", "{}"),
        ("resources/templates/list", "{}"),
        (
            "resources/read",
            r#"{"uri":"demo://resource/static/document/architecture.md"}"#,
        ),
        ("prompts/list", "{}"),
        (
            "prompts/get",
            r#"{"name":"args-prompt","arguments":{"city":"Århus"}}"#,
        ),
    ],
    asks: &["sampling/createMessage", "elicitation/create"],
    direct: |language| {
        static TYPESCRIPT: OnceLock<Told> = OnceLock::new();
        static PYTHON: OnceLock<Told> = OnceLock::new();
        match language {
            Language::TypeScript => &TYPESCRIPT,
            Language::Python => &PYTHON,
        }
    },
};

/// Our script on the Python SDK, which here refuses to shake hands.
const MODERN_ONLY: Peer = Peer {
    era: Era::Modern,
    words: || words::python(&["--modern"]),
    http: || Server::python(&["--modern"]),
    calls: &[
        ("tools/list", "{}"),
        (
            "tools/call",
            r#"{"name":"echo","arguments":{"message":"ahoy ø “quay” ⛴ \n"}}"#,
        ),
        ("tools/call", r#"{"name":"tide","arguments":{"hour":3}}"#),
        (
            "tools/call",
            r#"{"name":"tide","arguments":{"hour":"noon"}}"#,
        ),
        ("tools/call", r#"{"name":"load","arguments":{"cars":3}}"#),
        (
            "tools/call",
            r#"{"name":"ask_model","arguments":{"question":"tide?"}}"#,
        ),
        ("tools/call", r#"{"name":"ask_user","arguments":{}}"#),
        ("tools/call", r#"{"name":"ask_roots","arguments":{}}"#),
        ("tools/call", r#"{"name":"ask_twice","arguments":{}}"#),
        (
            "tools/call",
            r#"{"name":"ask_everything","arguments":{"question":"tide?"}}"#,
        ),
        ("resources/list", "{}"),
        ("resources/templates/list", "{}"),
        ("resources/read", r#"{"uri":"quay://berth/7"}"#),
        ("prompts/list", "{}"),
        (
            "prompts/get",
            r#"{"name":"greet","arguments":{"ship":"Æolus"}}"#,
        ),
    ],
    asks: &[
        "sampling/createMessage",
        "elicitation/create",
        "elicitation/create",
        "elicitation/create",
        "sampling/createMessage",
        "elicitation/create",
    ],
    direct: |language| {
        static TYPESCRIPT: OnceLock<Told> = OnceLock::new();
        static PYTHON: OnceLock<Told> = OnceLock::new();
        match language {
            Language::TypeScript => &TYPESCRIPT,
            Language::Python => &PYTHON,
        }
    },
};

impl Peer {
    /// The results that the server itself gives to a client of its own era.
    fn direct(&self, language: Language) -> &'static Told {
        (self.direct)(language).get_or_init(|| {
            let sdk = Sdk {
                language,
                era: self.era,
            };
            sdk.run(self.calls, &(self.words)())
        })
    }

    fn serves(&self, sdk: Sdk, target: &[String]) {
        let bridged = sdk.run(self.calls, target);
        let direct = self.direct(sdk.language);
        assert_eq!(bridged.server, direct.server);
        for ((call, bridged), direct) in
            self.calls.iter().zip(&bridged.results).zip(&direct.results)
        {
            assert_eq!(bridged, direct, "{call:?}");
        }
        assert_eq!(bridged.results.len(), self.calls.len());
        assert_eq!(bridged.asked_but_for_roots(), self.asks);
        assert!(bridged.asked.iter().any(|method| method == "roots/list"));
        assert_eq!(bridged.progress, direct.progress);
    }
}

fn connect_to_a_command(peer: &Peer, sdk: Sdk) {
    peer.serves(sdk, &words::connect(&(peer.words)()));
}

fn connect_to_a_url(peer: &Peer, sdk: Sdk) {
    let server = (peer.http)();
    peer.serves(sdk, &crate::installed::bridge(&server.url("/mcp")));
}

fn expose_of_a_command(peer: &Peer, sdk: Sdk) {
    let exposed = Exposed::start(&(peer.words)());
    peer.serves(sdk, &[exposed.url("/mcp")]);
}

fn expose_of_a_url(peer: &Peer, sdk: Sdk) {
    let server = (peer.http)();
    let exposed = Exposed::remote(server.url("/mcp"));
    peer.serves(sdk, &[exposed.url("/mcp")]);
}

fn connect_to_expose_of_a_command(peer: &Peer, sdk: Sdk) {
    let exposed = Exposed::start(&(peer.words)());
    peer.serves(sdk, &crate::installed::bridge(&exposed.url("/mcp")));
}

/// A test for each client on each transport to each server.
macro_rules! cells {
    ($peer:expr, $way:ident => $($client:ident: $language:ident $era:ident),*) => {
        $(
            #[test]
            #[ignore = "needs the peers that `cargo xtask test` installs"]
            fn $client() {
                let (language, era) = (Language::$language, Era::$era);
                super::super::$way(&$peer, Sdk { language, era });
            }
        )*
    };
    ($peer:expr => $($way:ident)*) => {
        $(
            mod $way {
                use crate::sdk::{Era, Language, Sdk};

                cells! { $peer, $way =>
                    serves_a_legacy_typescript_client: TypeScript Legacy,
                    serves_a_modern_typescript_client: TypeScript Modern,
                    serves_a_legacy_python_client: Python Legacy,
                    serves_a_modern_python_client: Python Modern
                }
            }
        )*
    };
    ($($server:ident: $peer:expr),*) => {
        $(
            mod $server {
                cells! { $peer =>
                    connect_to_a_command
                    connect_to_a_url
                    expose_of_a_command
                    expose_of_a_url
                    connect_to_expose_of_a_command
                }
            }
        )*
    };
}

cells! {
    a_legacy_server: super::super::EVERYTHING,
    a_modern_server: super::super::MODERN_ONLY
}
