//! The hosts that may be contacted.

use std::net::{IpAddr, SocketAddr};

use tokio::net::lookup_host;
use url::{Host, Url};

use super::FetchError;
use super::address::special;

/// Limit of addresses per name; a name with more is hostile.
const MOST: usize = 32;
/// The default port of https.
const USUAL: u16 = 443;

/// A host that the user allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    /// The host as in a URL.
    host: Host,
    /// Whether subdomains are allowed instead.
    below: bool,
    /// With a port, only this host and port are allowed, at any address.
    port: Option<u16>,
}

/// A host that is not valid in `--https-host`.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a host: it is NAME, *.NAME or NAME:PORT")]
pub struct HostError(String);

/// The allowed hosts; an empty list allows every public host.
#[derive(Debug, Default)]
pub(super) struct Hosts(Vec<Named>);

/// Which addresses of a host may be contacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// Public addresses only.
    Public,
    /// Any address: this host and port are on the list.
    Anywhere,
}

impl Hosts {
    pub(super) fn new(names: &[String]) -> Result<Self, HostError> {
        let named = names.iter().map(|name| {
            Named::parse(name)
                .filter(|named| !named.below || named.port.is_none())
                .ok_or_else(|| HostError(name.clone()))
        });
        Ok(Self(named.collect::<Result<_, _>>()?))
    }

    /// The checked addresses of a URL's host. The connection uses them without resolving the name again.
    pub(super) async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let port = url.port_or_known_default().unwrap_or(USUAL);
        let host = url.host().ok_or(FetchError::Url)?.to_owned();
        let host = without_dot(host);
        let trust = self.trust(&host, port)?;
        let found: Vec<IpAddr> = match &host {
            Host::Ipv4(ip) => vec![(*ip).into()],
            Host::Ipv6(ip) => vec![(*ip).into()],
            Host::Domain(name) => resolve(name).await?,
        };
        let mut addresses = Vec::new();
        for ip in found.into_iter().take(MOST) {
            if let Some(what) = special(ip).filter(|_| trust == Trust::Public) {
                let host = host.to_string();
                return Err(FetchError::Special { host, what, port });
            }
            addresses.push(SocketAddr::new(ip, port));
        }
        Ok(addresses)
    }

    fn trust(&self, host: &Host, port: u16) -> Result<Trust, FetchError> {
        let known = |port| self.0.iter().any(|named| named.is(host, port));
        if known(Some(port)) {
            return Ok(Trust::Anywhere);
        }
        if !self.0.is_empty() && !known(None) {
            return Err(FetchError::NotNamed(host.to_string()));
        }
        match port {
            USUAL => Ok(Trust::Public),
            _ => Err(FetchError::Port {
                host: host.to_string(),
                port,
            }),
        }
    }
}

impl Named {
    fn parse(text: &str) -> Option<Self> {
        let (below, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        // Characters that a URL parser would interpret.
        if rest.is_empty() || rest.contains(['/', '?', '#', '@', '\\', ' ', '*']) {
            return None;
        }
        let bare = rest.ends_with(']') || !rest.contains(':');
        let port = if bare {
            None
        } else {
            Some(rest.rsplit_once(':')?.1.parse().ok()?)
        };
        let url = Url::parse(&format!("https://{rest}/")).ok()?;
        Some(Self {
            host: without_dot(url.host()?.to_owned()),
            below,
            port,
        })
    }

    fn is(&self, host: &Host, port: Option<u16>) -> bool {
        if self.port != port {
            return false;
        }
        match (&self.host, host) {
            (Host::Domain(end), Host::Domain(name)) if self.below => name
                .strip_suffix(end.as_str())
                .is_some_and(|start| start.ends_with('.')),
            (named, host) => !self.below && named == host,
        }
    }
}

/// Removes the dot of a fully qualified name: `host.` and `host` are the same.
fn without_dot(host: Host) -> Host {
    match host {
        Host::Domain(name) => Host::Domain(name.trim_end_matches('.').to_owned()),
        other => other,
    }
}

async fn resolve(name: &str) -> Result<Vec<IpAddr>, FetchError> {
    let unknown = |why: String| FetchError::Unknown {
        host: name.to_owned(),
        why,
    };
    let found = lookup_host((name, USUAL)).await;
    let found = found.map_err(|e| unknown(e.to_string()))?;
    let mut all: Vec<IpAddr> = found.map(|address| address.ip()).collect();
    all.dedup();
    if all.is_empty() {
        Err(unknown("it has no address".to_owned()))
    } else {
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trust(named: &[&str], url: &str) -> Result<Trust, String> {
        let named: Vec<String> = named.iter().map(|n| (*n).to_owned()).collect();
        let url = Url::parse(url).unwrap();
        let port = url.port_or_known_default().unwrap();
        let host = without_dot(url.host().unwrap().to_owned());
        let trust = Hosts::new(&named).unwrap().trust(&host, port);
        trust.map_err(|e| e.to_string())
    }

    #[test]
    fn a_host_list_excludes_all_other_hosts() {
        let named = ["Example.org", "*.example.com", "db.lan:8443", "[::1]:9000"];
        for (url, found) in [
            ("https://example.org/", Some(Trust::Public)),
            ("https://EXAMPLE.org.:443/", Some(Trust::Public)),
            ("https://a.b.example.com/", Some(Trust::Public)),
            ("https://db.lan:8443/", Some(Trust::Anywhere)),
            ("https://[::1]:9000/", Some(Trust::Anywhere)),
            ("https://example.com/", None),
            ("https://badexample.com/", None),
            ("https://www.example.org/", None),
            ("https://example.org:8443/", None),
            ("https://db.lan/", None),
            ("https://[::1]/", None),
        ] {
            assert_eq!(trust(&named, url).ok(), found, "{url}");
        }
        assert_eq!(trust(&[], "https://any.example/"), Ok(Trust::Public));
        assert!(trust(&[], "https://any.example:22/").is_err());
    }

    #[test]
    fn an_invalid_host_is_refused() {
        for name in [
            "",
            "*",
            "*.",
            "*.x.org:443",
            "https://x.org",
            "x.org/path",
            "me@x.org",
            "x.org:port",
            "x.org:",
            "a*.org",
            "::1",
        ] {
            assert!(Hosts::new(&[name.to_owned()]).is_err(), "{name}");
        }
    }

    #[tokio::test]
    async fn every_spelling_of_a_local_address_is_recognised() {
        let hosts = Hosts::default();
        for url in [
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0177.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:7f00:1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://0/",
            "https://localhost/",
            "https://127.0.0.1./",
            "https://①②⑦.0.0.1/",
        ] {
            let found = hosts.addresses(&Url::parse(url).unwrap()).await;
            assert!(
                matches!(found, Err(FetchError::Special { .. })),
                "{url}: {found:?}"
            );
        }
    }
}
