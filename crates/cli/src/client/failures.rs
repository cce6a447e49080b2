//! What went wrong with a server, in words for a person.

use linkspan_session::Fault;
use linkspan_wire::Message;

use crate::exit::{Exit, Failure};

/// A command that has ended without an answer to the very first request.
pub(super) fn never_spoke(why: Fault) -> Failure {
    let Fault::Ended {
        peer,
        status,
        last_words,
    } = why
    else {
        return why.into();
    };
    let printed = match &*last_words {
        "" => ", and printed nothing".to_owned(),
        words => format!("; it printed:\n{words}"),
    };
    Failure::new(
        Exit::Broken,
        format!("{peer} ended before it answered ({status}){printed}"),
    )
    .hint("an MCP server stays and answers on stdout; check the command and its arguments")
}

/// A command that is no server: it repeats what it is given.
pub(super) fn echoes(name: &str) -> Failure {
    Failure::new(
        Exit::Broken,
        format!("`{name}` sends back what it is sent: it is not an MCP server"),
    )
    .hint("check the command and its arguments")
}

/// An error that the server answered with.
pub(super) fn refusal(msg: &Message, asked: &str) -> Failure {
    let error = msg.body();
    let message = error.and_then(|e| e.get("message")?.as_str());
    let code = error.and_then(|e| Some(e.get("code")?.text().to_owned()));
    let what = format!(
        "the server says: {} ({})",
        message.as_deref().unwrap_or("no reason"),
        code.as_deref().unwrap_or("no code")
    );
    let mut failure = Failure::new(Exit::ServerError, what);
    if let Some(data) = error.and_then(|e| e.get("data")) {
        failure = failure.data(data.as_str().unwrap_or(data.text().into()));
    }
    if code.as_deref() == Some("-32601") {
        failure = failure.hint(format!("this server does not offer `{asked}`"));
    }
    failure
}
