//! The conductor's own errors for ACP peers. The only module that chooses their code.
//!
//! ACP defines -32000 as "authentication required": an editor that receives it opens a login. JSON-RPC and
//! MCP use the same number for any failure behind a server. Therefore ACP peers get neither
//! [`RpcError::server`] nor a [`Fault`] unchanged; both become -32603, and `data.kind` names the failure.

use linkspan_session::Fault;
use linkspan_wire::{Code, Json, Kind, Message, RpcError};

/// The error of a fault, for an ACP peer.
pub(crate) fn of_fault(fault: &Fault) -> RpcError {
    RpcError::internal(fault.to_string()).with_data(fault.data())
}

/// A request that exceeds a limit on concurrent requests.
pub(crate) fn overloaded(what: &'static str) -> RpcError {
    of_fault(&Fault::Overloaded { what })
}

/// An answer of an MCP peer as the answer to an ACP request: the code -32000 is replaced, because ACP gives
/// it another meaning. Everything else keeps its bytes.
pub(crate) fn from_mcp(answer: Message) -> Message {
    let error = answer.body().filter(|_| answer.kind() == Kind::Error);
    let code = error.and_then(|error| error.get("code"));
    let clashes = |code: &Json<'_>| code.as_i64() == Some(Code::Server.number());
    match code.filter(clashes) {
        Some(code) => answer.with_value(code, &Code::Internal.number().to_string()),
        None => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    #[test]
    fn no_fault_asks_an_editor_to_log_in() {
        for fault in [
            Fault::Closing,
            Fault::Overloaded { what: "requests" },
            Fault::PeerClosed {
                peer: "x".to_owned(),
                why: "y".to_owned(),
            },
        ] {
            let answer = of_fault(&fault).answer(&Id::number(1));
            let error = answer.body().unwrap();
            assert_eq!(error.get("code").unwrap().text(), "-32603");
            let kind = error.path(&["data", "kind"]).unwrap();
            assert_eq!(kind.as_str().unwrap(), fault.kind());
            assert!(error.path(&["data", "hint"]).is_some());
        }
    }

    #[test]
    fn only_the_code_that_means_a_login_is_replaced() {
        let answer = |code: &str| {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"no","data":1.10}}}}"#
            );
            Message::parse(text.into()).unwrap()
        };
        assert_eq!(
            from_mcp(answer("-32000")).text(),
            answer("-32603").text(),
            "the rest keeps its bytes"
        );
        assert_eq!(from_mcp(answer("-1")).text(), answer("-1").text());
        let result = Message::result(&Id::number(1), r#"{"code":-32000}"#);
        assert_eq!(from_mcp(result.clone()).text(), result.text());
    }
}
