//! The URL under which clients know the endpoint.

use url::Url;

use super::metadata::WELL_KNOWN;
use crate::urls::is_safe;

/// The URL of the endpoint as clients know it. It is the resource that tokens are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    text: String,
    url: Url,
}

/// Why a text cannot be the URL of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicUrlError {
    /// Not a URL.
    #[error("it is not a URL")]
    NotUrl,
    /// Tokens would cross the network without protection.
    #[error("it is neither https nor on this machine")]
    Plain,
    /// A resource identifier has none of these (RFC 8707 §2).
    #[error("it has a query, a fragment or a password")]
    Extra,
}

impl PublicUrl {
    /// Checks a URL that clients use from anywhere.
    pub fn parse(text: &str) -> Result<Self, PublicUrlError> {
        let parsed = Self::local(text)?;
        if is_safe(&parsed.url) {
            Ok(parsed)
        } else {
            Err(PublicUrlError::Plain)
        }
    }

    /// The same for the address that is listened on, where http is all there is.
    pub fn local(text: &str) -> Result<Self, PublicUrlError> {
        let url = Url::parse(text).map_err(|_| PublicUrlError::NotUrl)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(PublicUrlError::NotUrl);
        }
        let has_extra = url.query().is_some()
            || url.fragment().is_some()
            || !url.username().is_empty()
            || url.password().is_some();
        if has_extra {
            return Err(PublicUrlError::Extra);
        }
        let text = text.to_owned();
        Ok(Self { text, url })
    }

    /// As it was written: the resource.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Host and port, as a `Host` header names them.
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// The path of the metadata document (RFC 9728 §3.1).
    pub fn metadata_path(&self) -> String {
        format!("{WELL_KNOWN}{}", self.url.path().trim_end_matches('/'))
    }

    /// The URL of another path at the same origin.
    pub fn sibling(&self, path: &str) -> String {
        let mut url = self.url.clone();
        url.set_path(path);
        url.into()
    }

    /// The URL of a request that came in with this path, if the endpoint is served at `endpoint`.
    pub fn of_request(&self, path: &str, endpoint: &str) -> Url {
        let same = path.trim_end_matches('/') == endpoint.trim_end_matches('/');
        let mut url = self.url.clone();
        if !same {
            url.set_path(path);
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_is_below_the_origin() {
        let at = |text| PublicUrl::parse(text).unwrap().metadata_path();
        assert_eq!(
            at("https://h/mcp"),
            "/.well-known/oauth-protected-resource/mcp"
        );
        assert_eq!(
            at("https://h/a/b/"),
            "/.well-known/oauth-protected-resource/a/b"
        );
        assert_eq!(at("https://h"), "/.well-known/oauth-protected-resource");
    }

    #[test]
    fn the_spelling_is_kept() {
        let url = PublicUrl::parse("https://H.example:443").unwrap();
        assert_eq!(url.as_str(), "https://H.example:443");
        assert_eq!(url.host(), "h.example");
        assert_eq!(url.sibling("/x"), "https://h.example/x");
        assert_eq!(
            PublicUrl::local("http://[::1]:8808/mcp").unwrap().host(),
            "[::1]:8808"
        );
    }

    #[test]
    fn plain_http_is_for_this_machine() {
        assert_eq!(PublicUrl::parse("http://h/mcp"), Err(PublicUrlError::Plain));
        assert!(PublicUrl::parse("http://localhost:1/mcp").is_ok());
        assert!(PublicUrl::local("http://192.168.1.5:1/mcp").is_ok());
        assert_eq!(PublicUrl::parse("https://h/?a"), Err(PublicUrlError::Extra));
        assert_eq!(PublicUrl::parse("h/mcp"), Err(PublicUrlError::NotUrl));
    }
}
