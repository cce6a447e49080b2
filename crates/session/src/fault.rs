//! Faults behind the bridge, and their conversion to JSON-RPC errors.

use std::time::Duration;

use linkspan_wire::{RpcError, quote};

/// Why a request got no answer of its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The peer could not be reached, so nothing was sent.
    #[error("cannot connect to {peer}: {}", plain(.why))]
    ConnectFailed {
        /// The peer that we tried to reach.
        peer: String,
        /// The error of the system.
        why: String,
        /// How often we tried.
        tries: u32,
    },
    /// The server refused with an HTTP status and no JSON-RPC error.
    #[error("{peer} answered HTTP {status}{}{}", meaning(*.status), detail(.said))]
    HttpStatus {
        /// The server.
        peer: String,
        /// The status.
        status: u16,
        /// The beginning of a plain-text body; empty for HTML and the like.
        said: String,
        /// The properties of the request that may be the reason.
        request: Refused,
    },
    /// The request was sent and no answer arrived: it may have run.
    #[error("the answer of {peer} was lost: {why}")]
    AnswerLost {
        /// The peer that owed the answer.
        peer: String,
        /// The error of the connection.
        why: String,
    },
    /// The server forgot the session and a new one did not help.
    #[error("{peer} no longer knows this session: {why}")]
    SessionLost {
        /// The server.
        peer: String,
        /// The error of the attempt.
        why: String,
    },
    /// The peer has closed the connection.
    #[error("{peer} closed the connection: {why}")]
    PeerClosed {
        /// The peer.
        peer: String,
        /// Exit status or the like.
        why: String,
    },
    /// The peer was a process that has exited.
    #[error("{peer} closed the connection: {}", end(.status, .last_words))]
    Ended {
        /// Which process.
        peer: String,
        /// How it ended.
        status: String,
        /// The end of its stderr.
        last_words: String,
    },
    /// No sign of life for too long.
    #[error("no answer within {}", seconds(.after))]
    Timeout {
        /// The limit.
        after: Duration,
    },
    /// A limit of requests in flight was reached.
    #[error("too much in flight: {what}")]
    Overloaded {
        /// Which bound was reached.
        what: &'static str,
    },
    /// The server has failed several times in a row, so no call is sent for a while.
    #[error("{peer} is not called for {}: it has failed several times in a row", seconds(.wait))]
    Paused {
        /// The server.
        peer: String,
        /// How long.
        wait: Duration,
    },
    /// The answer is larger than the limit.
    #[error("the answer of {peer} has more than {limit} bytes")]
    TooLarge {
        /// The server.
        peer: String,
        /// The limit.
        limit: usize,
    },
    /// The answer is not JSON-RPC.
    #[error("{peer} sent no valid answer: {why}")]
    BadAnswer {
        /// The server.
        peer: String,
        /// The error in it.
        why: String,
    },
    /// The server requires a sign-in.
    #[error("{peer} wants a sign-in: {why}")]
    NotSignedIn {
        /// The server.
        peer: String,
        /// Why there is no sign-in.
        why: String,
        /// A hint for the user.
        hint: String,
        /// The page that the user has to open, if there is one.
        url: Option<String>,
    },
    /// We are shutting down.
    #[error("the bridge is closing")]
    Closing,
}

/// The properties of a refused request that decide the hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refused {
    /// Whether credentials were sent.
    pub credentials: bool,
    /// Whether the request was signed for AWS.
    pub aws: bool,
    /// The transport that was configured, `http` or `sse`; `None` if it is detected.
    pub transport: Option<&'static str>,
}

impl Fault {
    /// Why a connection failed: the other side answers, but with another protocol.
    pub const NOT_HTTP: &'static str = "it does not speak HTTP";

