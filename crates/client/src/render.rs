//! Tools, resources, prompts and results as text for a terminal.

use std::io::{self, Write};

use anstyle::Style;
use linkspan_wire::{Json, JsonKind, replace_unprintable};

use crate::error::on_one_line;
use crate::list::List;

const NAME: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// A tool: its name, its description and its arguments.
pub fn tool(out: &mut dyn Write, tool: Json<'_>) -> io::Result<()> {
    headline(out, &text(tool, "name"), &text(tool, "title"))?;
    paragraph(out, &text(tool, "description"))?;
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
        let about = text(property, "description");
        parameter(out, &name, &kind(property), needed, &about)?;
    }
    Ok(())
}

/// A prompt: its name, its description and its arguments.
pub fn prompt(out: &mut dyn Write, prompt: Json<'_>) -> io::Result<()> {
    headline(out, &text(prompt, "name"), &text(prompt, "title"))?;
    paragraph(out, &text(prompt, "description"))?;
    let arguments = prompt.get("arguments");
    for argument in arguments.into_iter().flat_map(Json::elements) {
        let needed = argument.get("required").and_then(Json::as_bool) == Some(true);
        let about = text(argument, "description");
        parameter(out, &text(argument, "name"), "", needed, &about)?;
    }
    Ok(())
}

/// A resource or a template of resources.
pub fn resource(out: &mut dyn Write, resource: Json<'_>) -> io::Result<()> {
    let uri = text(resource, "uri") + &text(resource, "uriTemplate");
    headline(out, &uri, &text(resource, "name"))?;
    let mime = text(resource, "mimeType");
    if !mime.is_empty() {
        writeln!(out, "    {DIM}{}{DIM:#}", on_one_line(&mime))?;
    }
    paragraph(out, &text(resource, "description"))
}

/// All that a server offers: lists of tools, resources and templates.
pub fn offered(out: &mut dyn Write, lists: &[List]) -> io::Result<()> {
    lists.iter().try_for_each(|list| {
        let render = if list.key() == "tools" {
            tool
        } else {
            resource
        };
        list.items().try_for_each(|item| render(out, item))
    })
}

/// The result of a tool call.
pub fn tool_result(out: &mut dyn Write, result: Json<'_>) -> io::Result<()> {
    let content = result.get("content");
    let mut content = content.into_iter().flat_map(Json::elements).peekable();
    if content.peek().is_none() {
        let whole = result.get("structuredContent").unwrap_or(result);
        return writeln!(out, "{}", replace_unprintable(whole.text()));
    }
    content.try_for_each(|part| block(out, part))
}

/// The contents of a resource.
pub fn contents(out: &mut dyn Write, result: Json<'_>) -> io::Result<()> {
    let contents = result.get("contents");
    for part in contents.into_iter().flat_map(Json::elements) {
        text_or_binary(out, part)?;
    }
    Ok(())
}

/// The messages of a prompt.
pub fn messages(out: &mut dyn Write, result: Json<'_>) -> io::Result<()> {
    let messages = result.get("messages");
    for message in messages.into_iter().flat_map(Json::elements) {
        let role = on_one_line(&text(message, "role"));
        writeln!(out, "{NAME}{role}:{NAME:#}")?;
        match message.get("content") {
            Some(list) if list.kind() == JsonKind::Array => {
                list.elements().try_for_each(|part| block(out, part))?;
            }
            Some(one) => block(out, one)?,
            None => {}
        }
    }
    Ok(())
}

/// One block of content.
fn block(out: &mut dyn Write, part: Json<'_>) -> io::Result<()> {
    let words = part.get("text").and_then(Json::as_str);
    match (&*text(part, "type"), words) {
        ("text", Some(words)) => writeln!(out, "{}", replace_unprintable(&words)),
        ("image" | "audio", _) => binary(out, part, "data"),
        ("resource", _) => {
            let Some(resource) = part.get("resource") else {
                return Ok(());
            };
            let uri = on_one_line(&text(resource, "uri"));
            writeln!(out, "{DIM}[{uri}]{DIM:#}")?;
            text_or_binary(out, resource)
        }
        ("resource_link", _) => writeln!(
            out,
            "{DIM}[{}]{DIM:#} {}",
            on_one_line(&text(part, "uri")),
            on_one_line(&text(part, "name"))
        ),
        _ => writeln!(out, "{}", replace_unprintable(part.text())),
    }
}

