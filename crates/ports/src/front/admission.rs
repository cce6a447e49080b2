//! Who sends a request, and whether it may call the tools that it names.

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{Method, StatusCode};
use linkspan_auth::resource::Scheme;
use linkspan_mcp::names;
use linkspan_session::now;
use linkspan_wire::{Json, Kind, Message, RpcError};

use super::body::{Response, json};
use super::guard::GuardedRequest;
use super::principal::Principal;
use super::refusal::Refusal;
use super::router::Router;
use super::service::FrontService;

/// The sender of a request that is served.
pub(super) struct Admission {
    pub(super) principal: Principal,
    scheme: Scheme,
}

impl<H: FrontService> Router<H> {
    /// A document of the guard, which needs no credentials.
    pub(super) fn document(&self, head: &Parts) -> Option<Result<Response, Refusal>> {
        let guard = self.options.guard.as_ref()?;
        let document = guard.document(head.uri.path())?;
        if head.method != Method::GET && head.method != Method::HEAD {
            return Some(Err(Refusal::method("GET", "only GET is allowed here")));
        }
        let pieces = [document, Default::default(), Default::default()];
        Some(Ok(json(StatusCode::OK, pieces)))
    }

    /// Looks at the credentials of a request: the fixed token, else whatever the guard accepts.
    pub(super) async fn admission(&self, head: &Parts) -> Result<Admission, Refusal> {
        let Some(guard) = &self.options.guard else {
            self.access.authorize(&head.headers)?;
            return Ok(Admission {
                principal: self.by_header(head),
                scheme: Scheme::Bearer,
            });
        };
        if self.options.token.is_some() && self.access.authorize(&head.headers).is_ok() {
            return Ok(Admission {
                principal: Principal::anonymous(),
                scheme: Scheme::Bearer,
            });
        }
        let request = GuardedRequest::of(head);
        let scheme = request.presented.scheme();
        let caller = guard.admit(request).await.map_err(Refusal::denied)?;
        let until = caller.lasts.and_then(|lasts| now().checked_add(lasts));
        Ok(Admission {
            principal: Principal::until(caller.identity, until),
            scheme,
        })
    }

    /// Requests with the same header have the same principal.
    fn by_header(&self, head: &Parts) -> Principal {
        let values = head.headers.get_all(AUTHORIZATION).iter();
        let shown: Vec<&[u8]> = values.map(|value| value.as_bytes()).collect();
        // All requests with our token have one principal, however it was spelled. No value has a line end.
        if shown.is_empty() || self.options.token.is_some() {
            return Principal::anonymous();
        }
        Principal::of_credentials(&shown.join(&b'\n'))
    }

    /// Refuses calls of tools that the sender may not call. The holder of the fixed token may call all of them.
    pub(super) fn permit<'m>(
        &self,
        admission: &Admission,
        messages: impl IntoIterator<Item = &'m Message>,
    ) -> Result<(), Refusal> {
        let (Some(guard), Some(identity)) = (&self.options.guard, admission.principal.identity())
        else {
            return Ok(());
        };
        if !guard.limits_tools() {
            return Ok(());
        }
        let mut tools = Vec::new();
        for message in messages {
            let refuse = |error| Refusal::rpc(StatusCode::BAD_REQUEST, error).about(message.id());
            tools.extend(called_tool(message).map_err(refuse)?);
        }
        let permitted = guard.permit(&identity, admission.scheme, &tools);
        permitted.map_err(Refusal::denied)
    }
}

/// The tool that a message calls. A message that another reader could take for the call of another tool is refused:
/// some ignore the case of member names, and some take the first and some the last of two members.
fn called_tool(message: &Message) -> Result<Option<String>, RpcError> {
    if matches!(message.kind(), Kind::Result | Kind::Error) {
        return Ok(None);
    }
    let text = message.text();
    let envelope = Json::parse(&text).map_err(|_| ambiguous("the message"))?;
    for name in ["method", "params"] {
        // The message itself has been checked for exact doubles.
        if members_like(envelope, name).any(|(spelled, _)| spelled != name) {
            return Err(ambiguous(name));
        }
    }
    if message.method() != names::TOOLS_CALL {
        return Ok(None);
    }
    let missing = || RpcError::invalid_params("`name` of the tool is missing");
    let params = message.params().ok_or_else(missing)?;
    let mut spelled = members_like(params, "name");
    match (spelled.next(), spelled.next()) {
        (Some((name, value)), None) if name == "name" => {
            let tool = value.as_str().ok_or_else(missing)?;
            Ok(Some(tool.into_owned()))
        }
        (None, _) => Err(missing()),
        _ => Err(ambiguous("name")),
    }
}

/// The members of an object whose names are this one if case is ignored, as Unicode folds it.
fn members_like<'j>(
    object: Json<'j>,
    name: &'static str,
) -> impl Iterator<Item = (std::borrow::Cow<'j, str>, Json<'j>)> {
    let folded = |text: &str| {
        let upper = text.chars().flat_map(char::to_uppercase);
        upper.flat_map(char::to_lowercase).eq(name.chars())
    };
    object
        .members()
        .filter(move |(member, _)| folded(member.as_ref()))
}

fn ambiguous(name: &str) -> RpcError {
    let why = format!("`{name}` can be read in more than one way");
    RpcError::invalid_request(why).with_data(r#"{"hint":"write each member once, in lower case"}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(text: &str) -> Result<Option<String>, String> {
        let message = Message::parse(text.to_owned().into()).unwrap();
        called_tool(&message).map_err(|error| error.message().to_owned())
    }

    fn call(params: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
    }

    #[test]
    fn the_tool_of_a_call_is_found() {
        let found = |params: &str| tool(&call(params)).unwrap().unwrap();
        assert_eq!(found(r#"{"name":"delete_all"}"#), "delete_all");
        assert_eq!(
            found(r#"{"n\u0061me":"d\u0065lete","arguments":{"name":"x"}}"#),
            "delete"
        );
        let escaped = r#"{"jsonrpc":"2.0","method":"tools\/call","params":{"name":"a"}}"#;
        assert_eq!(tool(escaped).unwrap().unwrap(), "a", "also without an id");
        for other in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"Name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"Method":"tools/call"}}"#,
        ] {
            assert_eq!(tool(other), Ok(None));
        }
    }

    #[test]
    fn a_call_that_can_be_read_in_two_ways_is_refused() {
        for params in [
            r#"{"name":"a","name":"b"}"#,
            r#"{"name":"a","Name":"b"}"#,
            r#"{"NAME":"b"}"#,
            r#"{"name":"a","n\u0061me":"b"}"#,
        ] {
            let refused = tool(&call(params)).unwrap_err();
            assert!(refused.contains("more than one way"), "{params}");
        }
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"b"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"PARAMS":{"name":"b"}}"#,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"},\"param\u{17f}\":{\"name\":\"b\"}}",
        ] {
            assert!(
                tool(text).unwrap_err().contains("more than one way"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_call_without_a_name_is_refused() {
        for params in ["{}", "[]", "null", r#"{"name":1}"#, r#"["a"]"#] {
            let refused = tool(&call(params)).unwrap_err();
            assert!(refused.contains("missing"), "{params}: {refused}");
        }
        assert!(tool(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#).is_err());
    }
}
