//! Why a document cannot be read.

/// Why a document cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenApiError {
    /// The document is larger than the limit.
    #[error("the document has more than {0} bytes")]
    TooLarge(usize),
    /// The text is not valid JSON or YAML.
    #[error("line {line}, column {column}: {why}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The error of the parser.
        why: String,
    },
    /// The document has no `openapi` or `swagger` member, or no `paths`.
    #[error("this is no OpenAPI document: it has no `{0}`")]
    NotOpenApi(&'static str),
    /// The version is not supported.
    #[error("OpenAPI {0} is not supported")]
    Version(String),
    /// A reference leads out of the document.
    #[error("the reference `{0}` leads to another document, which is not followed")]
    RemoteReference(String),
    /// There are more operations than the limit.
    #[error("the document has {found} operations, more than {limit}")]
    TooManyOperations {
        /// The operations that the filters select.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// Expanding the references takes more work than the limit.
    #[error("the schemas of the document are too large: its references repeat them too often")]
    TooMuchWork,
    /// No operation is left.
    #[error("the filters select none of the {0} operations")]
    NothingSelected(usize),
    /// The document has no operation.
    #[error("the document has no operation")]
    NoOperations,
    /// The document names no server, and the caller neither.
    #[error("the document does not say where its server is")]
    NoServer,
    /// The URL of the server cannot be used.
    #[error("`{0}` is not the URL of an HTTP server")]
    Server(String),
    /// Credentials were given for a scheme that the document does not have.
    #[error("the document has no security scheme `{name}`")]
    UnknownScheme {
        /// The name that was given.
        name: String,
        /// The schemes of the document.
        known: Vec<String>,
    },
    /// A value cannot be sent as the credentials of a scheme.
    #[error("the credentials for `{0}` have characters that a header cannot have")]
    Credentials(String),
}

impl OpenApiError {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::TooLarge(_) => "split the document, or remove examples from it".to_owned(),
            Self::Syntax { .. } => "the document must be JSON or YAML".to_owned(),
            Self::NotOpenApi(_) => {
                "give the OpenAPI document itself, not the page that shows it".to_owned()
            }
            Self::Version(_) => "OpenAPI 3.0, 3.1 and Swagger 2.0 are read".to_owned(),
            Self::RemoteReference(_) => {
                "make one document of all parts, for example with `npx @redocly/cli bundle`"
                    .to_owned()
            }
            Self::TooManyOperations { .. } | Self::TooMuchWork => {
                "select operations with --include, for example --include '/repos/*'".to_owned()
            }
            Self::NothingSelected(_) | Self::NoOperations => {
                "--include and --exclude match the name, tag, path or `METHOD /path` of an operation"
                    .to_owned()
            }
            Self::NoServer | Self::Server(_) => {
                "name the server with --base-url, for example --base-url https://api.example.com/v1"
                    .to_owned()
            }
            Self::UnknownScheme { known, .. } if known.is_empty() => {
                "it has none; send a header with -H 'NAME: VALUE' or a token with --bearer-env"
                    .to_owned()
            }
            Self::UnknownScheme { known, .. } => format!("it has {}", known.join(", ")),
            Self::Credentials(_) => "give them as one line of text".to_owned(),
        }
    }
}
