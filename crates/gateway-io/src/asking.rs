//! On whose behalf the gateway itself sends a request.

use linkspan_bridge::Caller;
use linkspan_mcp::{OUR_INFO, modern_meta};
use linkspan_ports::Principal;
use linkspan_wire::{Json, Message, Object};

/// The caller, and the `_meta` of requests.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    pub(crate) caller: Caller,
    pub(crate) meta: String,
}

impl Asking {
    /// On behalf of the gateway, for a server that all clients share.
    pub(crate) fn own() -> Self {
        let json = |text| Json::parse(text).expect("it is JSON");
        Self {
            caller: Caller {
                principal: Principal::anonymous(),
                session: None,
            },
            meta: modern_meta(json("{}"), json(OUR_INFO)),
        }
    }

    /// On behalf of a client, with what its request says about it. Progress and logs of a list are not for the client.
    pub(crate) fn of(request: &Message, caller: &Caller) -> Self {
        let meta = request.params().and_then(|params| params.get("_meta"));
        let meta = Object::of(meta).without(&["progressToken", linkspan_mcp::LOG_LEVEL]);
        Self {
            caller: caller.clone(),
            meta: meta.text(),
        }
    }
}
