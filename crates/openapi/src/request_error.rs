//! Why a call makes no request.

/// Why a call makes no request. The text is for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The tool has no such argument.
    #[error("there is no argument `{name}`{}", meant(near.as_deref()))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The argument that may be meant.
        near: Option<String>,
    },
    /// A part of the path is missing.
    #[error("the argument `{0}` is required and must not be empty: it is a part of the URL's path")]
    Missing(String),
    /// The value would lead to another path.
    #[error("the value of `{0}` cannot be a part of the URL's path")]
    Path(String),
    /// The value cannot be sent in a header.
    #[error("the value of `{0}` has characters that a header cannot have, such as line breaks")]
    Header(String),
    /// The value is not a file.
    #[error("the value of `{0}` must be text, or a data: URL with valid base64")]
    File(String),
    /// The body must be JSON text.
    #[error("the value of `{0}` must be text")]
    NotText(String),
    /// The URL of the operation cannot be used.
    #[error("the URL of this operation cannot be used")]
    Url,
}

fn meant(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}
