//! What a person sees of tools, resources, prompts and results.

mod printing;
mod shell;

use std::io::{self, IsTerminal, Write};

use anstyle::Style;
use linkspan_wire::{Json, JsonKind, escape_json};

pub(crate) use crate::harmless::{clean, indented, on_one_line, path};
pub(crate) use printing::{cannot_print, note, printed};
pub(crate) use shell::{command_line, shown_line};

const NAME: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Prints to stdout. Whether that worked is asked once, at the end: [`printed`].
macro_rules! say {
    ($($arg:tt)*) => {{
        use std::io::Write;
        $crate::show::note(writeln!(anstream::stdout(), $($arg)*));
    }};
}
pub(crate) use say;

/// Prints JSON exactly as it came, for programs. On a terminal the characters that would drive it are
/// written as `\uXXXX`, which is the same value.
pub(crate) fn raw(json: &str) {
    let shown = if io::stdout().is_terminal() {
        escape_json(json)
    } else {
        json.into()
    };
    note(writeln!(io::stdout(), "{shown}"));
}

/// A tool: its name, what it does, what it takes.
pub(crate) fn tool(tool: Json<'_>) {
    headline(text(tool, "name"), text(tool, "title"));
    paragraph(&text(tool, "description"));
    let schema = tool.get("inputSchema");
    let required: Vec<String> = schema
        .and_then(|s| s.get("required"))
        .into_iter()
        .flat_map(Json::elements)
        .filter_map(|name| Some(name.as_str()?.into_owned()))
        .collect();
    let properties = schema.and_then(|s| s.get("properties"));
    for (name, property) in properties.into_iter().flat_map(Json::members) {
        let needed = required.iter().any(|r| *r == name);
        parameter(
            &name,
            &kind(property),
            needed,
            &text(property, "description"),
        );
    }
}

/// A prompt: its name, what it does, what it takes.
pub(crate) fn prompt(prompt: Json<'_>) {
    headline(text(prompt, "name"), text(prompt, "title"));
    paragraph(&text(prompt, "description"));
    let arguments = prompt.get("arguments");
    for argument in arguments.into_iter().flat_map(Json::elements) {
        let needed = argument.get("required").and_then(Json::as_bool) == Some(true);
        let about = text(argument, "description");
        parameter(&text(argument, "name"), "", needed, &about);
    }
}

/// A resource or a template of resources.
pub(crate) fn resource(resource: Json<'_>) {
    let uri = text(resource, "uri") + &text(resource, "uriTemplate");
    headline(uri, text(resource, "name"));
    let mime = text(resource, "mimeType");
    if !mime.is_empty() {
        say!("    {DIM}{}{DIM:#}", on_one_line(&mime));
    }
    paragraph(&text(resource, "description"));
}

/// What a tool gave back.
pub(crate) fn tool_result(result: Json<'_>) {
    let content = result.get("content");
    let mut shown = false;
    for part in content.into_iter().flat_map(Json::elements) {
        block(part);
        shown = true;
    }
    if let (false, Some(structured)) = (shown, result.get("structuredContent")) {
        say!("{}", clean(structured.text()));
        shown = true;
    }
    if !shown {
        say!("{}", clean(result.text()));
    }
}

/// What a resource holds.
pub(crate) fn contents(result: Json<'_>) {
    let contents = result.get("contents");
    for part in contents.into_iter().flat_map(Json::elements) {
        match part.get("text").and_then(Json::as_str) {
            Some(text) => say!("{}", clean(&text)),
            None => binary(part, "blob"),
        }
    }
}

/// The messages of a prompt.
pub(crate) fn messages(result: Json<'_>) {
    let messages = result.get("messages");
    for message in messages.into_iter().flat_map(Json::elements) {
        say!("{NAME}{}:{NAME:#}", on_one_line(&text(message, "role")));
        let content = message.get("content");
        match content.map(Json::kind) {
            Some(JsonKind::Array) => content.into_iter().flat_map(Json::elements).for_each(block),
            _ => content.into_iter().for_each(block),
        }
    }
}

/// One block of content.
fn block(part: Json<'_>) {
    let words = part.get("text").and_then(Json::as_str);
    match (&*text(part, "type"), words) {
        ("text", Some(words)) => say!("{}", clean(&words)),
        ("image" | "audio", _) => binary(part, "data"),
        ("resource", _) => {
            if let Some(resource) = part.get("resource") {
                say!("{DIM}[{}]{DIM:#}", on_one_line(&text(resource, "uri")));
                match resource.get("text").and_then(Json::as_str) {
                    Some(words) => say!("{}", clean(&words)),
                    None => binary(resource, "blob"),
                }
            }
        }
        ("resource_link", _) => say!(
            "{DIM}[{}]{DIM:#} {}",
            on_one_line(&text(part, "uri")),
            on_one_line(&text(part, "name"))
        ),
        _ => say!("{}", clean(part.text())),
    }
}

fn binary(part: Json<'_>, key: &str) {
    let mut kind = on_one_line(&text(part, "mimeType"));
    if !kind.is_empty() {
        kind.push_str(", ");
    }
    let data = part.get(key).map_or("", Json::text);
    let bytes = data.len().saturating_sub(2) / 4 * 3;
    say!("{DIM}[{kind}about {bytes} bytes; --json shows them as base64]{DIM:#}");
}

fn headline(name: String, title: String) {
    let (name, title) = (on_one_line(&name), on_one_line(&title));
    if title.is_empty() || title == name {
        say!("{NAME}{name}{NAME:#}");
    } else {
        say!("{NAME}{name}{NAME:#}  {DIM}{title}{DIM:#}");
    }
}

fn paragraph(words: &str) {
    for line in clean(words).lines() {
        say!("{}", format!("    {line}").trim_end());
    }
}

fn parameter(name: &str, kind: &str, required: bool, about: &str) {
    let about = on_one_line(about.lines().next().unwrap_or_default().trim_end());
    let facts = [kind, if required { "required" } else { "" }];
    let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    let mut line = format!("      {}", on_one_line(name));
    if !facts.is_empty() {
        line += &format!(" {DIM}{}{DIM:#}", facts.join(" "));
    }
    if !about.is_empty() {
        line += &format!("  {about}");
    }
    say!("{line}");
}

fn kind(property: Json<'_>) -> String {
    match property.get("type") {
        Some(kind) if kind.kind() == JsonKind::Array => kind
            .elements()
            .filter_map(|k| Some(on_one_line(&k.as_str()?)))
            .collect::<Vec<_>>()
            .join("|"),
        Some(kind) => on_one_line(&kind.as_str().unwrap_or_default()),
        None => "any".to_owned(),
    }
}

fn text(json: Json<'_>, key: &str) -> String {
    json.get(key)
        .and_then(Json::as_str)
        .unwrap_or_default()
        .into_owned()
}
