//! Tools that ask the client: by a request during the call, or, in the stateless revision, by a result that asks for
//! the call to be repeated with an answer.

use std::sync::mpsc::Receiver;

use linkspan_testkit::Message;

use crate::modern::declares;
use crate::server::Call;

/// A question of a tool.
pub struct Question {
    pub key: String,
    pub method: &'static str,
    pub capability: &'static str,
    pub params: String,
}

impl Question {
    /// The question of that kind, with the call's `label` in it.
    pub fn new(call: &Call, kind: &str, round: u64) -> Self {
        let label = call.text("label").unwrap_or("which quay?".into());
        let (method, capability, params) = match kind {
            "sample" => (
                "sampling/createMessage",
                "sampling",
                format!(
                    r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":"{label}"}}}}],"maxTokens":7}}"#
                ),
            ),
            "roots" => ("roots/list", "roots", "{}".to_owned()),
            _ => (
                "elicitation/create",
                "elicitation",
                format!(
                    r#"{{"message":"{label}","requestedSchema":{{"type":"object","properties":{{"quay":{{"type":"string"}}}}}}}}"#
                ),
            ),
        };
        let key = call.text("key").unwrap_or_else(|| {
            let mut state = call.server.lock();
            state.questions += 1;
            if call.modern() {
                "answer".into()
            } else {
                format!("question-{}", state.questions)
            }
        });
        Self {
            key: format!(
                "{key}{}",
                if round > 1 {
                    format!("-{round}")
                } else {
                    String::new()
                }
            ),
            method,
            capability,
            params,
        }
    }

    /// Asks by a request.
    pub fn send(&self, call: &Call) -> Receiver<Message> {
        call.server
            .ask(&format!("\"{}\"", self.key), self.method, &self.params)
    }
}

/// Asks `rounds` times, with progress after each answer, and returns the last answer.
pub fn tool(call: &Call, kind: &str, rounds: u64) {
    if call.modern() {
        return rounds_by_results(call, kind, rounds);
    }
    call.progress(0);
    let mut last = String::from("null");
    for round in 1..=rounds {
        let Ok(answer) = Question::new(call, kind, round).send(call).recv() else {
            return;
        };
        last = answer.result.or(answer.error).unwrap_or("null".into());
        call.progress(round);
    }
    if call.text("gate").is_some_and(|gate| !call.gate(&gate)) {
        return;
    }
    call.structured(&last);
}

/// Asks two questions at once and returns both answers.
pub fn two_at_once(call: &Call) {
    let (ask, sample) = (
        Question::new(call, "ask", 1),
        Question::new(call, "sample", 2),
    );
    if call.modern() {
        let answers =
            [&ask, &sample].map(|q| call.message.at(&["params", "inputResponses", &q.key]));
        return match answers {
            [Some(a), Some(b)] => call.structured(&format!(r#"{{"ask":{a},"sample":{b}}}"#)),
            _ => call.result(&required(&[&ask, &sample], "both")),
        };
    }
    let (first, second) = (ask.send(call), sample.send(call));
    let text = |answer: Receiver<Message>| {
        let answer = answer.recv().ok();
        answer
            .and_then(|m| m.result.or(m.error))
            .unwrap_or("null".into())
    };
    let (first, second) = (text(first), text(second));
    call.structured(&format!(r#"{{"ask":{first},"sample":{second}}}"#));
}

fn rounds_by_results(call: &Call, kind: &str, rounds: u64) {
    let state = call.message.string_at(&["params", "requestState"]);
    // The state has characters that a proxy could wrongly escape or normalise.
    let round = match state.as_deref() {
        None => 1,
        Some(state) => match state.strip_prefix("round\u{2028}/\u{26f4}+%20:") {
            Some(round) => round.parse::<u64>().unwrap_or_default() + 1,
            None => {
                call.server
                    .watch
                    .tell("note", "violation: not my requestState");
                return call.error(r#"{"code":-32602,"message":"not my requestState"}"#);
            }
        },
    };
    let question = Question::new(call, kind, round);
    if !declares(call, question.capability) {
        return call.error(&format!(
            r#"{{"code":-32021,"message":"this needs {0}","data":{{"requiredCapabilities":{{"{0}":{{}}}}}}}}"#,
            question.capability
        ));
    }
    if round <= rounds {
        return call.result(&required(&[&question], &round.to_string()));
    }
    let last = Question::new(call, kind, rounds);
    match call.message.at(&["params", "inputResponses", &last.key]) {
        Some(answer) => call.structured(&answer),
        None => call.error(r#"{"code":-32602,"message":"no answer to my question"}"#),
    }
}

fn required(questions: &[&Question], round: &str) -> String {
    let inputs: Vec<_> = questions
        .iter()
        .map(|q| {
            format!(
                r#""{}":{{"method":"{}","params":{}}}"#,
                q.key, q.method, q.params
            )
        })
        .collect();
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{{}}},"requestState":"round\u2028/\u26f4+%20:{round}"}}"#,
        inputs.join(",")
    )
}
