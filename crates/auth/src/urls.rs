//! URLs that client and resource treat alike: what is safe to ask, and where an issuer describes itself.

use url::{Host, Url};

/// Whether a URL is https, or http on this machine.
pub(crate) fn is_safe(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.has_host(),
        "http" => is_loopback(url),
        _ => false,
    }
}

/// A URL without the parts that may be secret: user, query and fragment. It is also the canonical form of a resource
/// that publishes none (RFC 8707 §2).
pub fn without_secrets(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // These fail for URLs without a host only, which have no user either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

/// Whether the host of a URL can only be this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// Whether a URL that is kept and repeated as a text can be: short, and without characters that a parser of URLs drops
/// or a terminal obeys.
pub(crate) fn is_repeatable(text: &str) -> bool {
    const LONGEST: usize = 2048;
    text.len() <= LONGEST && !text.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// Where the metadata of an issuer may be (RFC 8414, OpenID Connect Discovery), in the order in which the places are
/// asked. An issuer with a path has its own places, and none at the root.
pub(crate) fn issuer_metadata(issuer: &Url) -> Vec<Url> {
    let at = |path: String| {
        let mut url = issuer.clone();
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        url
    };
    let path = issuer.path().trim_end_matches('/');
    let mut places = vec![
        at(format!("/.well-known/oauth-authorization-server{path}")),
        at(format!("/.well-known/openid-configuration{path}")),
    ];
    if !path.is_empty() {
        places.push(at(format!("{path}/.well-known/openid-configuration")));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places_of(issuer: &str) -> Vec<String> {
        let places = issuer_metadata(&Url::parse(issuer).unwrap());
        places.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_url_is_shown_without_its_secrets() {
        let url = Url::parse("https://me:pw@h:8/mcp?api_key=k#f").unwrap();
        assert_eq!(without_secrets(&url).as_str(), "https://h:8/mcp");
    }

    #[test]
    fn an_issuer_with_a_path_is_never_asked_at_the_root() {
        assert_eq!(
            places_of("https://as/t/v2.0/"),
            [
                "https://as/.well-known/oauth-authorization-server/t/v2.0",
                "https://as/.well-known/openid-configuration/t/v2.0",
                "https://as/t/v2.0/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            places_of("https://as/"),
            [
                "https://as/.well-known/oauth-authorization-server",
                "https://as/.well-known/openid-configuration",
            ]
        );
    }
}
