//! The tools that stand for shortened definitions: details, search and calls of hidden tools.

use linkspan_mcp::tool_list::PREFIX;
use linkspan_schema::nearest;
use linkspan_tokens::Vocabulary;
use linkspan_wire::{Json, quote};

use crate::list::ToolList;
use crate::search::search;
use crate::signature::signature;

/// Tools that one call may ask about.
const MOST_NAMES: usize = 32;
/// Tools that a search describes, at most and without a wish, and those that it only names.
const MOST_FOUND: i64 = 20;
const FOUND: i64 = 5;
const NAMED: usize = 15;

/// A tool of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnTool {
    /// Tells what definitions leave out.
    Details,
    /// Searches hidden tools.
    Find,
    /// Calls a hidden tool.
    Call,
}

impl OwnTool {
    /// Its name, unless the server has a tool with that name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Details => "tool_details",
            Self::Find => "find_tools",
            Self::Call => "call_tool",
        }
    }

    /// The tool of ours that a name means, unless the server has a tool with that name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let plain = name.trim_start_matches(PREFIX);
        let all = [Self::Details, Self::Find, Self::Call];
        all.into_iter().find(|own| own.name() == plain)
    }
}

/// A tool of ours as it is listed.
pub(crate) fn definition(own: OwnTool, name: &str, list: &ToolList) -> String {
    let name = quote(name);
    match own {
        OwnTool::Details => format!(
            r#"{{"name":{name},"title":"Tool details","description":{},"inputSchema":{{"type":"object","properties":{{"names":{{"type":"array","items":{{"type":"string"}},"description":"Names of tools"}},"format":{{"type":"string","enum":["text","schema"],"description":"schema: as JSON Schema"}}}},"required":["names"]}},"annotations":{{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}}}"#,
            quote(
                "Returns the full descriptions and arguments of tools whose definitions are shortened in this list. A \
                 call whose arguments do not fit is not carried out and is answered with the same details."
            )
        ),
        OwnTool::Find => format!(
            r#"{{"name":{name},"title":"Find tools","description":{},"inputSchema":{{"type":"object","properties":{{"query":{{"type":"string","description":"What the tool should do, in a few words"}},"limit":{{"type":"integer","description":"How many tools to describe","default":{FOUND}}}}},"required":["query"]}},"annotations":{{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}}}"#,
            quote(&format!(
                "Finds tools among the {} of this server, which are not listed, and returns their descriptions and \
                 arguments. Call them with {}.{}",
                list.names().count(),
                list.name_of(OwnTool::Call),
                overview(list)
            ))
        ),
        OwnTool::Call => format!(
            r#"{{"name":{name},"title":"Call a tool","description":{},"inputSchema":{{"type":"object","properties":{{"name":{{"type":"string"}},"arguments":{{"type":"object","description":"As the description of the tool says","additionalProperties":true}}}},"required":["name","arguments"]}},"annotations":{}}}"#,
            quote(&format!(
                "Calls a tool by the name that {} returns.",
                list.name_of(OwnTool::Find)
            )),
            annotations(list)
        ),
    }
}

/// What the hidden tools are, as far as it fits: their names, or how many each server has.
fn overview(list: &ToolList) -> String {
    let budget = list.options().budget;
    let fits = |text: &str| Vocabulary::Estimate.count_to(text, budget).is_some();
    let names: Vec<&str> = list.names().collect();
    let names = format!(" Names: {}.", names.join(", "));
    if fits(&names) {
        return names;
    }
    let mut servers: Vec<(&str, usize)> = Vec::new();
    for name in list.names() {
        let Some((server, _)) = name.split_once("__") else {
            continue;
        };
        match servers.last_mut() {
            Some((last, count)) if *last == server => *count += 1,
            _ => servers.push((server, 1)),
        }
    }
    let servers: Vec<String> = servers
        .iter()
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    let servers = format!(" Servers: {}.", servers.join(", "));
    if servers.len() > " Servers: .".len() && fits(&servers) {
        servers
    } else {
        String::new()
    }
}

