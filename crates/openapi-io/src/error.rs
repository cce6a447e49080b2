//! Why a document cannot be served.

use linkspan_openapi::OpenApiError;
use linkspan_ports::{HttpRequestError, OptionsError};

/// Why a document cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The document cannot be read.
    #[error("{name}: {error}")]
    Document {
        /// The file or the URL.
        name: String,
        /// The error.
        error: OpenApiError,
    },
    /// The URL of the document or of the server cannot be used.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The document cannot be fetched.
    #[error("cannot fetch {url}: {error}")]
    Fetch {
        /// The URL without its query.
        url: String,
        /// The error.
        error: HttpRequestError,
    },
    /// The document's server refuses the request for it.
    #[error("cannot fetch {url}: the server answers with status {status}")]
    Status {
        /// The URL without its query.
        url: String,
        /// The status.
        status: u16,
    },
    /// The document has moved to another origin.
    #[error("cannot fetch {url}: it is a redirect to {target}")]
    Redirect {
        /// The URL without its query.
        url: String,
        /// Where the redirect leads.
        target: String,
    },
    /// There is no such file.
    #[error("--openapi {0}: there is no such file")]
    NoFile(String),
    /// A file cannot be read, or the document is not UTF-8.
    #[error("cannot read {name}: {why}")]
    Read {
        /// The file or the URL.
        name: String,
        /// The error.
        why: String,
    },
    /// The value of `--credential-env` has not its form.
    #[error("`{0}` is not the name of a security scheme, `=` and the name of a variable")]
    Credential(String),
    /// A fetched document names a server on another origin, and there are credentials.
    #[error("{document} names the server {server}, which is on another origin")]
    OtherOrigin {
        /// The URL of the document.
        document: String,
        /// The URL of the server.
        server: String,
    },
    /// The server is on a Unix socket.
    #[error("the server of an OpenAPI document cannot be on a Unix socket")]
    UnixSocket,
}

impl OpenError {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::Document { error, .. } => error.hint(),
            Self::Options(OptionsError::Url(_) | OptionsError::Scheme(_)) => {
                "the server is an http:// or https:// URL, for example --base-url https://api.example.com/v1"
                    .to_owned()
            }
            Self::Options(OptionsError::PlainHttp(_)) => {
                "use https://, for the server with --base-url, or --insecure-http if the network is yours alone"
                    .to_owned()
            }
            Self::Options(error) => error.hint(),
            Self::Fetch { .. } => "check the URL, or download the document and give the file".to_owned(),
            Self::Status { status: 401 | 403, .. } => {
                "credentials are sent for the document only to the origin of --base-url; or download it and give the file"
                    .to_owned()
            }
            Self::Status { .. } => "give the URL of the document itself, often /openapi.json".to_owned(),
            Self::Redirect { target, .. } => format!("if you trust it, use --openapi {target}"),
            Self::NoFile(_) => "give a file, or a URL that begins with https://".to_owned(),
            Self::Read { .. } => "is it a readable file with text in UTF-8?".to_owned(),
            Self::Credential(_) => "for example --credential-env api_key=API_KEY".to_owned(),
            Self::OtherOrigin { server, .. } => {
                format!("to send your credentials there, add --base-url {server}")
            }
            Self::UnixSocket => "use http://127.0.0.1:PORT".to_owned(),
        }
    }
}
