//! Opens a document: from text or from its URL, with the server that it names.

use std::time::Duration;

use linkspan_fetch::special;
use linkspan_openapi::{Api, ReadOptions};
use linkspan_ports::{HttpOptions, OptionsError, is_unix_target};
use url::Url;

use crate::error::OpenError;
use crate::exchange::Exchange;
use crate::fetch;
use crate::server::OpenApiServer;

/// Where a document is.
pub enum Source {
    /// In a file of the user.
    File {
        /// The name of the file.
        name: String,
        /// Its content.
        text: String,
    },
    /// At a URL.
    Url(String),
}

/// How a document is opened.
pub struct OpenOptions<'a> {
    /// Where the document is.
    pub source: Source,
    /// The URL of the server, in place of the document's.
    pub base_url: Option<String>,
    /// How it is read; the URLs in it are set here.
    pub read: ReadOptions,
    /// The options for a URL, with the user's credentials if they are for it.
    pub http: &'a dyn Fn(&str, bool) -> Result<HttpOptions, OptionsError>,
    /// Whether there are credentials.
    pub has_credentials: bool,
    /// The limit of one call.
    pub timeout: Duration,
    /// The most bytes of one response.
    pub max_response: usize,
}

impl OpenApiServer {
    /// Reads the document. Credentials are for the server that the user has named: by `base_url`, by a file, or by the
    /// URL of a document on the same origin. A server that a fetched document names elsewhere has to have a public
    /// address.
    pub async fn open(options: OpenOptions<'_>) -> Result<Self, OpenError> {
        let OpenOptions {
            source,
            base_url,
            mut read,
            http,
            has_credentials,
            ..
        } = options;
        let base = base_url
            .as_deref()
            .map(|url| at(http, url, true))
            .transpose()?;
        read.base_url = base.as_ref().map(|base| base.url().clone());
        let (name, text) = match source {
            Source::File { name, text } => (name, text),
            Source::Url(url) => {
                let is_same = |url: &Url| {
                    base.as_ref()
                        .is_some_and(|base| base.url().origin() == url.origin())
                };
                let plain = at(http, &url, false)?;
                let document = match is_same(plain.url()) {
                    true => at(http, &url, true)?,
                    false => plain,
                };
                read.document_url = Some(document.url().clone());
                (document.peer(), fetch::document(&document).await?)
            }
        };
        let api = Api::read(&text, &read);
        let api = api.map_err(|error| OpenError::Document {
            name: name.clone(),
            error,
        })?;
        drop(text);
        let document_url = read.document_url.as_ref();
        let is_named = base.is_some()
            || document_url.is_none_or(|url| url.origin() == api.base_url().origin());
        if !is_named && has_credentials {
            let server = api.base_url().to_string();
            return Err(OpenError::OtherOrigin {
                document: name,
                server,
            });
        }
        let base = match base {
            Some(base) => base,
            None => at(http, api.base_url().as_str(), true)?,
        };
        let rule = (!is_named).then_some(special as _);
        let exchange = Exchange::new(&base, rule, options.max_response, options.timeout);
        Ok(Self::new(api, exchange))
    }
}

fn at(
    http: &dyn Fn(&str, bool) -> Result<HttpOptions, OptionsError>,
    url: &str,
    with_credentials: bool,
) -> Result<HttpOptions, OpenError> {
    if is_unix_target(url) {
        return Err(OpenError::UnixSocket);
    }
    Ok(http(url, with_credentials)?)
}