/// The annotations of the tool that calls hidden ones: those of the most dangerous of them.
fn annotations(list: &ToolList) -> String {
    let hint = |tool: Json<'_>, name: &str, default: bool| {
        let hint = tool.path(&["annotations", name]).and_then(Json::as_bool);
        hint.unwrap_or(default)
    };
    let all = |name: &str| list.tools().all(|tool| hint(tool, name, false));
    let is_read_only = all("readOnlyHint");
    let is_destructive = !is_read_only
        && list
            .tools()
            .any(|tool| !hint(tool, "readOnlyHint", false) && hint(tool, "destructiveHint", true));
    let is_open = list.tools().any(|tool| hint(tool, "openWorldHint", true));
    let is_idempotent = all("idempotentHint");
    format!(
        r#"{{"readOnlyHint":{is_read_only},"destructiveHint":{is_destructive},"idempotentHint":{is_idempotent},"openWorldHint":{is_open}}}"#
    )
}

/// What a tool of ours answers, and whether it is an error.
pub(crate) fn answer(list: &ToolList, own: OwnTool, arguments: Option<Json<'_>>) -> (String, bool) {
    let argument = |name: &str| arguments.and_then(|it| it.get(name));
    match own {
        OwnTool::Details => details(list, argument("names"), argument("format")),
        OwnTool::Find => {
            let query = argument("query").and_then(Json::as_str).unwrap_or_default();
            let limit = argument("limit").and_then(Json::as_i64).unwrap_or(FOUND);
            (find(list, &query, limit.clamp(1, MOST_FOUND)), false)
        }
        OwnTool::Call => (unknown(list, ""), true),
    }
}

fn details(list: &ToolList, names: Option<Json<'_>>, format: Option<Json<'_>>) -> (String, bool) {
    let Some(names) = names else {
        return (
            "The argument `names` is missing: an array of names of tools.".to_owned(),
            true,
        );
    };
    let as_schema = format.and_then(Json::as_str).as_deref() == Some("schema");
    // One name without an array is clear as well.
    let one = names.as_str();
    let several = names.elements().filter_map(Json::as_str);
    let mut is_error = true;
    let mut texts = Vec::new();
    for name in one.into_iter().chain(several).take(MOST_NAMES) {
        texts.push(match list.tool(&name) {
            Some(tool) => {
                is_error = false;
                if as_schema {
                    schemas(tool)
                } else {
                    signature(tool)
                }
            }
            None => unknown(list, &name),
        });
    }
    (texts.join("\n\n"), is_error)
}

/// The schemas of a tool in the spelling of its server.
fn schemas(tool: Json<'_>) -> String {
    let members = ["name", "inputSchema", "outputSchema"].into_iter();
    let members =
        members.filter_map(|key| Some(format!("{}:{}", quote(key), tool.get(key)?.text())));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn find(list: &ToolList, query: &str, limit: i64) -> String {
    let tools: Vec<Json<'_>> = list.tools().collect();
    let found = search(query, tools.iter().copied());
    if found.is_empty() {
        return "No tool was found. Try other words: names of things, and what to do with them."
            .to_owned();
    }
    let limit = usize::try_from(limit).unwrap_or(1).min(found.len());
    let (best, others) = found.split_at(limit);
    let mut texts: Vec<String> = best.iter().map(|at| signature(tools[*at])).collect();
    let names = others
        .iter()
        .take(NAMED)
        .filter_map(|at| tools[*at].get("name")?.as_str());
    let names: Vec<_> = names.collect();
    if !names.is_empty() {
        texts.push(format!("Also found: {}", names.join(", ")));
    }
    texts.join("\n\n")
}

/// There is no tool with this name.
pub(crate) fn unknown(list: &ToolList, name: &str) -> String {
    match nearest(name, list.names()) {
        Some(near) => format!(
            "There is no tool {}; the nearest name is {near}.",
            quote(name)
        ),
        None => format!("There is no tool {}.", quote(name)),
    }
}

/// The answer to a call whose arguments do not fit.
pub(crate) fn refusal(tool: Json<'_>, errors: &[String]) -> String {
    let name = tool.get("name").and_then(Json::as_str).unwrap_or_default();
    format!(
        "The arguments do not fit, so {name} was not called:\n{}\n\n{}",
        errors.join("\n"),
        signature(tool)
    )
}
