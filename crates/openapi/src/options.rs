//! How a document is read.

use std::fmt;

use url::Url;

/// How a document is read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The URL that the document was read from; its relative server URLs start there.
    pub document_url: Option<Url>,
    /// The URL of the server, in place of those in the document.
    pub base_url: Option<Url>,
    /// Patterns of operations to serve; all if it is empty. They match the name, a tag, the path, or `METHOD /path`.
    pub include: Vec<String>,
    /// Patterns of operations to leave out.
    pub exclude: Vec<String>,
    /// Whether tools have an `outputSchema`, and their results `structuredContent`.
    pub output_schemas: bool,
    /// Credentials for security schemes.
    pub credentials: Credentials,
    /// Names of headers that the caller sets on every request, in lower case. No argument sets them.
    pub own_headers: Vec<String>,
}

/// Credentials by the name of their security scheme.
#[derive(Clone, Default)]
pub struct Credentials(pub(crate) Vec<(String, String)>);

impl Credentials {
    /// Adds the credentials for a scheme: a key, a token, or `USER:PASSWORD` for basic authentication.
    pub fn add(&mut self, scheme: &str, value: &str) {
        self.0.push((scheme.to_owned(), value.to_owned()));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Credentials {
    /// Names the schemes only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(scheme, _)| scheme))
            .finish()
    }
}
