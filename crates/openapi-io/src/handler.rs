//! One connection of a client.

use std::sync::Arc;

use linkspan_local::{Call, Handler, Params, tool_call};
use linkspan_mcp::{Revision, names, tool_text};
use linkspan_ports::HttpRequestError;
use linkspan_wire::{Json, RpcError, escape_line, quote};

use crate::server::Shared;

/// One connection.
pub(crate) struct Connection(pub(crate) Arc<Shared>);

impl Handler for Connection {
    fn initialize(&self, revision: Revision, _: &str) -> Result<String, RpcError> {
        let api = &self.0.api;
        let or = |text: &str, other: &str| quote(if text.is_empty() { other } else { text });
        let instructions = match api.instructions() {
            "" => String::new(),
            text => format!(r#","instructions":{}"#, quote(text)),
        };
        Ok(format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":{},"version":{}}}{instructions}}}"#,
            or(api.title(), "openapi"),
            or(api.version(), env!("CARGO_PKG_VERSION")),
        ))
    }

    async fn answer(
        &self,
        method: &str,
        params: Params<'_>,
        _: &mut Call,
    ) -> Result<String, RpcError> {
        match method {
            names::TOOLS_LIST => {
                params.refuse_cursor()?;
                Ok(self.0.tools.clone())
            }
            names::TOOLS_CALL => {
                let (tool, arguments) = tool_call(params)?;
                self.call(&tool, arguments).await
            }
            _ => Err(RpcError::method_not_found(method)),
        }
    }
}

impl Connection {
    async fn call(&self, tool: &str, arguments: Json<'_>) -> Result<String, RpcError> {
        let Shared {
            api,
            exchange,
            places,
            ..
        } = &*self.0;
        let unknown = || RpcError::invalid_params(format!("unknown tool: {tool}"));
        let operation = api.operation(tool).ok_or_else(unknown)?;
        let request = match api.request(operation, arguments) {
            Ok(request) => request,
            Err(error) => return Ok(tool_text(&error.to_string(), true)),
        };
        let _place = places.acquire().await;
        Ok(match exchange.send(request).await {
            Ok(response) => operation.result(&response),
            Err(error) => tool_text(&explained(&error), true),
        })
    }
}

/// A failed request, for the model.
fn explained(error: &HttpRequestError) -> String {
    match error {
        HttpRequestError::TooLarge(limit) => {
            format!(
                "the response has more than {limit} bytes: ask for less, for example a smaller page"
            )
        }
        HttpRequestError::TooSlow(time) => {
            format!("the server did not answer within {} s", time.as_secs())
        }
        other => format!("the request failed: {}", escape_line(&other.to_string())),
    }
}
