//! The envelope of a modern request in `params._meta`.

use linkspan_wire::{Json, Message, RpcError, quote};

use super::caps::{self, Caps};
use crate::check::Stamp;
use crate::level::Level;
use crate::meta::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, OUR_INFO, VERSION};
use crate::method::names;
use crate::revision::Revision;
use linkspan_wire::Object;

/// Between the upstream pool and a machine only: the principal, and whether its client is legacy.
const PRINCIPAL: &str = "linkspan/principal";
const LEGACY_CLIENT: &str = "linkspan/legacy-client";

/// Capabilities are kept, and compared, for every warm server.
const MAX_CAPABILITIES: usize = 64 * 1024;

/// The envelope of a modern request.
#[derive(Debug, Clone)]
pub struct Claims {
    /// The requests that the client accepts.
    pub caps: Caps,
    pub(crate) capabilities: String,
    pub(crate) info: Option<String>,
    pub(crate) level: Option<Level>,
    /// As spelled.
    pub(crate) token: Option<String>,
    /// The principal of the client, where the upstream pool has added it; see [`signed`].
    pub(crate) principal: Option<String>,
    /// A legacy client asks through another machine: it expects what it would get from the server itself.
    pub(crate) is_legacy: bool,
}

impl Claims {
    /// Reads the envelope; the error is the one that the specification requires.
    pub fn read(request: &Message) -> Result<Self, RpcError> {
        let stamp = Stamp::of(request)?;
        stamp.supported()?;
        let member = |key| stamp.meta.get(key);
        if stamp.capabilities.text().len() > MAX_CAPABILITIES {
            let error = format!("{CLIENT_CAPABILITIES} of more than {MAX_CAPABILITIES} bytes");
            return Err(RpcError::invalid_params(error));
        }
        let level = match member(LOG_LEVEL) {
            None => None,
            Some(level) => Some(Level::parse(level).ok_or_else(|| {
                RpcError::invalid_params(format!("{LOG_LEVEL} is not a log level"))
            })?),
        };
        Ok(Self {
            caps: Caps::of(stamp.capabilities),
            capabilities: stamp.capabilities.text().to_owned(),
            info: member(CLIENT_INFO).map(|info| info.text().to_owned()),
            level,
            token: member("progressToken").map(|token| token.text().to_owned()),
            principal: member(PRINCIPAL).map(|principal| principal.text().to_owned()),
            is_legacy: member(LEGACY_CLIENT).and_then(Json::as_bool) == Some(true),
        })
    }

    /// The log level that its sender wants; a legacy client that has set none gets the default, whatever level other
    /// clients have set.
    pub(crate) fn log_level(&self) -> Option<Level> {
        self.level.or(self.is_legacy.then_some(Level::DEFAULT))
    }

    /// Requests with the same key may share a legacy server, which was initialized with the same capabilities.
    pub fn capability_key(&self) -> String {
        Json::parse(&self.capabilities).map_or_else(|_| String::new(), caps::key)
    }

    /// The parameters of `initialize` for a legacy server that this client's requests go to;
    /// `capabilities` instead of the client's own if other clients share it.
    pub fn initialize(&self, capabilities: Option<&str>) -> String {
        format!(
            r#"{{"protocolVersion":"{}","capabilities":{},"clientInfo":{}}}"#,
            Revision::LAST_LEGACY,
            capabilities.unwrap_or(&self.capabilities),
            self.info.as_deref().unwrap_or(OUR_INFO)
        )
    }
}

/// Adds the principal to a request, for a machine that several principals share. The machine removes it again; it
/// replaces a value that the client may have set.
pub fn signed(request: &Message, principal: &str, is_legacy: bool) -> Message {
    with_meta(request, |meta| {
        let is_legacy = is_legacy.then_some("true");
        meta.without(&[LEGACY_CLIENT])
            .with(PRINCIPAL, &quote(principal))
            .with_some(LEGACY_CLIENT, is_legacy)
    })
}

/// Whether a request is one of a legacy client, by the mark of
/// [`LegacyToModern::signed`](super::LegacyToModern::signed).
pub fn is_of_legacy_client(request: &Message) -> bool {
    let meta = request.params().and_then(|params| params.get("_meta"));
    let mark = meta.and_then(|meta| meta.get(LEGACY_CLIENT));
    mark.and_then(Json::as_bool) == Some(true)
}

/// The request of a legacy client for a modern server: without the mark, and wanting to see log messages from that
/// level on unless it names another.
pub fn with_default_level(request: &Message, level: Level) -> Message {
    with_meta(request, |meta| {
        let meta = meta.without(&[LEGACY_CLIENT]);
        match meta.get(LOG_LEVEL) {
            Some(_) => meta,
            None => meta.with(LOG_LEVEL, &quote(level.name())),
        }
    })
}

