//! Interprets refusals of a server.

use http::StatusCode;
use linkspan_wire::Json;

/// Whether a refusal means that the server does not know the session.
///
/// The specification says 404. The official examples answer 400, and only the text gives the reason.
pub(super) fn forgets_session(status: StatusCode, body: &[u8]) -> bool {
    const WORDS: [&str; 6] = [
        "no valid",
        "not found",
        "invalid",
        "unknown",
        "expired",
        "missing",
    ];
    if status == StatusCode::NOT_FOUND {
        return true;
    }
    // Errors of the request itself are not about the session, whatever their text is.
    if status != StatusCode::BAD_REQUEST || matches!(error_code(body), Some(-32602 | -32601)) {
        return false;
    }
    let said = String::from_utf8_lossy(body).to_ascii_lowercase();
    said.contains("session") && WORDS.iter().any(|word| said.contains(word))
}

/// Whether the error code is one that only modern servers send: then the server speaks Streamable HTTP.
pub(super) fn is_modern_error(body: &[u8]) -> bool {
    matches!(error_code(body), Some(-32099..=-32020 | -32602 | -32601))
}

pub(super) fn error_code(body: &[u8]) -> Option<i64> {
    let json = Json::parse(std::str::from_utf8(body).ok()?).ok()?;
    json.path(&["error", "code"])?.as_i64()
}
