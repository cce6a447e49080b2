//! Asks the user before a call is sent to its server.
//!
//! The gateway keeps nothing meanwhile: the client comes back with the user's answer and a `requestState` that proves
//! which call the question was about.

use linkspan_mcp::era::{Claims, wants_input};
use linkspan_session::Envelope;
use linkspan_wire::{Json, Message, Object, RpcError, quote};

/// The key of the question in `inputRequests`.
const KEY: &str = "linkspan_confirm";
/// The states of a call whose user is being asked, and of one that the user has accepted.
const ASKED: &str = "linkspan.asked.";
const ACCEPTED: &str = "linkspan.accepted.";

/// Proves which call a state belongs to, for the life of the process.
pub(crate) struct Confirmations {
    key: [u8; 32],
}

/// What the client has brought.
pub(crate) enum Answer {
    /// The user has accepted: the call as its server gets it, and how its questions are marked.
    Accepted(Message, Accepted),
    /// The user has not.
    Refused,
    /// The user has not been asked: the result that asks.
    Ask(String),
}

/// Marks the `requestState` of a server's own questions, so that the call is not confirmed again.
pub(crate) struct Accepted(String);

impl Confirmations {
    /// Without randomness of the system nothing can be confirmed.
    pub(crate) fn new() -> Option<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).ok()?;
        Some(Self { key })
    }

    /// Looks at a call that needs to be confirmed. The question names the call.
    pub(crate) fn check(
        &self,
        call: &Message,
        sender: &[u8],
        question: &str,
    ) -> Result<Answer, RpcError> {
        let params = call.params();
        let text = |name: &str| params.and_then(|params| params.get(name)?.as_str());
        let proof = self.proof(call, sender);
        let state = text("requestState");
        let state = state.as_deref().unwrap_or_default();
        if let Some(own) = state.strip_prefix(&format!("{ACCEPTED}{proof}.")) {
            return Ok(Answer::Accepted(
                with_state(call, Some(own)),
                Accepted(proof),
            ));
        }
        let response = params.and_then(|params| params.path(&["inputResponses", KEY, "action"]));
        let action = response.and_then(Json::as_str);
        match action.as_deref() {
            Some("accept") if state == format!("{ASKED}{proof}") => {
                let bare = Object::of(params).without(&["inputResponses"]).text();
                let bare = params.map_or_else(|| call.clone(), |old| call.with_value(old, &bare));
                Ok(Answer::Accepted(with_state(&bare, None), Accepted(proof)))
            }
            Some("decline" | "cancel") => Ok(Answer::Refused),
            _ => {
                let shows_forms = Claims::read(call).is_ok_and(|claims| claims.caps.shows_forms());
                if !shows_forms {
                    return Err(no_forms());
                }
                Ok(Answer::Ask(ask(question, &format!("{ASKED}{proof}"))))
            }
        }
    }

    /// A code for the sender, and for all that decides what the request does.
    fn proof(&self, call: &Message, sender: &[u8]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        let member = |name: &str| call.params().and_then(|params| params.get(name));
        let [name, uri, arguments] =
            ["name", "uri", "arguments"].map(|one| member(one).map_or("", Json::text));
        let method = call.method();
        for part in [
            sender,
            method.as_bytes(),
            name.as_bytes(),
            uri.as_bytes(),
            arguments.as_bytes(),
        ] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        data_encoding::HEXLOWER.encode(&hasher.finalize().as_bytes()[..16])
    }
}

impl Accepted {
    /// Marks a question of the server.
    pub(crate) fn mark(&self, envelope: Envelope) -> Envelope {
        let msg = &envelope.msg;
        let Some(result) = msg.body().filter(|_| wants_input(msg)) else {
            return envelope;
        };
        let own = result.get("requestState").and_then(Json::as_str);
        let state = format!(
            "{ACCEPTED}{}.{}",
            self.0,
            own.as_deref().unwrap_or_default()
        );
        let marked = Object::of(Some(result)).with("requestState", &quote(&state));
        let msg = msg.with_value(result, &marked.text());
        Envelope { msg, ..envelope }
    }
}

/// The call with another `requestState`; an empty one is left out.
fn with_state(call: &Message, state: Option<&str>) -> Message {
    let Some(params) = call.params() else {
        return call.clone();
    };
    let bare = Object::of(Some(params)).without(&["requestState"]);
    let state = state.filter(|state| !state.is_empty()).map(quote);
    call.with_value(
        params,
        &bare.with_some("requestState", state.as_deref()).text(),
    )
}

fn ask(question: &str, state: &str) -> String {
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{"{KEY}":{{"method":"elicitation/create","params":{{"mode":"form","message":{},"requestedSchema":{{"type":"object","properties":{{}}}}}}}}}},"requestState":{}}}"#,
        quote(question),
        quote(state)
    )
}

