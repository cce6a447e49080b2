//! Opens a document: from a file or a URL, with the server that it names.

use std::path::PathBuf;
use std::time::Duration;

use linkspan_fetch::special;
use linkspan_openapi::{Api, ReadOptions};
use linkspan_ports::{HttpOptions, is_unix_target, token_in};
use url::Url;

use crate::error::OpenError;
use crate::exchange::Exchange;
use crate::fetch;
use crate::notices;
use crate::server::OpenApiServer;

/// The limit of a call by default.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The most bytes of a response by default.
const MAX_RESPONSE: usize = 8 << 20;

/// The value of an environment variable.
type Variable = Box<dyn Fn(&str) -> Option<String>>;

/// How a document is opened.
pub struct OpenOptions {
    /// A file or a URL.
    pub document: String,
    /// The URL of the server, in place of the document's.
    pub base_url: Option<String>,
    /// How it is read; URLs and credentials are set here.
    pub read: ReadOptions,
    /// Headers of every request, as `NAME: VALUE` with `${VAR}` for variables.
    pub headers: Vec<String>,
    /// The variable with a bearer token.
    pub bearer_env: Option<String>,
    /// Variables with the credentials for security schemes, as `SCHEME=VAR`.
    pub credential_env: Vec<String>,
    /// The environment.
    pub variable: Variable,
    /// A file with certificates to trust besides the system's.
    pub ca: Option<PathBuf>,
    /// Whether plain http to other machines is allowed.
    pub insecure_http: bool,
    /// The limit of one call; zero for none.
    pub timeout: Duration,
    /// The most bytes of one response.
    pub max_response: usize,
}

impl OpenOptions {
    /// The defaults for a document.
    pub fn new(document: &str, variable: impl Fn(&str) -> Option<String> + 'static) -> Self {
        Self {
            document: document.to_owned(),
            base_url: None,
            read: ReadOptions::default(),
            headers: Vec::new(),
            bearer_env: None,
            credential_env: Vec::new(),
            variable: Box::new(variable),
            ca: None,
            insecure_http: false,
            timeout: TIMEOUT,
            max_response: MAX_RESPONSE,
        }
    }

    fn has_credentials(&self) -> bool {
        !(self.headers.is_empty() && self.bearer_env.is_none() && self.credential_env.is_empty())
    }

    /// The credentials for security schemes, and the names of our own headers.
    fn complete(&mut self) -> Result<(), OpenError> {
        for pair in &self.credential_env {
            let (scheme, variable) = pair
                .split_once('=')
                .ok_or_else(|| OpenError::Credential(pair.clone()))?;
            let value = (self.variable)(variable);
            let token = token_in("--credential-env", variable, value.as_deref())?;
            self.read.credentials.add(scheme, &token);
        }
        let names = self.headers.iter().filter_map(|line| line.split_once(':'));
        let names = names.map(|(name, _)| name.trim().to_ascii_lowercase());
        self.read.own_headers.extend(names);
        Ok(())
    }

    /// The connection to a URL.
    fn connection(&self, url: &str, with_credentials: bool) -> Result<HttpOptions, OpenError> {
        if is_unix_target(url) {
            return Err(OpenError::UnixSocket);
        }
        let mut options = HttpOptions::new(url, self.insecure_http)?;
        options.proxy_from(&self.variable);
        if let Some(path) = &self.ca {
            let pem = std::fs::read(path).map_err(|error| OpenError::Read {
                name: path.display().to_string(),
                why: error.to_string(),
            })?;
            options.ca = Some(pem);
        }
        if !with_credentials {
            return Ok(options);
        }
        options.credentials(&self.headers, self.bearer_env.as_deref(), &self.variable)?;
        Ok(options)
    }

    /// The name and the text of the document. Its own origin gets credentials only if the user has named that as the
    /// server.
    async fn text(&mut self, base: Option<&HttpOptions>) -> Result<(String, String), OpenError> {
        if !self.document.contains("://") {
            return Ok((self.document.clone(), fetch::file(&self.document)?));
        }
        let mut options = self.connection(&self.document, false)?;
        if base.is_some_and(|base| base.url().origin() == options.url().origin()) {
            options = self.connection(&self.document, true)?;
        }
        self.read.document_url = Some(options.url().clone());
        Ok((options.peer(), fetch::document(&options).await?))
    }
}

impl OpenApiServer {
    /// Reads the document. Credentials are for the server that the user has named: by `base_url`, by a file, or by the
    /// URL of a document on the same origin. A server that a fetched document names elsewhere has to have a public
    /// address.
    pub async fn open(mut options: OpenOptions) -> Result<Self, OpenError> {
        options.complete()?;
        let base = options.base_url.as_deref();
        let base = base.map(|url| options.connection(url, true)).transpose()?;
        options.read.base_url = base.as_ref().map(|base| base.url().clone());
        let (name, text) = options.text(base.as_ref()).await?;
        let api = Api::read(&text, &options.read).map_err(|error| OpenError::Document {
            name: name.clone(),
            error,
        })?;
        drop(text);
        let server = api.base_url();
        let is_same = |url: &Url| url.origin() == server.origin();
        let is_named = base.is_some() || options.read.document_url.as_ref().is_none_or(is_same);
        if !is_named && options.has_credentials() {
            let server = server.to_string();
            return Err(OpenError::OtherOrigin {
                document: name,
                server,
            });
        }
        let base = match base {
            Some(base) => base,
            None => options.connection(server.as_str(), true)?,
        };
        notices::log(&api, options.has_credentials());
        let rule = (!is_named).then_some(special as _);
        let time = match options.timeout {
            Duration::ZERO => Duration::MAX,
            time => time,
        };
        let exchange = Exchange::new(&base, rule, options.max_response, time);
        Ok(Self::new(api, exchange))
    }
}
