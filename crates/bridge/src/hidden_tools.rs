//! Hides tools of a server: they are in no list, and calls of them are refused.

use std::collections::HashSet;
use std::time::Instant;

use linkspan_mcp::names;
use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::{Id, Json, Kind, Message, RpcError};

use crate::layers::{LayerFactory, SessionInfo};

/// Lists in flight whose answers are remembered; the answers of further ones are looked at by their form.
const MOST_LISTS: usize = 1024;

/// Makes the layers that hide the tools whose names match one of these patterns. `*` stands for any text; case is
/// ignored.
#[derive(Debug, Clone, Default)]
pub struct HiddenTools(Vec<String>);

impl HiddenTools {
    /// Hides tools with these names or patterns.
    pub fn new(patterns: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let patterns = patterns.into_iter();
        Self(patterns.map(|it| it.as_ref().to_lowercase()).collect())
    }

    /// Whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn hides(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.0.iter().any(|pattern| matches(pattern, &name))
    }

    /// The list without the hidden tools; `None` if it has none of them.
    fn shown(&self, answer: &Message) -> Option<Message> {
        let tools = answer.body()?.get("tools")?;
        let is_shown = |tool: &Json<'_>| {
            let name = tool.get("name").and_then(Json::as_str);
            !name.is_some_and(|name| self.hides(&name))
        };
        let all: Vec<Json<'_>> = tools.elements().collect();
        let shown: Vec<&str> = (all.iter().copied())
            .filter(is_shown)
            .map(Json::text)
            .collect();
        (shown.len() < all.len())
            .then(|| answer.with_value(tools, &format!("[{}]", shown.join(","))))
    }
}

impl LayerFactory for HiddenTools {
    fn layer(&self, _: SessionInfo<'_>) -> Box<dyn Layer> {
        Box::new(Hiding {
            tools: self.clone(),
            lists: HashSet::new(),
        })
    }
}

struct Hiding {
    tools: HiddenTools,
    /// The lists in flight.
    lists: HashSet<Id>,
}

impl Layer for Hiding {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        let msg = &envelope.msg;
        match (way, msg.kind()) {
            (Way::ToBack, Kind::Request | Kind::Notification) => {
                let method = msg.method();
                if method == names::TOOLS_LIST
                    && self.lists.len() < MOST_LISTS
                    && let Some(id) = msg.id()
                {
                    self.lists.insert(id);
                }
                if method != names::TOOLS_CALL {
                    return Verdict::Pass(envelope);
                }
                // A server may take either of two members with one name.
                let params = msg.params().into_iter().flat_map(Json::members);
                let mut called = params.filter(|(name, _)| name.eq_ignore_ascii_case("name"));
                let hidden = called.find_map(|(_, value)| {
                    let name = value.as_str()?;
                    self.tools.hides(&name).then(|| name.into_owned())
                });
                match (hidden, msg.id()) {
                    (None, _) => Verdict::Pass(envelope),
                    (Some(_), None) => Verdict::Drop,
                    (Some(name), Some(id)) => {
                        let why = format!("Tool \"{name}\" is not available");
                        let msg = RpcError::internal(why).answer(&id);
                        Verdict::Back(Envelope { msg, ..envelope })
                    }
                }
            }
            (Way::ToFront, Kind::Result | Kind::Error) => {
                let is_list = msg.id().is_some_and(|id| self.lists.remove(&id))
                    || self.lists.len() >= MOST_LISTS;
                let shown = is_list.then(|| self.tools.shown(msg)).flatten();
                Verdict::Pass(match shown {
                    Some(msg) => Envelope { msg, ..envelope },
                    None => envelope,
                })
            }
            _ => Verdict::Pass(envelope),
        }
    }
}

/// Whether a text matches a pattern with `*`. Only the last `*` is ever gone back to, so that the steps are at most the
/// product of both lengths.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_names_with_stars_in_any_case() {
        for (pattern, name, fits) in [
            ("delete*", "deleteTask", true),
            ("*account", "getAccount", true),
            ("exactTool", "exacttool", true),
            ("exactTool", "exactTool2", false),
            ("*", "", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("a.b", "axb", false),
        ] {
            let hidden = HiddenTools::new([pattern]).hides(name);
            assert_eq!(hidden, fits, "{pattern} {name}");
        }
    }

    fn session(patterns: &[&str]) -> Hiding {
        Hiding {
            tools: HiddenTools::new(patterns),
            lists: HashSet::new(),
        }
    }

    fn on(layer: &mut Hiding, way: Way, text: &'static str) -> Verdict {
        let msg = Message::parse(text.into()).unwrap();
        layer.on(way, Envelope::new(msg), Instant::now())
    }

    fn text(verdict: Verdict) -> String {
        match verdict {
            Verdict::Pass(envelope) => envelope.msg.text(),
            Verdict::Back(envelope) => format!("back: {}", envelope.msg.text()),
            _ => "other".to_owned(),
        }
    }

    #[test]
    fn hidden_tools_are_in_no_list_and_the_others_keep_their_bytes() {
        let mut layer = session(&["delete*"]);
        let list = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#;
        on(&mut layer, Way::ToBack, list);
        let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"delete_all"},{"name":"read", "n":18446744073709551616}],"nextCursor":"c"}}"#;
        assert_eq!(
            text(on(&mut layer, Way::ToFront, answer)),
            r#"{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"read", "n":18446744073709551616}],"nextCursor":"c"}}"#
        );
        // The answer of another request may have the same form.
        assert_eq!(text(on(&mut layer, Way::ToFront, answer)), answer);
    }

    #[test]
    fn calls_of_hidden_tools_do_not_reach_the_server() {
        let mut layer = session(&["delete*"]);
        for call in [
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"DELETE_all"}}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"n\u0061me":"delete_all"}}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","name":"delete_all"}}"#,
        ] {
            let refused = text(on(&mut layer, Way::ToBack, call));
            assert!(refused.starts_with("back: "), "{refused}");
            assert!(refused.contains("is not available"), "{refused}");
        }
        let other = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"read"}}"#;
        assert_eq!(text(on(&mut layer, Way::ToBack, other)), other);
    }
}
