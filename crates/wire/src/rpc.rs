//! Error answers: the six codes and how they are written.

use std::borrow::Cow;

use bytes::Bytes;

use crate::escape::quote;
use crate::id::Id;
use crate::json::Json;
use crate::message::Message;

/// The codes that JSON-RPC 2.0 defines, and its one code for everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// -32700: not JSON.
    ParseError,
    /// -32600: JSON, but not a request.
    InvalidRequest,
    /// -32601: the method is unknown.
    MethodNotFound,
    /// -32602: the method does not accept these parameters.
    InvalidParams,
    /// -32603: an internal error.
    Internal,
    /// -32000: an error behind the bridge; the message says where.
    Server,
}

impl Code {
    /// The number on the wire.
    pub fn number(self) -> i64 {
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::Internal => -32603,
            Self::Server => -32000,
        }
    }
}

/// An error answer without its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    code: i64,
    message: Cow<'static, str>,
    data: Option<String>,
}

impl RpcError {
    /// Any code with a message.
    pub fn new(code: i64, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// -32700
    pub fn parse_error(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::ParseError.number(), message)
    }

    /// -32600
    pub fn invalid_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::InvalidRequest.number(), message)
    }

    /// -32601, naming the method.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(
            Code::MethodNotFound.number(),
            format!("method not found: {method}"),
        )
    }

    /// -32602
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::InvalidParams.number(), message)
    }

    /// -32603
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::Internal.number(), message)
    }

    /// -32000
    pub fn server(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::Server.number(), message)
    }

    /// Adds `data`, given as JSON text. Other text is added as a string.
    #[must_use]
    pub fn with_data(mut self, json: impl Into<String>) -> Self {
        let json = json.into();
        self.data = Some(if Json::parse(&json).is_ok() {
            json
        } else {
            quote(&json)
        });
        self
    }

    /// The number on the wire.
    pub fn code(&self) -> i64 {
        self.code
    }

    /// The human part.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The whole answer to the request `id`.
    pub fn answer(&self, id: &Id) -> Message {
        let data = match &self.data {
            Some(data) => format!(r#","data":{data}"#),
            None => String::new(),
        };
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{},"message":{}{data}}}}}"#,
            self.code,
            quote(&self.message),
        );
        Message::ours(Bytes::from(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: u64) -> Id {
        Id::number(n)
    }

    #[test]
    fn each_builder_has_its_code() {
        let codes = [
            RpcError::parse_error("m").code(),
            RpcError::invalid_request("m").code(),
            RpcError::method_not_found("m").code(),
            RpcError::invalid_params("m").code(),
            RpcError::internal("m").code(),
            RpcError::server("m").code(),
        ];
        assert_eq!(codes, [-32700, -32600, -32601, -32602, -32603, -32000]);
    }

    #[test]
    fn messages_are_escaped() {
        let answer = RpcError::internal("say \"hi\"\nto C:\\ \u{1}").answer(&number(1));
        assert_eq!(
            answer.text(),
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"say \"hi\"\nto C:\\ \u0001"}}"#
        );
        serde_json::from_slice::<serde_json::Value>(&answer.to_bytes()).unwrap();
    }

    #[test]
    fn data_is_optional_and_kept_as_json() {
        let with = RpcError::server("m").with_data(r#"{"status":502}"#);
        assert_eq!(
            with.answer(&Id::null()).text(),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"m","data":{"status":502}}}"#
        );
        let text = RpcError::server("m").with_data("not json");
        assert!(
            text.answer(&number(1))
                .text()
                .contains(r#""data":"not json""#)
        );
    }

    #[test]
    fn the_method_that_was_not_found_is_named() {
        assert_eq!(
            RpcError::method_not_found("tools/fly").message(),
            "method not found: tools/fly"
        );
    }
}
