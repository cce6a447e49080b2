//! A proxy that forwards everything, in its dialect and under ids of its own.

use std::collections::HashMap;
use std::io::{BufRead, Write};

use super::spelling::{member, message, replaced, string};
use super::tools::{Act, Tools};

/// D0 to D5: how a component learns that it is a proxy, and the envelope around messages of its successor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Draft,
    Symposium,
    Underscore,
    Current,
}

/// Requests that give an agent its MCP servers.
const SETUP: [&str; 4] = [
    "session/new",
    "session/load",
    "session/resume",
    "session/fork",
];

/// A request that was forwarded under one of our ids.
struct Asked {
    /// The asker's id as written.
    id: String,
    /// The id inside the asker's envelope (D0).
    inner: Option<String>,
    /// Whether the asker is the predecessor.
    from_above: bool,
    /// Whether the answer must say that we are a proxy (D1, D0).
    echo: bool,
}

struct Pass {
    dialect: Dialect,
    /// Refuses an unknown first request, instead of forwarding it.
    refuses: bool,
    asked: HashMap<String, Asked>,
    count: u64,
    /// An MCP server of ours.
    tools: Option<Tools>,
}

/// Passes on until stdin ends; with a name it provides an MCP server of that name too.
pub fn run(dialect: &str, refuses: bool, server: Option<&str>) {
    let tools = server.map(|name| Tools::new(dialect, name));
    let dialect = match dialect {
        "D0" => Dialect::Draft,
        "D1" => Dialect::Symposium,
        "D2" | "D3" | "D4" => Dialect::Underscore,
        "D5" => Dialect::Current,
        other => panic!("there is no dialect {other}"),
    };
    let mut pass = Pass {
        dialect,
        refuses,
        asked: HashMap::new(),
        count: 0,
        tools,
    };
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        pass.take(&line);
    }
}

fn out(line: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(format!("{line}\n").as_bytes());
    let _ = stdout.flush();
}

