//! The parameters of requests.

use linkspan_wire::{Json, JsonKind, RpcError};

/// The parameters of a request; missing ones count as an empty object.
#[derive(Debug, Clone, Copy)]
pub struct Params<'a>(Option<Json<'a>>);

impl<'a> Params<'a> {
    /// Fails unless the parameters are missing or an object.
    pub(crate) fn new(params: Option<Json<'a>>) -> Result<Self, RpcError> {
        let params = params.filter(|p| p.kind() != JsonKind::Null);
        if params.is_some_and(|p| p.kind() != JsonKind::Object) {
            Err(RpcError::invalid_params("`params` must be an object"))
        } else {
            Ok(Self(params))
        }
    }

    /// A member; one that is `null` counts as missing.
    pub fn get(self, name: &str) -> Option<Json<'a>> {
        let member = self.0.and_then(|p| p.get(name));
        member.filter(|m| m.kind() != JsonKind::Null)
    }

    /// A required member that must be a string.
    pub fn text(self, name: &str) -> Result<std::borrow::Cow<'a, str>, RpcError> {
        let text = self.get(name).and_then(Json::as_str);
        text.ok_or_else(|| RpcError::invalid_params(format!("`{name}` must be a string")))
    }

    /// An optional member that must be an object.
    pub fn object(self, name: &str) -> Result<Option<Json<'a>>, RpcError> {
        match self.get(name) {
            Some(other) if other.kind() != JsonKind::Object => {
                let why = format!("`{name}` must be an object");
                Err(RpcError::invalid_params(why))
            }
            object => Ok(object),
        }
    }
}

impl std::fmt::Display for Params<'_> {
    /// The JSON text as the client wrote it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.map_or("{}", Json::text))
    }
}

/// The tool name and the arguments of `tools/call`.
pub fn tool_call<'a>(
    params: Params<'a>,
) -> Result<(std::borrow::Cow<'a, str>, Json<'a>), RpcError> {
    let name = params.get("name").and_then(Json::as_str);
    let name = name.ok_or_else(|| RpcError::invalid_params("`name` must name the tool"))?;
    let none = Json::parse("{}").map_err(|_| RpcError::internal("{} is no JSON"))?;
    Ok((name, params.object("arguments")?.unwrap_or(none)))
}

impl Params<'_> {
    /// Refuses a `cursor`: a server that lists all its tools at once has never sent one.
    pub fn refuse_cursor(self) -> Result<(), RpcError> {
        match self.get("cursor") {
            None => Ok(()),
            Some(_) => Err(RpcError::invalid_params(
                "there is no such page: the list of tools is not cut into pages",
            )),
        }
    }
}
