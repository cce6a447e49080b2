//! Why a sign-in failed.

use std::time::Duration;

use url::Url;

use crate::HttpResponse;
use crate::members::Members;

/// Why there are no tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignInError {
    /// Metadata that cannot be used.
    #[error("the metadata at {url} cannot be used: {why}")]
    Metadata {
        /// Where it was published.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// A member of metadata is needed and cannot be used.
    #[error("the metadata of {url} cannot be used: its `{name}` is not {expected}")]
    Member {
        /// Where it was published, or whose it is.
        url: String,
        /// The member.
        name: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// The resource metadata is for another server.
    #[error(
        "the metadata of {server} is for another resource, `{published}`; nothing was sent there"
    )]
    ResourceMismatch {
        /// The server.
        server: String,
        /// What its metadata says.
        published: String,
    },
    /// The metadata of an authorization server names another issuer.
    #[error("the metadata of the authorization server {expected} names another issuer, `{found}`")]
    IssuerMismatch {
        /// Whose metadata it should be.
        expected: String,
        /// Whose it says it is.
        found: String,
    },
    /// An endpoint that is neither https nor on this machine.
    #[error("{issuer} names a {name} that is neither https nor on this machine: {url}")]
    Endpoint {
        /// The authorization server.
        issuer: String,
        /// The member of the metadata.
        name: &'static str,
        /// Its value.
        url: String,
    },
    /// An endpoint that is needed is not there.
    #[error("{issuer} has no {name}")]
    NoEndpoint {
        /// The authorization server.
        issuer: String,
        /// The member of the metadata.
        name: &'static str,
    },
    /// The grant is not offered.
    #[error("{issuer} does not offer the grant `{grant}`")]
    NoGrant {
        /// The authorization server.
        issuer: String,
        /// The value of `grant_type`.
        grant: &'static str,
    },
    /// No PKCE with S256.
    #[error(
        "{0} does not say that it supports PKCE with S256, without which a sign-in is not safe"
    )]
    NoPkce(String),
    /// The server publishes nothing, and nothing is where 2025-03-26 has it.
    #[error("{0} says nothing about OAuth")]
    NotOffered(String),
    /// The user has to register a client.
    #[error("{0} has no dynamic registration of clients")]
    NoRegistration(String),
    /// The authorization server does not register us.
    #[error("{issuer} refused to register a client: {why}")]
    RegistrationRefused {
        /// The authorization server.
        issuer: String,
        /// What it said.
        why: String,
    },
    /// The client that the user gave is registered elsewhere.
    #[error(
        "the server now uses the authorization server {to}, and the given client was used with {from}"
    )]
    IssuerChanged {
        /// Before.
        from: String,
        /// Now.
        to: String,
    },
    /// The user or the authorization server said no.
    #[error("{issuer} did not grant access: {why}")]
    Denied {
        /// The authorization server.
        issuer: String,
        /// What it said.
        why: String,
    },
    /// The browser came back with something that does not belong to this sign-in.
    #[error("the answer in the browser does not belong to this sign-in: {0}")]
    Callback(&'static str),
    /// The token endpoint refused.
    #[error("the token endpoint of {issuer} refused: {why}")]
    Token {
        /// The authorization server.
        issuer: String,
        /// The error code, such as `invalid_grant`.
        code: String,
        /// What it said.
        why: String,
    },
    /// An endpoint failed for the moment.
    #[error("{url} answered HTTP {status}{}", later(*retry_after))]
    Unavailable {
        /// Which one.
        url: String,
        /// The status.
        status: u16,
        /// When it wants to be asked again, in seconds.
        retry_after: Option<u64>,
    },
    /// An endpoint could not be reached.
    #[error("{0}")]
    Unreachable(String),
    /// An answer that is not what the protocol says.
    #[error("{url} sent an answer that OAuth does not allow: {why}")]
    BadAnswer {
        /// Which endpoint.
        url: String,
        /// What is wrong.
        why: &'static str,
    },
    /// An option is missing for the grant.
    #[error("{0}")]
    Options(&'static str),
    /// The device code has expired.
    #[error("the code was not entered within {} s", .0.as_secs())]
    Expired(Duration),
}

impl SignInError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Metadata { .. } | Self::Member { .. } | Self::BadAnswer { .. } => {
                "tell the operator of the server; --debug shows the requests"
            }
            Self::ResourceMismatch { .. } | Self::IssuerMismatch { .. } => {
                "check the URL of the server; its operator has to correct the metadata"
            }
            Self::Endpoint { .. } => {
                "the operator has to serve it over https; --insecure-http allows plain http"
            }
            Self::NoEndpoint { .. } | Self::NoGrant { .. } => {
                "choose another grant with --grant, or ask the operator"
            }
            Self::NoPkce(_) => "the operator has to enable PKCE and publish it in the metadata",
            Self::NotOffered(_) => {
                "it may want a key or a token: --bearer-env VAR or --header 'Authorization: …'"
            }
            Self::NoRegistration(_) => {
                "register a client there and give it with --client-id (and --client-secret-env), or a client metadata document with --client-metadata-url"
            }
            Self::RegistrationRefused { .. } => {
                "register a client there yourself and give it with --client-id"
            }
            Self::IssuerChanged { .. } => {
                "register a client at the new authorization server, then run `linkspan login URL` with its --client-id"
            }
            Self::Denied { .. } => {
                "try again with `linkspan login URL`, perhaps with another account"
            }
            Self::Callback(_) => "close old browser tabs and try again with `linkspan login URL`",
            Self::Token { .. } => "check --client-id, its secret or key, and the assertion",
            Self::Unavailable { .. } | Self::Unreachable(_) => {
                "check the network; the next request tries again"
            }
            Self::Options(_) => "linkspan connect --help lists the flags of each grant",
            Self::Expired(_) => "run `linkspan login URL` for a new code",
        }
    }

    /// Whether another try may work without a change by the user.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Unreachable(_))
    }
}