    /// The machine-readable kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ConnectFailed { .. } => "connect_failed",
            Self::HttpStatus { .. } => "http_status",
            Self::AnswerLost { .. } => "answer_lost",
            Self::SessionLost { .. } => "session_lost",
            Self::PeerClosed { .. } | Self::Ended { .. } => "peer_closed",
            Self::Timeout { .. } => "timeout",
            Self::Overloaded { .. } => "overloaded",
            Self::Paused { .. } => "paused",
            Self::TooLarge { .. } => "too_large",
            Self::BadAnswer { .. } => "bad_answer",
            Self::NotSignedIn { .. } => "not_signed_in",
            Self::Closing => "closing",
        }
    }

    /// Whether the server's certificate was not accepted.
    pub fn is_certificate(&self) -> bool {
        matches!(self, Self::ConnectFailed { why, .. } if certificate_hint(why).is_some())
    }

    /// Whether the other side answered, but in another protocol than TLS or HTTP.
    pub fn is_other_protocol(&self) -> bool {
        matches!(self, Self::ConnectFailed { why, .. } if is_not_tls(why) || why == Self::NOT_HTTP)
    }

    /// A hint for the user.
    pub fn hint(&self) -> &str {
        match self {
            Self::ConnectFailed { why, .. } if certificate_hint(why).is_some() => {
                certificate_hint(why).unwrap_or_default()
            }
            Self::ConnectFailed { why, .. } if is_not_tls(why) => {
                "the server may speak plain HTTP: try http:// in place of https://, or another port"
            }
            Self::ConnectFailed { why, .. } if why == Self::NOT_HTTP => {
                "another kind of server listens there: check the host and the port of the URL"
            }
            Self::ConnectFailed { .. } => {
                "check the URL and that the server is running; the next call tries again"
            }
            Self::HttpStatus {
                status: 400 | 401 | 403,
                said,
                request: Refused { aws: true, .. },
                ..
            } => aws_hint(said),
            Self::HttpStatus {
                status, request, ..
            } => status_hint(*status, *request),
            Self::AnswerLost { .. } => {
                "the call may have run and was not repeated; check before calling again"
            }
            Self::SessionLost { .. } => "restart the client to begin a new session",
            Self::PeerClosed { .. } | Self::Ended { .. } => {
                "the end of its stderr may give the reason; -v shows all of it"
            }
            Self::Timeout { .. } => "raise --timeout if the server needs longer",
            Self::Overloaded { .. } => "wait for calls in flight to finish",
            Self::Paused { .. } => "do not repeat the call before that",
            Self::TooLarge { .. } => "ask for less at once, or raise --max-message",
            Self::BadAnswer { .. } => {
                "check that this is an MCP server, and the URL its endpoint; --debug shows what came back"
            }
            Self::NotSignedIn { hint, .. } => hint,
            Self::Closing => "linkspan was asked to stop, or its client has disconnected",
        }
    }

    /// The `data` member of the JSON-RPC error, as JSON text: `kind`, `hint`, and the numbers of the fault.
    pub fn data(&self) -> String {
        let mut data = format!(
            r#"{{"kind":"{}","hint":{}"#,
            self.kind(),
            quote(self.hint())
        );
        match self {
            Self::HttpStatus { status, .. } => data += &format!(r#","status":{status}"#),
            Self::ConnectFailed { tries, .. } => data += &format!(r#","tries":{tries}"#),
            Self::Paused { wait, .. } => {
                data += &format!(r#","retryAfterSeconds":{}"#, wait.as_secs_f64().ceil());
            }
            Self::TooLarge { limit, .. } => data += &format!(r#","limit":{limit}"#),
            Self::NotSignedIn { url: Some(url), .. } => {
                data += &format!(r#","url":{}"#, quote(url));
            }
            _ => {}
        }
        data.push('}');
        data
    }
}

/// The wire error for MCP peers. ACP peers have another one (`linkspan-acp`): -32000 asks them to log in.
impl From<&Fault> for RpcError {
    fn from(fault: &Fault) -> Self {
        Self::server(fault.to_string()).with_data(fault.data())
    }
}

/// Whether the peer answered the handshake in another protocol than TLS; compares the text of rustls.
fn is_not_tls(why: &str) -> bool {
    why.contains("received corrupt message of type InvalidContentType")
}

/// The error of the system in plain terms.
fn plain(why: &str) -> &str {
    if is_not_tls(why) {
        "the server does not speak TLS (https)"
    } else {
        why
    }
}

/// The hint for a refused certificate; `None` for other errors.
fn certificate_hint(why: &str) -> Option<&'static str> {
    if !why.contains("invalid peer certificate") {
        return None;
    }
    // rustls explains some errors with a sentence, and others only by their name.
    let has = |words: &[&str]| words.iter().any(|word| why.contains(word));
    Some(if why.contains("CaUsedAsEndEntity") {
        "the server presents a CA certificate as its own: if you trust it, give this very certificate with --ca FILE (PEM); better, let the CA issue one for the server"
    } else if why.contains("UnknownIssuer") {
        "this machine does not trust the issuer of the server's certificate: if you do, give its certificate with --ca FILE (PEM)"
    } else if has(&["NotValidForName", "not valid for name"]) {
        "the server's certificate is for another name: use that name in the URL"
    } else if has(&["Expired", "NotValidYet", "expired", "not valid yet"]) {
        "the server's certificate is out of date, or the clock of this machine is wrong"
    } else {
        "the server's certificate was not accepted; a private one is trusted with --ca FILE (PEM)"
    })
}

/// The hint for a refused signature, by the name of the error and its usual text.
fn aws_hint(said: &str) -> &'static str {
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&["TimeTooSkewed", "ignature expired", "ignature not yet"]) {
        "the clock of this machine is wrong: set it (`timedatectl set-ntp true`, `w32tm /resync`)"
    } else if has(&["ExpiredToken", "token included in the request is expired"]) {
        "the AWS credentials have expired: renew them, for example with `aws sso login`"
    } else if has(&["SignatureDoesNotMatch", "signature we calculated"]) {
        "the AWS key is wrong, or a proxy has changed the request: check the secret key"
    } else if has(&[
        "Credential should be scoped",
        "correct service",
        "valid region",
    ]) {
        "the signature is for another service or region: set --aws-service and --aws-region"
    } else if has(&[
        "UnrecognizedClient",
        "InvalidClientTokenId",
        "token included in the request is invalid",
    ]) {
        "AWS does not know this key: check the profile (--aws-profile) and the variables AWS_…"
    } else {
        "AWS refuses the request: check the permissions of the key, --aws-service and --aws-region"
    }
}

fn status_hint(status: u16, asked: Refused) -> &'static str {
    match (status, asked.credentials, asked.transport) {
        (401, false, _) => {
            "the server requires credentials and got none: --bearer-env VAR or --header 'Authorization: …'"
        }
        (401, true, _) => {
            "the server does not accept the credentials that were sent: is the token right, and still valid?"
        }
        (403, false, _) => {
            "the server refuses the request: it may require credentials (--bearer-env VAR), or not allow this address"
        }
        (403, true, _) => "the credentials that were sent do not allow this request",
        (404, ..) => {
            "nothing is served at this path: check the URL (often it ends in /mcp or /sse)"
        }
        (405 | 406 | 415, _, Some("sse")) => {
            "there is no HTTP+SSE stream at this URL: leave --transport sse out, or check the path"
        }
        (405 | 406 | 415, _, Some(_)) => {
            "this URL does not take Streamable HTTP: leave --transport http out, or check the path"
        }
        (405 | 406 | 415, _, None) => {
            "this URL takes no MCP messages: check its path (often it ends in /mcp or /sse)"
        }
        (407, ..) => "the proxy requires credentials: put them into HTTPS_PROXY",
        (408 | 504, ..) => "the server took too long",
        (413, ..) => "the request is too large for the server",
        (429, ..) => "the server limits the rate of calls: wait before the next one",
        (501, ..) => {
            "this is a web server, but not an MCP server: check the URL (often it ends in /mcp or /sse)"
        }
        (500..=599, ..) => "the server failed; its log may say why",
        (300..=399, ..) => "the server moved: use the URL that it names",
        _ => "the server refused the request",
    }
}