fn no_forms() -> RpcError {
    let hint = "a rule of the gateway asks the user before this call; use a client with elicitation, or start linkspan with --elicit";
    RpcError::new(
        linkspan_mcp::MISSING_CAPABILITY,
        "the user has to confirm this call, and the client cannot ask",
    )
    .with_data(format!(
        r#"{{"requiredCapabilities":{{"elicitation":{{}}}},"hint":{}}}"#,
        quote(hint)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;

    fn call(rest: &str) -> Message {
        let params = format!(r#"{{"name":"delete","arguments":{{"n":1.0}},{rest}{META}}}"#);
        Message::request(&Id::number(1), "tools/call", Some(&params))
    }

    fn state_of(ask: &str) -> String {
        let ask = Json::parse(ask).unwrap();
        ask.get("requestState")
            .unwrap()
            .as_str()
            .unwrap()
            .into_owned()
    }

    fn asked(confirmations: &Confirmations, sender: &[u8]) -> String {
        match confirmations.check(&call(""), sender, "Sure?").unwrap() {
            Answer::Ask(ask) => state_of(&ask),
            _ => panic!("the user has to be asked"),
        }
    }

    fn answered(state: &str, action: &str) -> Message {
        call(&format!(
            r#""inputResponses":{{"{KEY}":{{"action":"{action}"}}}},"requestState":"{state}","#
        ))
    }

    #[test]
    fn an_accepted_call_reaches_the_server_as_it_was() {
        let confirmations = Confirmations::new().unwrap();
        let state = asked(&confirmations, b"ada");
        let accepted = confirmations.check(&answered(&state, "accept"), b"ada", "Sure?");
        let Answer::Accepted(sent, _) = accepted.unwrap() else {
            panic!("it is accepted");
        };
        assert_eq!(sent.text(), call("").text());
    }

    #[test]
    fn a_state_of_another_sender_or_call_is_not_accepted() {
        let confirmations = Confirmations::new().unwrap();
        let state = asked(&confirmations, b"ada");
        let of_bob = confirmations.check(&answered(&state, "accept"), b"bob", "Sure?");
        assert!(matches!(of_bob, Ok(Answer::Ask(_))));
        let other = answered(&state, "accept").text().replace("1.0", "2.0");
        let other = Message::parse(other.into()).unwrap();
        let other = confirmations.check(&other, b"ada", "Sure?");
        assert!(matches!(other, Ok(Answer::Ask(_))));
        let forged = answered("linkspan.asked.00", "accept");
        let forged = confirmations.check(&forged, b"ada", "Sure?");
        assert!(matches!(forged, Ok(Answer::Ask(_))));
    }

    #[test]
    fn questions_of_the_server_are_not_confirmed_again() {
        let confirmations = Confirmations::new().unwrap();
        let state = asked(&confirmations, b"ada");
        let accepted = confirmations.check(&answered(&state, "accept"), b"ada", "Sure?");
        let Ok(Answer::Accepted(_, accepted)) = accepted else {
            panic!("it is accepted");
        };
        let question = r#"{"resultType":"input_required","inputRequests":{},"requestState":"own"}"#;
        let marked = accepted.mark(Envelope::new(Message::result(&Id::number(1), question)));
        let state = state_of(marked.msg.body().unwrap().text());
        let again = call(&format!(
            r#""inputResponses":{{"q":{{}}}},"requestState":"{state}","#
        ));
        let Ok(Answer::Accepted(sent, _)) = confirmations.check(&again, b"ada", "Sure?") else {
            panic!("it has been accepted");
        };
        let expected = call(r#""inputResponses":{"q":{}},"requestState":"own","#);
        let order = |msg: &Message| {
            let params = msg.params().unwrap();
            ["inputResponses", "requestState", "arguments"]
                .map(|key| params.get(key).unwrap().text().to_owned())
        };
        assert_eq!(order(&sent), order(&expected));
    }

    #[test]
    fn a_declined_call_is_refused_and_a_client_without_forms_gets_an_error() {
        let confirmations = Confirmations::new().unwrap();
        let state = asked(&confirmations, b"ada");
        for action in ["decline", "cancel"] {
            let answer = confirmations.check(&answered(&state, action), b"ada", "Sure?");
            assert!(matches!(answer, Ok(Answer::Refused)));
        }
        let text = call("").text().replace(r#"{"elicitation":{}}"#, "{}");
        let plain = Message::parse(text.into()).unwrap();
        let refused = confirmations.check(&plain, b"ada", "Sure?").err().unwrap();
        assert_eq!(refused.code(), -32021);
    }
}
