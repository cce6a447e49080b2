//! Why a token is not accepted.

/// Why a token is not accepted. Texts of the token are in it; they are shortened and escaped where they are shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Not a signed JWT, and opaque tokens are not accepted.
    #[error("the token is not a signed JWT")]
    NotJwt,
    /// `alg` is not on the list.
    #[error("the algorithm {} is not accepted", shown(.0))]
    Algorithm(String),
    /// The header has extensions that have to be understood (RFC 7515 §4.1.11).
    #[error("the token has critical extensions")]
    Critical,
    /// `typ` is that of another kind of token.
    #[error("a token of the type {} is not an access token", shown(.0))]
    Type(String),
    /// A token of an issuer that is not trusted here.
    #[error("the issuer is {}, and {} is accepted", shown(.got), list(.want))]
    Issuer {
        /// `iss`.
        got: String,
        /// The trusted ones.
        want: Vec<String>,
    },
    /// A token for another resource.
    #[error("the audience is {}, and {} is accepted", list(.got), list(.want))]
    Audience {
        /// `aud`.
        got: Vec<String>,
        /// Ours.
        want: Vec<String>,
    },
    /// It has expired.
    #[error("the token expired {ago} seconds ago")]
    Expired {
        /// Seconds since then.
        ago: u64,
    },
    /// It is not valid yet.
    #[error("the token is valid only in {later} seconds")]
    NotYetValid {
        /// Seconds until then.
        later: u64,
    },
    /// A claim is missing.
    #[error("the token has no `{0}`")]
    Missing(&'static str),
    /// The claim that the operator chose as the subject is missing, is not a plain text, or was not verified.
    #[error("the token has no {} that can identify its user", shown(.0))]
    Subject(String),
    /// A claim cannot be read.
    #[error("`{0}` of the token cannot be used")]
    Malformed(&'static str),
    /// An ID token, which says who signed in and grants nothing.
    #[error("this is an ID token ({0}); an access token is needed")]
    IdToken(&'static str),
    /// No known key of the issuer has the name that the token gives.
    #[error("{} has no key {}", shown(.issuer), .kid.as_deref().map_or_else(|| "that fits".to_owned(), shown))]
    UnknownKey {
        /// The issuer.
        issuer: String,
        /// `kid`.
        kid: Option<String>,
    },
    /// The key did not sign this token.
    #[error("the signature is wrong")]
    Signature,
    /// The authorization server says that it is not active.
    #[error("the token is not active: it has expired, was revoked, or is not one of this issuer")]
    NotActive,
    /// Only tokens that are bound to a key are accepted.
    #[error("the token is not bound to a key, and only bound tokens (DPoP) are accepted")]
    NotBound,
    /// A bound token was sent as one that is not.
    #[error("the token is bound to a key: send it as `Authorization: DPoP`, with a proof")]
    Bound,
    /// It is bound in a way that is not known here (RFC 7800).
    #[error("the token is bound to something other than a key of DPoP")]
    OtherBinding,
    /// Neither a key nor a token that can be checked here.
    #[error("the key is unknown")]
    UnknownApiKey,
}

/// A text of a token: short, and in quotes.
fn shown(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("`{short}`")
}

fn list(texts: &[String]) -> String {
    const MOST: usize = 4;
    let mut all: Vec<String> = texts.iter().take(MOST).map(|one| shown(one)).collect();
    match texts.len() {
        0 => return "missing".to_owned(),
        more if more > MOST => all.push("…".to_owned()),
        _ => {}
    }
    all.join(", ")
}
