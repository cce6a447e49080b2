//! Checks that the headers of a POST match its body.
//!
//! Proxies may act on the headers alone, so a request whose headers contradict its body is refused.

use std::borrow::Cow;

use linkspan_wire::{Json, JsonKind, Kind, Message, RpcError, quote};

use crate::header::{METHOD, NAME, PROTOCOL_VERSION, decode_value};
use crate::meta::{CLIENT_CAPABILITIES, VERSION, claimed_version};
use crate::method::{Method, names};
use crate::param_header::ParamHeaders;
use crate::revision::{Era, Revision};

/// -32020: a header contradicts the body, or is missing.
pub const HEADER_MISMATCH: i64 = -32020;
/// -32021: the client lacks a capability that the call needs.
pub const MISSING_CAPABILITY: i64 = -32021;
/// -32022: the protocol version is not supported.
pub const UNSUPPORTED_VERSION: i64 = -32022;

/// The value of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given<'a> {
    /// The header is missing.
    Nothing,
    /// This.
    Text(&'a str),
    /// Several values, or one that is not text.
    Unclear,
}

/// The era of a POSTed message. The body decides; the version header must not contradict it.
pub fn era_of_post(message: &Message, version: Given<'_>) -> Result<Era, RpcError> {
    let named = match version {
        Given::Text(text) => Revision::parse(text).map(Revision::era),
        _ => None,
    };
    if message.is_answer() {
        return Ok(Era::Legacy);
    }
    if claimed_version(message).is_some() {
        // `initialize` is modern only if the rest of the envelope is there.
        let opens = message.method() == names::INITIALIZE && Stamp::of(message).is_err();
        if !opens {
            return Ok(Era::Modern);
        }
    }
    match named {
        Some(Era::Modern) if message.kind() == Kind::Notification => Ok(Era::Modern),
        Some(Era::Modern) if message.method() == names::INITIALIZE => Err(mismatch(
            "`initialize` belongs to the revisions before the one that MCP-Protocol-Version names",
        )),
        Some(Era::Modern) => Err(incomplete()),
        _ => Ok(Era::Legacy),
    }
}

/// The envelope of a modern request.
pub(crate) struct Stamp<'a> {
    pub(crate) version: Cow<'a, str>,
    pub(crate) capabilities: Json<'a>,
    /// All of `_meta`.
    pub(crate) meta: Json<'a>,
}

impl<'a> Stamp<'a> {
    /// Reads the envelope; the error names what is missing.
    pub(crate) fn of(request: &'a Message) -> Result<Self, RpcError> {
        let meta = request.params().and_then(|params| params.get("_meta"));
        let meta = meta.ok_or_else(incomplete)?;
        let version = meta.get(VERSION).and_then(Json::as_str);
        let capabilities = meta.get(CLIENT_CAPABILITIES);
        Ok(Self {
            version: version.ok_or_else(incomplete)?,
            capabilities: capabilities
                .filter(|found| found.kind() == JsonKind::Object)
                .ok_or_else(incomplete)?,
            meta,
        })
    }

    /// Whether its revision is served here.
    pub(crate) fn supported(&self) -> Result<(), RpcError> {
        match Revision::parse(&self.version).map(Revision::era) {
            Some(Era::Modern) => Ok(()),
            _ => Err(unsupported(&self.version)),
        }
    }
}

/// Checks the envelope of a modern request, and its `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name`.
pub fn check_modern<'h>(
    request: &Message,
    header: impl Fn(&'static str) -> Given<'h>,
) -> Result<(), RpcError> {
    let stamp = Stamp::of(request)?;
    let version = header(PROTOCOL_VERSION);
    same("MCP-Protocol-Version", version, &stamp.version)?;
    stamp.supported()?;
    let method = request.method();
    same("Mcp-Method", header(METHOD), &method)?;
    let named = Method::find(&method).and_then(|row| row.name_param);
    let Some(param) = named else { return Ok(()) };
    let name = request.params().and_then(|params| params.get(param));
    match (name.and_then(Json::as_str), header(NAME)) {
        (Some(name), given) => same("Mcp-Name", given, &name),
        (None, Given::Nothing) => Ok(()),
        (None, _) => Err(mismatch(format!(
            "Mcp-Name is there, but params.{param} is not a string"
        ))),
    }
}

