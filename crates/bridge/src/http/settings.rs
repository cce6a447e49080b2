//! What a user says about an HTTP listener and its clients.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::Timestamp;
use linkspan_auth_io::HttpTransport;
use linkspan_auth_io::resource::{ResourceOptions, Verifier};
use linkspan_ports::{FrontOptions, Token};

use super::{GuardMaker, ServeOptions};

/// What a user says about a listener.
#[derive(Debug, Clone)]
pub struct ServeSettings {
    /// The address; `None` is a Unix socket.
    pub host: Option<IpAddr>,
    /// Where MCP is served.
    pub path: String,
    /// Whether HTTP+SSE is served as well.
    pub sse: bool,
    /// Host names that requests may have besides the usual ones.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call.
    pub origins: Vec<String>,
    /// The token that clients have to send.
    pub token: Option<Token>,
    /// The access tokens and keys that are accepted besides.
    pub resource: Option<ResourceOptions>,
    /// Whether other machines may connect without any of these.
    pub without_token: bool,
    /// How long a request, or a part of it, may take.
    pub header_timeout: Duration,
}

/// An address that other machines reach, without credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("other machines can connect to {0}, and no token is set")]
pub struct Unprotected(IpAddr);

impl Unprotected {
    /// What to do about it.
    pub fn hint(self) -> &'static str {
        "give clients a secret with --token-env VAR or keys with --keys FILE, accept tokens with --auth-issuer URL, or use --insecure-no-token"
    }
}

impl ServeSettings {
    /// The options of the listener and of its guard; the rest is the default. `variable` reads the environment, for the
    /// proxy to an issuer.
    pub fn options(
        self,
        variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Result<ServeOptions, Unprotected> {
        let defaults = FrontOptions::default();
        let far = self.host.filter(|host| !host.is_loopback());
        let is_guarded = self.token.is_some() || self.resource.is_some();
        if let Some(host) = far.filter(|_| !is_guarded && !self.without_token) {
            return Err(Unprotected(host));
        }
        // The names of the machine are not known here, and a page that rebinds its name has no token. A browser cannot
        // connect to a Unix socket at all; a proxy in front of one may send any name.
        let any_host = self.host.is_none() || far.is_some() && is_guarded;
        let any_host = (any_host && self.hosts.is_empty()).then(|| "*".to_owned());
        let public_url = self.resource.iter().find_map(|one| one.public_url.as_ref());
        let mut hosts = defaults.hosts.clone();
        hosts.extend(self.hosts);
        hosts.extend(public_url.map(|url| url.host()));
        hosts.extend(any_host);
        let front = FrontOptions {
            path: self.path,
            sse: self.sse,
            hosts,
            origins: self.origins,
            token: self.token,
            header_timeout: self.header_timeout,
            body_timeout: self.header_timeout,
            ..defaults
        };
        Ok(ServeOptions {
            forward_identity: self.resource.as_ref().and_then(|one| one.signer.clone()),
            guard: self.resource.map(|one| verifying(one, variable)),
            ..front.into()
        })
    }
}

fn verifying(
    options: ResourceOptions,
    variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
) -> GuardMaker {
    GuardMaker::new(move |url| {
        let transport = |url: &str| HttpTransport::at(url, &variable);
        let clock = Arc::new(Timestamp::now);
        let verifier = Verifier::new(&options, url, &transport, clock);
        Arc::new(verifier.expect("the settings and the address were checked"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(host: Option<&str>) -> ServeSettings {
        ServeSettings {
            host: host.map(|host| host.parse().unwrap()),
            path: "/mcp".to_owned(),
            sse: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            token: None,
            resource: None,
            without_token: false,
            header_timeout: Duration::from_secs(30),
        }
    }

    fn has_any_host(settings: ServeSettings) -> bool {
        let options = settings.options(|_| None).unwrap();
        options.front.hosts.iter().any(|host| host == "*")
    }

    #[test]
    fn other_machines_connect_only_with_a_token_or_on_request() {
        let far = settings(Some("0.0.0.0"));
        let refused = far.clone().options(|_| None).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "other machines can connect to 0.0.0.0, and no token is set"
        );
        let token = Token::parse("secret");
        assert!(has_any_host(ServeSettings {
            token,
            ..far.clone()
        }));
        let without_token = true;
        assert!(!has_any_host(ServeSettings {
            without_token,
            ..far
        }));
    }

    #[test]
    fn a_socket_takes_every_host_name_unless_some_are_given() {
        assert!(!has_any_host(settings(Some("127.0.0.1"))));
        assert!(has_any_host(settings(None)));
        let hosts = vec!["x.example".to_owned()];
        assert!(!has_any_host(ServeSettings {
            hosts,
            ..settings(None)
        }));
    }
}
