//! Several hops of the same era: what arrives are the bytes of the server itself.

use crate::client::Client;
use crate::exposed::Exposed;
use crate::{direct, everything, python, stdio, words};

type Calls = [(&'static str, &'static str)];

/// Compares every call with a client on the server's own stdio.
fn gives_the_bytes_of(server: &[String], calls: &Calls, reach: fn(&Exposed) -> (Client, String)) {
    let (mut direct, hello) = stdio::start(server);
    let exposed = Exposed::start(server);
    let (mut bridged, bridged_hello) = reach(&exposed);
    assert_eq!(bridged_hello, hello, "initialize");
    for (method, params) in calls {
        assert_eq!(
            bridged.call(method, params),
            direct.call(method, params),
            "{method} {params}"
        );
    }
    assert_eq!(bridged.asked_during_calls(), direct.asked_during_calls());
}

/// The same tests for each transport to the exposed server.
macro_rules! ways {
    ($($server:ident: $words:expr, $calls:expr;)*) => {
        $(
            mod $server {
                use super::*;

                #[test]
                #[ignore = "needs the peers that `cargo xtask test` installs"]
                fn expose_gives_the_bytes_of_its_server() {
                    let reach = |exposed: &Exposed| direct::streamable_http(exposed.address());
                    gives_the_bytes_of(&$words, $calls, reach);
                }

                #[test]
                #[ignore = "needs the peers that `cargo xtask test` installs"]
                fn expose_over_http_sse_gives_the_bytes_of_its_server() {
                    let reach = |exposed: &Exposed| direct::http_sse(exposed.address());
                    gives_the_bytes_of(&$words, $calls, reach);
                }

                #[test]
                #[ignore = "needs the peers that `cargo xtask test` installs"]
                fn connect_before_expose_gives_the_bytes_of_the_server() {
                    let reach = |exposed: &Exposed| stdio::connect(&exposed.url("/mcp"));
                    gives_the_bytes_of(&$words, $calls, reach);
                }

                #[test]
                #[ignore = "needs the peers that `cargo xtask test` installs"]
                fn connect_before_expose_over_http_sse_gives_the_bytes_of_the_server() {
                    let reach = |exposed: &Exposed| stdio::connect(&exposed.url("/sse"));
                    gives_the_bytes_of(&$words, $calls, reach);
                }
            }
        )*
    };
}

ways! {
    everything_on_stdio: words::everything(), everything::REPEATABLE;
    python_on_stdio: words::python(&[]), python::REPEATABLE;
}