impl ParamHeaders {
    /// Checks the `Mcp-Param-*` headers of a `tools/call`. Headers without an annotation are not checked.
    pub fn check<'h>(
        &self,
        call: &Message,
        header: impl Fn(&str) -> Given<'h>,
    ) -> Result<(), RpcError> {
        let Some(request) = call.params() else {
            return Ok(());
        };
        let Some(tool) = request.get("name").and_then(Json::as_str) else {
            return Ok(());
        };
        let arguments = request.get("arguments");
        for param in self.of(&tool) {
            let value = arguments.and_then(|arguments| param.value(arguments));
            let given = header(&format!("mcp-param-{}", param.header));
            if !agree(value, given) {
                return Err(mismatch(format!(
                    "Mcp-Param-{} does not match the argument `{}`",
                    param.header,
                    param.path.join(".")
                )));
            }
        }
        Ok(())
    }
}

fn agree(value: Option<Json<'_>>, given: Given<'_>) -> bool {
    let value = value.filter(|value| value.kind() != JsonKind::Null);
    let (value, given) = match (value, given) {
        (None, Given::Nothing) => return true,
        (Some(value), Given::Text(given)) => (value, given),
        // A client that cannot put the value into a header omits the header.
        (Some(value), Given::Nothing) => {
            return matches!(value.kind(), JsonKind::Object | JsonKind::Array);
        }
        _ => return false,
    };
    let Some(given) = decode_value(given) else {
        return false;
    };
    match value.kind() {
        JsonKind::String => value.as_str().is_some_and(|text| text == given),
        JsonKind::Number => same_number(value.text(), &given),
        _ => value.text() == given,
    }
}

/// `42`, `42.0` and `4.2e1` are one number; of whole ones every digit counts.
fn same_number(one: &str, other: &str) -> bool {
    let whole = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    if one == other {
        return true;
    }
    if Json::parse(other).map(Json::kind) != Ok(JsonKind::Number) || (whole(one) && whole(other)) {
        return false;
    }
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => one.is_finite() && one == other,
        _ => false,
    }
}

fn same(name: &str, given: Given<'_>, expected: &str) -> Result<(), RpcError> {
    let said = match given {
        Given::Text(text) => decode_value(text),
        Given::Nothing => return Err(mismatch(format!("the {name} header is missing"))),
        Given::Unclear => None,
    };
    if said.as_deref() == Some(expected) {
        return Ok(());
    }
    Err(mismatch(format!("{name} does not match the body")))
}

fn mismatch(why: impl Into<Cow<'static, str>>) -> RpcError {
    RpcError::new(HEADER_MISMATCH, why).with_data(
        r#"{"kind":"header_mismatch","hint":"make the Mcp-* headers from the body; list the tools again if their schema has changed"}"#,
    )
}

fn incomplete() -> RpcError {
    RpcError::invalid_params("params._meta lacks the protocol version or the client capabilities")
        .with_data(format!(
            r#"{{"kind":"incomplete","hint":"every request of {} has its protocolVersion and clientCapabilities in params._meta"}}"#,
            Revision::LATEST
        ))
}

/// -32022: the revisions that are served here.
pub fn unsupported(requested: &str) -> RpcError {
    RpcError::new(
        UNSUPPORTED_VERSION,
        format!("unsupported protocol version {requested}"),
    )
    .with_data(format!(
        r#"{{"supported":["{}"],"requested":{}}}"#,
        Revision::LATEST,
        quote(requested)
    ))
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
