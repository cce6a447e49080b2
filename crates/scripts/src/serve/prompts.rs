//! `prompts/get`

use linkspan_local::{Call, Params};
use linkspan_wire::{Json, JsonKind, RpcError, quote};
use serde_json::{Map, Value};

use super::connection::Connection;
use super::jobs::{RunRequest, find, meta, object};
use crate::folder::{Prompt, PromptBody, Role};
use crate::run::argv::next_name;
use crate::run::capture::Printed;
use crate::run::result::{ended_with, reason, without_newline};
use crate::run::{Ended, Outcome, on_one_line};

impl Connection {
    pub(super) async fn get_prompt(
        &self,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        let name = params.text("name")?;
        let snapshot = self.folder.snapshot();
        let prompt = find(&snapshot.catalogue.prompts, |prompt| prompt.name == *name);
        let prompt =
            prompt.ok_or_else(|| RpcError::invalid_params(format!("unknown prompt: {name}")))?;
        let given = params.object("arguments")?;
        let mut arguments = given.map_or(Ok(Map::new()), object)?;
        complete(prompt, &mut arguments)?;
        let messages = match &prompt.body {
            PromptBody::Messages(messages) => rendered(messages, &arguments),
            PromptBody::Run(program) => {
                let all = Value::Object(arguments.clone()).to_string();
                let request = RunRequest {
                    name: &prompt.name,
                    program,
                    run: &prompt.run,
                    spelled: &all,
                    further: Vec::new(),
                    env: Vec::new(),
                    meta: meta(params),
                };
                let outcome = self.perform(request, call).await?;
                let text = printed(&prompt.name, &outcome)?;
                match whole(&prompt.name, text)? {
                    Some(result) => return Ok(result),
                    None => rendered(&[(Role::User, text.to_owned())], &Map::new()),
                }
            }
        };
        let description = prompt
            .shown
            .get("description")
            .map_or_else(String::new, |about| format!(r#""description":{about},"#));
        Ok(format!(r#"{{{description}"messages":[{messages}]}}"#))
    }
}

/// Inserts defaults, and refuses missing arguments and those that are not strings.
fn complete(prompt: &Prompt, arguments: &mut Map<String, Value>) -> Result<(), RpcError> {
    if let Some((name, _)) = arguments.iter().find(|(_, value)| !value.is_string()) {
        let why = format!("the argument `{name}` must be a string");
        return Err(RpcError::invalid_params(why));
    }
    for argument in &prompt.arguments {
        if arguments.contains_key(&argument.name) {
            continue;
        }
        match &argument.default {
            Some(default) => {
                arguments.insert(argument.name.clone(), default.clone().into());
            }
            None if argument.required => {
                let why = format!("the argument `{}` is missing", argument.name);
                return Err(RpcError::invalid_params(why));
            }
            None => {}
        }
    }
    Ok(())
}

fn rendered(messages: &[(Role, String)], arguments: &Map<String, Value>) -> String {
    let shown = messages.iter().map(|(role, text)| {
        let role = match role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let text = quote(&filled(text, arguments));
        format!(r#"{{"role":"{role}","content":{{"type":"text","text":{text}}}}}"#)
    });
    shown.collect::<Vec<_>>().join(",")
}

/// Replaces placeholders in one pass, so values are not expanded again. A missing argument is empty.
fn filled(text: &str, arguments: &Map<String, Value>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, name, after)) = next_name(rest) {
        out.push_str(before);
        let value = arguments.get(name).and_then(Value::as_str);
        out.push_str(value.unwrap_or_default());
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A complete result that the program wrote. It is validated, because clients rely on its form.
fn whole(name: &str, text: &str) -> Result<Option<String>, RpcError> {
    let Ok(json) = Json::parse(text) else {
        return Ok(None);
    };
    let messages = json.get("messages");
    let Some(messages) = messages.filter(|all| all.kind() == JsonKind::Array) else {
        return Ok(None);
    };
    match messages.elements().position(|one| !is_message(one)) {
        None => Ok(Some(on_one_line(json.text()).into_owned())),
        Some(at) => Err(RpcError::internal(format!(
            "`{name}` failed: it printed `messages` whose entry {} is not a message: it needs a `role` (user or assistant) and a `content` with a `type`",
            at + 1
        ))),
    }
}

fn is_message(one: Json<'_>) -> bool {
    let role = one.get("role").and_then(Json::as_str);
    let kind = one.path(&["content", "type"]);
    matches!(role.as_deref(), Some("user" | "assistant"))
        && kind.is_some_and(|kind| kind.kind() == JsonKind::String)
}

/// The output of a program that is not a tool, or the error.
pub(super) fn printed<'a>(name: &str, outcome: &'a Outcome) -> Result<&'a str, RpcError> {
    let failed = |why: String| RpcError::internal(format!("`{name}` failed: {why}"));
    match (&outcome.stdout, outcome.ended) {
        (_, Ended::TimedOut(limit)) => Err(failed(format!("it took more than {:?}", limit))),
        (Printed::Large(large), _) => Err(failed(format!("it printed {} bytes", large.size))),
        (_, Ended::Flooded) => Err(failed("it printed without end".to_owned())),
        (Printed::Whole(bytes), Ended::Code(0)) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(without_newline(text)),
            Err(e) => Err(failed(format!(
                "it printed no text: invalid UTF-8 at byte {}",
                e.valid_up_to()
            ))),
        },
        (_, Ended::Code(code)) => Err(failed(
            reason(&outcome.stderr).unwrap_or_else(|| ended_with(code)),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_not_expanded_again() {
        let given = json!({"a": "{{b}}", "b": "no", "n": "two\nlines \\n"});
        let given = given.as_object().unwrap();
        assert_eq!(
            filled("{{a}} {{ b }} {{c}}! {{n}}", given),
            "{{b}} no ! two\nlines \\n"
        );
        assert_eq!(filled("${a} {a} {{}}", given), "${a} {a} {{}}");
    }

    #[test]
    fn invalid_messages_are_an_error_of_the_program() {
        let good = r#"{"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}"#;
        assert_eq!(whole("p", good).unwrap().as_deref(), Some(good));
        assert_eq!(whole("p", "just text").unwrap(), None);
        assert_eq!(whole("p", r#"{"messages":"no list"}"#).unwrap(), None);
        for bad in [
            "1",
            r#"{"role":"system","content":{"type":"text","text":"x"}}"#,
            r#"{"role":"user","content":"x"}"#,
            r#"{"role":"user"}"#,
        ] {
            let why = whole("p", &format!(r#"{{"messages":[{bad}]}}"#)).unwrap_err();
            assert!(why.message().contains("entry 1 is not a message"), "{bad}");
        }
    }
}
