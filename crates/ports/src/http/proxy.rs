//! The proxy for a server, checked: one that cannot be used is an error, not ignored.

use std::collections::BTreeMap;
use std::fmt;

use http::Uri;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use super::options_error::OptionsError;

/// The variables that decide about proxies.
const VARIABLES: [&str; 9] = [
    "REQUEST_METHOD",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
];

/// The values of the proxy variables. A value may hold a password, so `Debug` shows only the names.
#[derive(Clone, Default)]
pub(super) struct ProxyVariables(BTreeMap<&'static str, String>);

impl ProxyVariables {
    pub(super) fn read(variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let set = VARIABLES.into_iter();
        Self(
            set.filter_map(|name| Some((name, variable(name)?)))
                .collect(),
        )
    }

    /// The proxy for `uri`; `None` if it is reached directly.
    pub(super) fn proxy(&self, uri: &Uri) -> Result<Option<Intercept>, OptionsError> {
        proxy(uri, &|name| self.0.get(name).cloned())
    }
}

impl fmt::Debug for ProxyVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

fn proxy(
    uri: &Uri,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Intercept>, OptionsError> {
    if variable("REQUEST_METHOD").is_some() {
        // In a CGI program, the client controls the value of `HTTP_PROXY`.
        return Ok(None);
    }
    let own = match uri.scheme_str() {
        Some("https") => ["HTTPS_PROXY", "https_proxy"],
        _ => ["HTTP_PROXY", "http_proxy"],
    };
    let names = own.into_iter().chain(["ALL_PROXY", "all_proxy"]);
    let set = |name| variable(name).filter(|value: &String| !value.trim().is_empty());
    let Some((name, value)) = names.into_iter().find_map(|name| Some((name, set(name)?))) else {
        return Ok(None);
    };
    let no = ["NO_PROXY", "no_proxy"].into_iter().find_map(variable);
    let no = no.unwrap_or_default();
    let matched = |value: &str| {
        Matcher::builder()
            .all(value)
            .no(&*no)
            .build()
            .intercept(uri)
    };
    if matched("http://proxy.invalid").is_none() {
        // `NO_PROXY` names this host.
        return Ok(None);
    }
    let refuse = |why: &str| {
        let (name, why) = (name.to_owned(), why.to_owned());
        Err(OptionsError::Proxy { name, why })
    };
    let value = value.trim();
    if let Some((scheme, _)) = value.split_once("://")
        && !matches!(&*scheme.to_ascii_lowercase(), "http" | "socks5" | "socks5h")
    {
        return refuse(&format!(
            "linkspan cannot speak to a proxy of the kind `{scheme}://`"
        ));
    }
    let Some(proxy) = matched(value) else {
        return refuse("its value is not a URL");
    };
    let authority = proxy.uri().authority();
    let host = authority.map_or("", |authority| authority.host());
    let port = authority.map_or("", |authority| &authority.as_str()[host.len()..]);
    match (host, port) {
        ("", _) => refuse("its value names no host"),
        (_, "") => Ok(Some(proxy)),
        (_, port) if port[1..].parse::<u16>().is_ok_and(|port| port > 0) => Ok(Some(proxy)),
        _ => refuse("its value has a port that does not exist"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(url: &str, environment: &[(&str, &str)]) -> Result<Option<String>, String> {
        let variable = |name: &str| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        match ProxyVariables::read(&variable).proxy(&url.parse().unwrap()) {
            Ok(proxy) => Ok(proxy.map(|proxy| proxy.uri().to_string())),
            Err(why) => Err(why.to_string()),
        }
    }

    #[test]
    fn a_password_of_a_proxy_is_not_shown() {
        let variable =
            |name: &str| (name == "ALL_PROXY").then(|| "http://me:secret@proxy".to_owned());
        let shown = format!("{:?}", ProxyVariables::read(&variable));
        assert_eq!(shown, r#"{"ALL_PROXY"}"#);
    }

    const URL: &str = "https://mcp.example.com/mcp";

    #[test]
    fn a_proxy_is_found_in_the_variable_of_the_scheme() {
        let set = [
            ("HTTPS_PROXY", "proxy.example:3128"),
            ("ALL_PROXY", "http://other"),
        ];
        assert_eq!(
            found(URL, &set),
            Ok(Some("http://proxy.example:3128/".to_owned()))
        );
        assert_eq!(
            found("http://a/", &set),
            Ok(Some("http://other/".to_owned()))
        );
        let empty = [("HTTPS_PROXY", ""), ("all_proxy", "socks5://[::1]:1080")];
        assert_eq!(
            found(URL, &empty),
            Ok(Some("socks5://[::1]:1080/".to_owned()))
        );
        assert_eq!(found(URL, &[]), Ok(None));
    }

    #[test]
    fn one_that_cannot_be_used_is_named_with_its_problem_and_without_its_value() {
        for (value, problem) in [
            ("ftp://me:secret@proxy", "`ftp://`"),
            ("https://me:secret@proxy", "`https://`"),
            ("socks4://proxy", "`socks4://`"),
            ("http://me:secret@", "is not a URL"),
            ("not a proxy secret", "is not a URL"),
            ("http://proxy:99999", "a port"),
            ("http://proxy:0", "a port"),
            ("http://", "is not a URL"),
            ("/etc/secret", "is not a URL"),
        ] {
            let why = found(URL, &[("https_proxy", value)]).unwrap_err();
            assert!(
                why.contains("https_proxy") && why.contains(problem),
                "{value}: {why}"
            );
            assert!(!why.contains("secret"), "{why}");
        }
    }

    #[test]
    fn a_host_that_needs_no_proxy_does_not_care() {
        let set = [("HTTPS_PROXY", "ftp://x"), ("NO_PROXY", "example.com")];
        assert_eq!(found(URL, &set), Ok(None));
        let cgi = [("HTTPS_PROXY", "ftp://x"), ("REQUEST_METHOD", "GET")];
        assert_eq!(found(URL, &cgi), Ok(None));
    }
}