/// The meaning of a status code.
fn meaning(status: u16) -> &'static str {
    match status {
        401 => " (not authorized)",
        403 => " (forbidden)",
        404 => " (not found)",
        405 => " (method not allowed)",
        501 => " (not implemented)",
        _ => "",
    }
}

fn detail(said: &str) -> String {
    if said.is_empty() {
        String::new()
    } else {
        format!(": {said}")
    }
}

fn end(status: &str, last_words: &str) -> String {
    match last_words {
        "" => status.to_owned(),
        words => format!("{status}; last lines of its stderr:\n{words}"),
    }
}

fn seconds(duration: &Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    #[test]
    fn a_refused_signature_has_a_hint_of_its_own() {
        let hint = |said: &str| {
            let fault = Fault::HttpStatus {
                peer: "example".into(),
                status: 403,
                said: said.into(),
                request: Refused {
                    aws: true,
                    credentials: true,
                    transport: None,
                },
            };
            fault.hint().to_owned()
        };
        for (said, word) in [
            ("<Code>RequestTimeTooSkewed</Code>", "clock"),
            (
                "Signature expired: 20261119T043000Z is now earlier",
                "clock",
            ),
            (
                "The security token included in the request is expired",
                "aws sso login",
            ),
            (
                "Credential should be scoped to a valid region.",
                "--aws-region",
            ),
            ("User is not authorized to perform", "permissions"),
        ] {
            assert!(hint(said).contains(word), "{said}");
        }
    }

    #[test]
    fn a_refusal_carries_its_status_and_a_hint() {
        let fault = Fault::HttpStatus {
            peer: "example".into(),
            status: 401,
            said: String::new(),
            request: Refused::default(),
        };
        assert_eq!(
            RpcError::from(&fault).answer(&Id::number(3)).text(),
            r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"example answered HTTP 401 (not authorized)","data":{"kind":"http_status","hint":"the server requires credentials and got none: --bearer-env VAR or --header 'Authorization: …'","status":401}}}"#
        );
    }

    #[test]
    fn a_certificate_of_an_unknown_issuer_has_a_flag() {
        let fault = |why: &str| Fault::ConnectFailed {
            peer: "example".into(),
            why: why.to_owned(),
            tries: 4,
        };
        let unknown = fault("invalid peer certificate: UnknownIssuer");
        assert!(unknown.hint().contains("--ca FILE"));
        assert!(unknown.is_certificate());
        let ca = fault("invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))");
        assert!(ca.hint().contains("this very certificate with --ca FILE"));
        let name = fault(r#"invalid peer certificate: certificate not valid for name "a""#);
        assert!(name.hint().contains("for another name"));
        let old = fault("invalid peer certificate: certificate expired: verification time 2");
        assert!(old.hint().contains("out of date"));
        assert!(!fault("connection refused").hint().contains("--ca"));
    }

    #[test]
    fn a_server_without_tls_or_http_is_named_as_such() {
        let fault = |why: &str| Fault::ConnectFailed {
            peer: "example".into(),
            why: why.to_owned(),
            tries: 1,
        };
        let plain = fault("received corrupt message of type InvalidContentType");
        assert_eq!(
            plain.to_string(),
            "cannot connect to example: the server does not speak TLS (https)"
        );
        assert!(plain.hint().contains("http://"));
        assert!(fault(Fault::NOT_HTTP).hint().contains("the port"));
    }

    #[test]
    fn every_status_has_a_hint() {
        for status in 100..1000 {
            assert!(!status_hint(status, Refused::default()).is_empty());
        }
    }

    #[test]
    fn a_wrong_token_and_a_missing_one_are_told_apart() {
        let hint = |credentials| {
            let asked = Refused {
                credentials,
                aws: false,
                transport: None,
            };
            status_hint(401, asked)
        };
        assert!(hint(false).contains("got none"));
        assert!(hint(false).contains("--bearer-env"));
        assert!(hint(true).contains("does not accept the credentials"));
        assert!(!hint(true).contains("--bearer-env"));
    }

    #[test]
    fn a_transport_is_not_a_hint_at_itself() {
        for transport in [None, Some("http"), Some("sse")] {
            let asked = Refused {
                credentials: false,
                aws: false,
                transport,
            };
            assert!(!status_hint(405, asked).contains("try --transport"));
        }
    }
}