fn text_or_binary(out: &mut dyn Write, resource: Json<'_>) -> io::Result<()> {
    match resource.get("text").and_then(Json::as_str) {
        Some(text) => writeln!(out, "{}", replace_unprintable(&text)),
        None => binary(out, resource, "blob"),
    }
}

fn binary(out: &mut dyn Write, part: Json<'_>, key: &str) -> io::Result<()> {
    let mut kind = on_one_line(&text(part, "mimeType"));
    if !kind.is_empty() {
        kind.push_str(", ");
    }
    let data = part.get(key).map_or("", Json::text);
    let bytes = data.len().saturating_sub(2) / 4 * 3;
    writeln!(
        out,
        "{DIM}[{kind}about {bytes} bytes; --json shows them as base64]{DIM:#}"
    )
}

fn headline(out: &mut dyn Write, name: &str, title: &str) -> io::Result<()> {
    let (name, title) = (on_one_line(name), on_one_line(title));
    if title.is_empty() || title == name {
        writeln!(out, "{NAME}{name}{NAME:#}")
    } else {
        writeln!(out, "{NAME}{name}{NAME:#}  {DIM}{title}{DIM:#}")
    }
}

fn paragraph(out: &mut dyn Write, words: &str) -> io::Result<()> {
    for line in replace_unprintable(words).lines() {
        writeln!(out, "{}", format!("    {line}").trim_end())?;
    }
    Ok(())
}

fn parameter(
    out: &mut dyn Write,
    name: &str,
    kind: &str,
    required: bool,
    about: &str,
) -> io::Result<()> {
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
    writeln!(out, "{line}")
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

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(render: fn(&mut dyn Write, Json<'_>) -> io::Result<()>, json: &str) -> String {
        let mut out = Vec::new();
        render(&mut out, Json::parse(json).unwrap()).unwrap();
        let text = String::from_utf8(out).unwrap();
        ["\x1b[0m", "\x1b[1m", "\x1b[2m"]
            .iter()
            .fold(text, |text, code| text.replace(code, ""))
    }

    #[test]
    fn a_tool_has_a_line_for_each_argument() {
        let tool = r#"{"name":"greet","title":"Greeting","description":"Says hi.\nTwice.","inputSchema":{"properties":{"name":{"type":"string","description":"who\nmore"},"n":{"type":["integer","null"]},"x":{}},"required":["name"]}}"#;
        assert_eq!(
            plain(super::tool, tool),
            "greet  Greeting\n    Says hi.\n    Twice.\n      name string required  who\n      n integer|null\n      x any\n"
        );
    }

    #[test]
    fn a_result_without_content_is_shown_as_json() {
        assert_eq!(
            plain(
                tool_result,
                r#"{"content":[{"type":"text","text":"hi"}],"structuredContent":{}}"#
            ),
            "hi\n"
        );
        assert_eq!(
            plain(tool_result, r#"{"content":[],"structuredContent":{"a":1}}"#),
            "{\"a\":1}\n"
        );
        assert_eq!(plain(tool_result, r#"{"a":1}"#), "{\"a\":1}\n");
    }

    #[test]
    fn control_characters_of_a_server_are_not_written() {
        let resource = r#"{"uri":"a\u001b[2Jb","mimeType":"x\ny","description":"\u0007"}"#;
        let text = plain(super::resource, resource);
        assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
        assert_eq!(text.lines().count(), 3, "{text:?}");
    }

    #[test]
    fn binary_content_is_summarised() {
        assert_eq!(
            plain(
                contents,
                r#"{"contents":[{"mimeType":"image/png","blob":"AAAAAAAA"}]}"#
            ),
            "[image/png, about 6 bytes; --json shows them as base64]\n"
        );
    }
}