impl Pass {
    fn take(&mut self, line: &str) {
        let Some(method) = string(line, "method") else {
            return self.answer(line);
        };
        let params = member(line, "params");
        let id = member(line, "id");
        if method == "$/cancel_request" {
            return self.cancel(params.expect("a cancellation names a request"));
        }
        if let Some(inside) = self.inside(&method, params) {
            let inner = (string(inside, "method"), member(inside, "params"));
            if let (Some(tools), (Some(method), Some(params))) = (&mut self.tools, inner)
                && let Some(acts) = tools.take(id, &method, params)
            {
                return self.act(acts);
            }
            // A message of the successor: it is forwarded up without its envelope.
            let inner = match self.dialect {
                Dialect::Draft => member(inside, "id").map(str::to_owned),
                _ => None,
            };
            let new = id.map(|id| self.ask(id, inner, false, false));
            let method = member(inside, "method").expect("an envelope has a method");
            return out(&message(new.as_deref(), method, member(inside, "params")));
        }
        let begins = self.is_beginning(&method, params);
        if !begins && self.refuses && method.ends_with("proxy/initialize") {
            let id = id.expect("a beginning is a request");
            return out(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
            ));
        }
        let with_server = match (&self.tools, params) {
            (Some(tools), Some(params)) if SETUP.contains(&&*method) => {
                Some(tools.declared(params))
            }
            _ => None,
        };
        let params = with_server.as_deref().or(params);
        let echo = begins && matches!(self.dialect, Dialect::Symposium | Dialect::Draft);
        let new = id.map(|id| self.ask(id, None, true, echo));
        let spelled = if begins {
            "\"initialize\""
        } else {
            member(line, "method").expect("it has one")
        };
        out(&self.enveloped(new.as_deref(), spelled, params));
    }

    fn is_beginning(&self, method: &str, params: Option<&str>) -> bool {
        match self.dialect {
            Dialect::Current => method == "proxy/initialize",
            Dialect::Underscore => method == "_proxy/initialize",
            Dialect::Symposium | Dialect::Draft => {
                let told =
                    params.is_some_and(|params| params.contains(r#""symposium":{"proxy":true"#));
                method == "initialize" && told
            }
        }
    }

    /// The message in an envelope of our dialect.
    fn inside<'a>(&self, method: &str, params: Option<&'a str>) -> Option<&'a str> {
        let is_ours = match self.dialect {
            Dialect::Current => method == "proxy/successor",
            Dialect::Underscore => method == "_proxy/successor",
            Dialect::Symposium => method.starts_with("_proxy/successor/"),
            Dialect::Draft => method.starts_with("_proxy/successor/receive/"),
        };
        let params = params.filter(|_| is_ours)?;
        match self.dialect {
            Dialect::Draft => member(params, "message"),
            _ => Some(params),
        }
    }

    fn enveloped(&self, id: Option<&str>, method: &str, params: Option<&str>) -> String {
        let kind = if id.is_some() {
            "request"
        } else {
            "notification"
        };
        let name = match self.dialect {
            Dialect::Current => "\"proxy/successor\"".to_owned(),
            Dialect::Underscore => "\"_proxy/successor\"".to_owned(),
            Dialect::Symposium => format!("\"_proxy/successor/{kind}\""),
            Dialect::Draft => format!("\"_proxy/successor/send/{kind}\""),
        };
        let inside = match self.dialect {
            Dialect::Draft => {
                let inner = id.map(inner_id);
                format!(
                    r#"{{"message":{}}}"#,
                    message(inner.as_deref(), method, params)
                )
            }
            _ => {
                let params = params.map_or_else(String::new, |text| format!(r#","params":{text}"#));
                format!(r#"{{"method":{method}{params}}}"#)
            }
        };
        message(id, &name, Some(&inside))
    }

    /// A new id for a request, and what is needed to answer it.
    fn ask(&mut self, id: &str, inner: Option<String>, from_above: bool, echo: bool) -> String {
        self.count += 1;
        let new = format!("\"pass-{}-{}\"", std::process::id(), self.count);
        let asked = Asked {
            id: id.to_owned(),
            inner,
            from_above,
            echo,
        };
        self.asked.insert(new.clone(), asked);
        new
    }

    fn act(&self, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Say(line) => out(&line),
                Act::Down(id, method, params) => {
                    out(&self.enveloped(id.as_deref(), &method, Some(&params)));
                }
            }
        }
    }

    fn answer(&mut self, line: &str) {
        let id = member(line, "id").expect("an answer has an id");
        if let Some(tools) = &mut self.tools
            && id.starts_with("\"tools-")
        {
            let acts = tools.answered(line);
            return self.act(acts);
        }
        let Some(asked) = self.asked.remove(id) else {
            panic!("an answer to what was never asked: {line}");
        };
        let mut text = if self.dialect == Dialect::Draft && asked.from_above {
            // A request in an envelope gets its answer in one.
            let whole = member(line, "result").and_then(|result| member(result, "message"));
            let whole = whole.unwrap_or_else(|| panic!("no message in {line}"));
            assert_eq!(member(whole, "id"), Some(&*inner_id(id)), "{line}");
            replaced(whole, member(whole, "id").expect("just seen"), &asked.id)
        } else {
            replaced(line, id, &asked.id)
        };
        if asked.echo && member(&text, "result").is_some() {
            text = with_echo(&text);
        }
        match asked.inner {
            None => out(&text),
            Some(inner) => {
                let whole = replaced(&text, member(&text, "id").expect("it has one"), &inner);
                out(&format!(
                    r#"{{"jsonrpc":"2.0","id":{},"result":{{"message":{whole}}}}}"#,
                    asked.id
                ));
            }
        }
    }

    /// Cancels the forwarded request: plainly since 5.0, and in an envelope before.
    fn cancel(&mut self, params: &str) {
        let id = member(params, "requestId").expect("a cancellation names a request");
        if let Some(acts) = self.tools.as_mut().and_then(|tools| tools.cancelled(id)) {
            return self.act(acts);
        }
        let found = self.asked.iter().find(|(_, asked)| asked.id == id);
        let Some((new, asked)) = found else { return };
        let params = replaced(params, id, new);
        let name = "\"$/cancel_request\"";
        out(&match (self.dialect, asked.from_above) {
            (Dialect::Current, _) | (_, false) => message(None, name, Some(&params)),
            (_, true) => self.enveloped(None, name, Some(&params)),
        });
    }
}

/// The id inside an envelope of the draft differs from the one outside.
fn inner_id(id: &str) -> String {
    format!("\"inner {}\"", id.trim_matches('"'))
}

/// Adds the proxy capability to an answer to `initialize`; nothing else changes.
fn with_echo(answer: &str) -> String {
    let result = member(answer, "result").expect("it is a result");
    let caps = member(result, "agentCapabilities").expect("agents say what they can");
    let rest = caps.trim_start_matches('{').trim_start();
    let comma = if rest == "}" { "" } else { "," };
    let told = format!(r#"{{"_meta":{{"symposium":{{"proxy":true}}}}{comma}{rest}"#);
    let told = replaced(result, caps, &told);
    replaced(answer, result, &told)
}
