//! Calls of tools.

use super::*;

use crate::arguments::Judged;
use crate::own::{refusal, unknown};

impl ToolListLayer {
    pub(super) fn call(&mut self, envelope: Envelope, id: &Id) -> Verdict {
        let Some(name) = name_of(&envelope.msg) else {
            return Verdict::Pass(envelope);
        };
        let client = self.client_of(&envelope.msg);
        if self.gets_everything(client.as_deref()) {
            return Verdict::Pass(envelope);
        }
        let list = self.known.lock().list.clone();
        let Some(list) = list else {
            return self.unlisted(&name, client, envelope, id);
        };
        if list.is_full_for(client.as_deref()) {
            return Verdict::Pass(envelope);
        }
        match list.own(&name) {
            Some(OwnTool::Call) => hidden(&list, envelope, id),
            Some(own) => {
                let request = envelope.msg;
                Verdict::BackLater(blocking(id, era_of(&request), move || {
                    answered(&list, own, &request)
                }))
            }
            None => {
                let arguments = envelope.msg.params().and_then(|it| it.get("arguments"));
                match judged(&list, &name, arguments) {
                    Judged::Fits => Verdict::Pass(envelope),
                    Judged::Repaired(meant) => repaired(envelope, &meant),
                    Judged::Wrong(errors) => refused(&list, &name, &errors, envelope, id),
                }
            }
        }
    }

    /// A call before the list is known, for example after a new connection.
    fn unlisted(
        &mut self,
        name: &str,
        client: Option<String>,
        envelope: Envelope,
        id: &Id,
    ) -> Verdict {
        let is_full = self.shared.options.choice == Choice::Full;
        let is_room = self.open.len() < MOST_OPEN && self.may_read();
        if is_full || OwnTool::of(name).is_none() || !is_room {
            return Verdict::Pass(envelope);
        }
        let pages = self.pages(&envelope.msg);
        let ask = pages.ask(id, None);
        self.open
            .insert(id.key(), Open::Own(Box::new(pages), client));
        Verdict::Pass(Envelope {
            msg: ask,
            ..envelope
        })
    }

    /// The list has arrived for a call of what may be a tool of ours. The list may be long, so it is worked on
    /// elsewhere; nothing is checked then.
    pub(super) fn fetched(&mut self, pages: Pages, client: Option<String>, id: &Id) -> Verdict {
        let remember = self.remember(&pages);
        let request = pages.request.clone();
        let name = name_of(&request).unwrap_or_default();
        let (list, _) = pages.finish();
        let has = |name: &str| list.items.iter().any(|item| *item.own == *name);
        match OwnTool::of(&name).filter(|_| !has(&name)) {
            None => onwards(request, list, remember),
            Some(OwnTool::Call) => match inner(&request) {
                Some((called, arguments)) if has(&called) => {
                    let arguments = arguments.map(Json::text);
                    let onward = called_directly(&request, id, &called, arguments);
                    onwards(onward, list, remember)
                }
                _ => {
                    let text = ("There is no tool with this name.".to_owned(), true);
                    Verdict::Pass(Envelope::new(result(id, era_of(&request), text)))
                }
            },
            Some(own) => Verdict::Detour(blocking(id, era_of(&request), move || {
                let list = remember(list);
                if list.own(&name) != Some(own) || list.is_full_for(client.as_deref()) {
                    return (unknown(&list, &name), true);
                }
                answered(&list, own, &request)
            })),
        }
    }
}

/// Keeps a list for the next call, and passes a call on to the server.
fn onwards(
    call: Message,
    list: ServerList,
    remember: impl FnOnce(ServerList) -> Arc<ToolList> + Send + 'static,
) -> Verdict {
    Verdict::BackLater(Box::pin(async move {
        // The call does not depend on the outcome.
        let _ = spawn_blocking(move || remember(list)).await;
        Envelope::new(call)
    }))
}

/// What a tool of ours answers to a call.
fn answered(list: &ToolList, own: OwnTool, call: &Message) -> (String, bool) {
    let arguments = call.params().and_then(|it| it.get("arguments"));
    answer(list, own, arguments)
}

/// An answer that is made on a blocking thread.
fn blocking(
    id: &Id,
    era: Era,
    work: impl FnOnce() -> (String, bool) + Send + 'static,
) -> linkspan_session::Later {
    let id = id.clone();
    Box::pin(async move {
        let text = spawn_blocking(work).await;
        let text = text.unwrap_or_else(|_| ("internal error in linkspan".to_owned(), true));
        Envelope::new(result(&id, era, text))
    })
}

/// A call of a hidden tool becomes a call of that tool.
fn hidden(list: &ToolList, envelope: Envelope, id: &Id) -> Verdict {
    let call = &envelope.msg;
    let (name, arguments) = inner(call).unwrap_or_default();
    if list.tool(&name).is_none() {
        let msg = result(id, era_of(call), (unknown(list, &name), true));
        return Verdict::Back(Envelope { msg, ..envelope });
    }
    let msg = match judged(list, &name, arguments) {
        Judged::Wrong(errors) if !is_task(call) => {
            return refused(list, &name, &errors, envelope, id);
        }
        Judged::Repaired(meant) => called_directly(call, id, &name, Some(&meant)),
        _ => called_directly(call, id, &name, arguments.map(Json::text)),
    };
    Verdict::Pass(Envelope { msg, ..envelope })
}

/// The tool and the arguments that a call of `call_tool` names.
fn inner(call: &Message) -> Option<(String, Option<Json<'_>>)> {
    let given = call.params()?.get("arguments")?;
    let name = given.get("name")?.as_str()?.into_owned();
    Some((name, given.get("arguments")))
}

/// The call of a hidden tool without `call_tool` around it.
fn called_directly(call: &Message, id: &Id, name: &str, arguments: Option<&str>) -> Message {
    let params = Object::of(call.params())
        .with("name", &linkspan_wire::quote(name))
        .without(&["arguments"])
        .with_some("arguments", arguments);
    Message::request(id, names::TOOLS_CALL, Some(&params.text()))
}

fn judged(list: &ToolList, name: &str, arguments: Option<Json<'_>>) -> Judged {
    let judge = list.judge(name);
    judge.map_or(Judged::Fits, |judge| judge.judge(arguments))
}

/// The call with what was meant.
fn repaired(mut envelope: Envelope, meant: &str) -> Verdict {
    let arguments = envelope.msg.params().and_then(|it| it.get("arguments"));
    if let Some(arguments) = arguments {
        envelope.msg = envelope.msg.with_value(arguments, meant);
    }
    Verdict::Pass(envelope)
}

/// Whether a call asks for a task. The answer has another form then, and ours would not be understood.
fn is_task(call: &Message) -> bool {
    call.params().is_some_and(|it| it.get("task").is_some())
}

/// The full signature, in the server's place.
fn refused(list: &ToolList, name: &str, errors: &[String], envelope: Envelope, id: &Id) -> Verdict {
    let Some(tool) = list.tool(name).filter(|_| !is_task(&envelope.msg)) else {
        return Verdict::Pass(envelope);
    };
    let text = (refusal(tool, errors), true);
    let msg = result(id, era_of(&envelope.msg), text);
    Verdict::Back(Envelope { msg, ..envelope })
}