fn with_meta(request: &Message, edit: impl FnOnce(Object<'_>) -> Object<'_>) -> Message {
    let Some(params) = request.params() else {
        return request.clone();
    };
    let meta = edit(Object::of(params.get("_meta")));
    let params_with = Object::of(Some(params)).with("_meta", &meta.text());
    request.with_value(params, &params_with.text())
}

/// The request without `task`. The tasks of 2025-11-25 are not offered to the other era, whose clients could not fetch
/// their results; a server without tasks has to ignore the member.
pub(crate) fn without_task(request: &Message) -> Message {
    match request.params() {
        Some(params) if request.method() == names::TOOLS_CALL && params.get("task").is_some() => {
            let rest = Object::of(Some(params)).without(&["task"]);
            request.with_value(params, &rest.text())
        }
        _ => request.clone(),
    }
}

/// The request without its envelope and without members that only the modern era has; other members of `_meta` stay.
pub(crate) fn strip(request: &Message) -> Message {
    let request = &without_task(request);
    let Some(params) = request.params() else {
        return request.clone();
    };
    let meta = Object::of(params.get("_meta")).without(&[
        VERSION,
        CLIENT_CAPABILITIES,
        CLIENT_INFO,
        LOG_LEVEL,
        PRINCIPAL,
        LEGACY_CLIENT,
    ]);
    let bare = Object::of(Some(params)).without(&["inputResponses", "requestState"]);
    let bare = if meta.is_empty() {
        bare.without(&["_meta"])
    } else {
        bare.with("_meta", &meta.text())
    };
    request.with_value(params, &bare.text())
}

/// The identity of a client, which is sent with every request on its behalf.
#[derive(Debug, Clone)]
pub(crate) struct Sender {
    pub(crate) capabilities: String,
    pub(crate) info: String,
    /// Marks requests as those of a legacy client.
    pub(crate) marks: bool,
}

/// The `params` of a modern request, made from those of a legacy one.
pub(crate) fn wrap(params: Option<Json<'_>>, sender: &Sender, level: Option<Level>) -> String {
    let meta = Object::of(params.and_then(|params| params.get("_meta")))
        .with(VERSION, &quote(Revision::LATEST.as_str()))
        .with(CLIENT_CAPABILITIES, &sender.capabilities)
        .with(CLIENT_INFO, &sender.info)
        .with_some(LOG_LEVEL, level.map(|level| quote(level.name())).as_deref())
        .with_some(LEGACY_CLIENT, sender.marks.then_some("true"));
    Object::of(params).with("_meta", &meta.text()).text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    fn request(meta: &str) -> Message {
        let params = format!(r#"{{"name":"t","_meta":{meta}}}"#);
        Message::request(&Id::number(1), "tools/call", Some(&params))
    }

    const FULL: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"progressToken":"p","traceparent":"00-1"}"#;

    #[test]
    fn the_envelope_is_read_and_removed() {
        let request = request(FULL);
        let claims = Claims::read(&request).unwrap();
        assert_eq!(claims.token.as_deref(), Some(r#""p""#));
        assert!(claims.caps.any());
        assert_eq!(
            strip(&request).params().unwrap().text(),
            r#"{"name":"t","_meta":{"progressToken":"p","traceparent":"00-1"}}"#
        );
    }

    #[test]
    fn missing_and_invalid_members_have_their_codes() {
        let code = |meta: &str| Claims::read(&request(meta)).unwrap_err().code();
        assert_eq!(code("{}"), -32602);
        assert_eq!(
            code(r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#),
            -32602
        );
        assert_eq!(code(&FULL.replace("2026-07-28", "v999")), -32022);
        assert_eq!(code(&FULL.replace("2026-07-28", "2025-11-25")), -32022);
        assert_eq!(
            code(&FULL.replace("traceparent", "io.modelcontextprotocol/logLevel")),
            -32602
        );
    }

    #[test]
    fn an_envelope_is_put_on() {
        let sender = Sender {
            capabilities: r#"{"sampling":{}}"#.into(),
            info: r#"{"name":"c","version":"1"}"#.into(),
            marks: false,
        };
        let params = Json::parse(r#"{"name":"t","_meta":{"progressToken":7}}"#).ok();
        assert_eq!(
            wrap(params, &sender, None),
            r#"{"name":"t","_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}"#
        );
        assert!(wrap(None, &sender, None).starts_with(r#"{"_meta":{"#));
    }

    #[test]
    fn the_mark_of_a_legacy_client_does_not_reach_a_modern_server() {
        let sender = Sender {
            capabilities: "{}".into(),
            info: "{}".into(),
            marks: true,
        };
        let params = wrap(None, &sender, None);
        let marked = Message::request(&Id::number(1), "tools/list", Some(&params));
        assert!(is_of_legacy_client(&marked));
        let bare = with_default_level(&marked, Level::DEFAULT);
        assert!(!is_of_legacy_client(&bare) && !bare.text().contains("linkspan/"));
        assert!(bare.text().contains("logLevel"));
    }
}
