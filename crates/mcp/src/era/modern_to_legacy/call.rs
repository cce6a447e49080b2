//! A call that was sent to the server.

use std::time::Instant;

use linkspan_wire::{Id, IdKey, Json, JsonKind, Message, RpcError};

use crate::era::Step;
use crate::era::caps::Caps;
use crate::era::claims::Claims;
use crate::era::digest::digest;
use crate::era::question::{self, Question};
use crate::era::question_history;
use crate::era::results;
use crate::level::Level;
use crate::meta::SERVER_INFO;
use linkspan_wire::Object;

/// URLs that a client may be asked to open at once.
const MAX_PAGES: usize = 64;

pub(super) struct Call {
    /// The client's open request; none while the call is parked.
    pub(super) front: Option<Id>,
    pub(super) method: Box<str>,
    /// The URI of the requested resource, as spelled.
    pub(super) uri: Option<String>,
    pub(super) digest: u64,
    pub(super) principal: Option<String>,
    pub(super) caps: Caps,
    pub(super) level: Option<Level>,
    /// Its client belongs to the legacy era; see [`Claims`].
    pub(super) is_legacy: bool,
    /// The progress token of the client's latest request, and the one that was sent to the server.
    pub(super) token: Option<String>,
    pub(super) sent_token: Option<IdKey>,
    pub(super) may_ask: bool,
    /// Its key in [`QuestionHistory`](crate::era::QuestionHistory).
    pub(super) history_key: String,
    /// Whether the server has asked a question during the call.
    pub(super) asked: bool,
    /// The open questions of the server.
    pub(super) questions: Vec<Question>,
    /// Answers that the client gave before the question.
    pub(super) in_advance: Vec<(String, String)>,
    /// When the questions are sent to the client; a server may ask several at once.
    pub(super) ask_at: Option<Instant>,
    pub(super) parked: Option<Parked>,
    /// The newest progress during the parked time.
    pub(super) progress: Option<Message>,
    /// The server's answer, if it arrived while the call was parked.
    pub(super) outcome: Option<Message>,
    /// The error that the client got, although the server continues the call.
    pub(super) failed: Option<RpcError>,
}

pub(super) struct Parked {
    pub(super) state: String,
    pub(super) until: Instant,
}

impl Call {
    pub(super) fn new(id: &Id, msg: &Message, claims: Claims) -> Result<Self, RpcError> {
        let params = msg.params();
        let method: Box<str> = msg.method().into();
        Ok(Self {
            front: Some(id.clone()),
            uri: params.and_then(|p| Some(p.get("uri")?.text().to_owned())),
            may_ask: question::may_ask(&method),
            digest: digest(msg),
            method,
            history_key: question_history::key(msg),
            asked: false,
            level: claims.log_level(),
            principal: claims.principal,
            caps: claims.caps,
            is_legacy: claims.is_legacy,
            sent_token: claims.token.as_deref().and_then(token_key),
            token: claims.token,
            questions: Vec::new(),
            in_advance: responses(msg)?,
            ask_at: None,
            parked: None,
            progress: None,
            outcome: None,
            failed: None,
        })
    }

    /// Progress under the token of the open request; `None` if that has no token.
    pub(super) fn report(&self, progress: &Message) -> Option<Step> {
        let token = progress.params()?.get("progressToken")?;
        let (front, current) = (self.front.as_ref()?, self.token.as_deref()?);
        Some(Step::to_front(progress.with_value(token, current), front))
    }

    /// Refuses the open questions of this call.
    pub(super) fn leave_unanswered(&self, reason: &str) -> Vec<Step> {
        let error = RpcError::server(format!("{reason}, so this has no answer"));
        self.questions
            .iter()
            .map(|question| Step::Back(error.answer(&question.id)))
            .collect()
    }

    /// Whether the client has been answered, so that the server's answer is dropped.
    pub(super) fn is_unattended(&self) -> bool {
        self.failed.is_some() && self.parked.is_none()
    }

    pub(super) fn next_wake(&self) -> Option<Instant> {
        match &self.parked {
            Some(parked) => Some(parked.until),
            None => self.ask_at,
        }
    }

    /// Turns the error that asks for a visit to a URL into a question. There is no state to resume: the client calls
    /// again afterwards.
    pub(super) fn url_needed(
        &self,
        error: &Message,
        id: &Id,
        info: Option<&str>,
    ) -> Option<Message> {
        if results::code(error) != Some(results::URL_NEEDED) {
            return None;
        }
        let wanted = error.body()?.path(&["data", "elicitations"])?;
        let mut requests = Object::empty();
        for (i, elicitation) in wanted.elements().take(MAX_PAGES).enumerate() {
            let key = elicitation.get("elicitationId").and_then(Json::as_str);
            let key = key.map_or_else(|| format!("url-{i}"), Into::into);
            let params = Object::of(Some(elicitation)).without(&["elicitationId"]);
            let request = format!(
                r#"{{"method":"elicitation/create","params":{}}}"#,
                params.text()
            );
            let asked = Message::request(id, "elicitation/create", Some(&params.text()));
            if let Some(required) = self.caps.lacks(&asked) {
                let missing = results::missing_capability("elicitation/create", required);
                let answer = missing.answer(id);
                let body = answer.body()?;
                let data = results::keep_original(Object::of(body.get("data")), error);
                let body_with = Object::of(Some(body)).with("data", &data.text());
                return Some(answer.with_value(body, &body_with.text()));
            }
            requests = requests.with(&key, &request);
        }
        if requests.is_empty() || !self.may_ask {
            return None;
        }
        let meta = Object::empty().with_some(SERVER_INFO, info);
        let result = Object::empty()
            .with("resultType", r#""input_required""#)
            .with("inputRequests", &requests.text())
            .with("_meta", &results::keep_original(meta, error).text());
        Some(Message::result(id, &result.text()))
    }
}

/// The id that a progress token denotes.
fn token_key(token: &str) -> Option<IdKey> {
    Some(Id::parse(Json::parse(token).ok()?)?.key())
}

/// The client's answers by their keys.
pub(super) fn responses(msg: &Message) -> Result<Vec<(String, String)>, RpcError> {
    let Some(responses) = msg.params().and_then(|p| p.get("inputResponses")) else {
        return Ok(Vec::new());
    };
    if responses.kind() != JsonKind::Object {
        return Err(RpcError::invalid_params("inputResponses must be an object"));
    }
    responses
        .members()
        .map(|(key, value)| match value.kind() {
            JsonKind::Object => Ok((key.into_owned(), value.text().to_owned())),
            _ => Err(RpcError::invalid_params(format!(
                "the input response {key:?} must be an object, the result of what was asked"
            ))),
        })
        .collect()
}