/// A text of another server, safe to show: short, and without control characters.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 200;
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(LONGEST).collect()
}

/// Whether an endpoint refused. Some, such as those of GitHub, send their errors with status 200.
pub(super) fn is_refused(response: &HttpResponse) -> bool {
    let names_error = || Members::read(&response.body).is_some_and(|it| it.text("error").is_some());
    !response.is_success() || names_error()
}

/// What a response of an endpoint means that is no success (RFC 6749 §5.2).
pub(super) fn refused(issuer: &str, endpoint: &Url, response: &HttpResponse) -> SignInError {
    let refusal = Members::read(&response.body).unwrap_or_default();
    let code = refusal.owned("error").unwrap_or_default();
    let is_refusal = !code.is_empty() || (400..500).contains(&response.status);
    if response.is_busy() || !is_refusal || code == "temporarily_unavailable" {
        return unavailable(endpoint, response);
    }
    SignInError::Token {
        issuer: issuer.to_owned(),
        why: match code.as_str() {
            "" => format!("HTTP {}", response.status),
            code => described(code, refusal.text("error_description")),
        },
        code,
    }
}

/// An endpoint that may answer otherwise in a while.
pub(super) fn unavailable(endpoint: &Url, response: &HttpResponse) -> SignInError {
    SignInError::Unavailable {
        url: endpoint.to_string(),
        status: response.status,
        retry_after: response.retry_after,
    }
}

fn later(seconds: Option<u64>) -> String {
    match seconds {
        Some(seconds) => format!(", and wants to be asked again in {seconds} s"),
        None => String::new(),
    }
}

/// `error` and `error_description` of an OAuth error (RFC 6749 §5.2).
pub(super) fn described(code: &str, description: Option<&str>) -> String {
    match description {
        Some(text) if !text.is_empty() => shown(&format!("{code}: {text}")),
        _ => shown(code),
    }
}
