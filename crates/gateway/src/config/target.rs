//! How a server is reached: the members that clients have in common, whatever their spelling.

use super::error::Problem;
use super::reader::{Field, Fields, Reader};
use super::template::Template;
use super::{Target, Transport};

/// The values of `type`. The first two words are those of Claude Code and VS Code, others those of further clients.
const TYPES: [(&str, Type); 7] = [
    ("stdio", Type::Stdio),
    ("http", Type::Url(Transport::Http)),
    ("sse", Type::Url(Transport::Sse)),
    ("streamable-http", Type::Url(Transport::Http)),
    ("streamableHttp", Type::Url(Transport::Http)),
    ("streamable_http", Type::Url(Transport::Http)),
    ("streamable", Type::Url(Transport::Http)),
];
/// The members that have the URL: Windsurf's second, Gemini's third.
const URLS: [&str; 3] = ["url", "serverUrl", "httpUrl"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Stdio,
    Url(Transport),
}

/// Reads the target of a server; `folder` is the one of `linkspan`.
pub(super) fn read<'a>(
    fields: &Fields<'a>,
    folder: Option<Field<'a>>,
    reader: &mut Reader<'a>,
) -> Option<Target> {
    let type_of = fields.get("type").or_else(|| fields.get("transportType"));
    let kind = match &type_of {
        Some(field) => Some(field.word(&TYPES, reader)?),
        None => None,
    };
    let given = ["command"]
        .iter()
        .chain(&URLS)
        .filter_map(|name| fields.get(name).map(|field| (*name, field)));
    let given = folder
        .map(|field| ("linkspan.folder", field))
        .into_iter()
        .chain(given);
    let mut given: Vec<(&str, Field<'a>)> = given.collect();
    if let [(one, _), (other, field), ..] = given.as_slice() {
        let problem = Problem::Both {
            place: fields.place.clone(),
            one: (*one).to_owned(),
            other: (*other).to_owned(),
        };
        reader.report_name(field.at(), problem);
        return None;
    }
    let Some((name, field)) = given.pop() else {
        let name = if matches!(kind, Some(Type::Url(_))) {
            "url"
        } else {
            "command"
        };
        let place = fields.place.clone();
        reader.report(fields.value, Problem::Missing { name, place });
        return None;
    };
    let fits = matches!(
        (name, kind),
        (_, None)
            | ("command", Some(Type::Stdio))
            | ("url" | "serverUrl" | "httpUrl", Some(Type::Url(_)))
    );
    if !fits && let Some(type_of) = &type_of {
        let problem = Problem::Both {
            place: fields.place.clone(),
            one: name.to_owned(),
            other: format!("\"type\": {}", type_of.at().text()),
        };
        reader.report_name(type_of.at(), problem);
        return None;
    }
    match name {
        "command" => command(&field, fields, reader),
        "linkspan.folder" => non_empty(&field, reader).map(Target::Folder),
        _ => {
            let transport = match kind {
                Some(Type::Url(transport)) => transport,
                _ if name == "httpUrl" => Transport::Http,
                _ => Transport::Auto,
            };
            url(&field, transport, fields, reader)
        }
    }
}

fn command<'a>(
    program: &Field<'a>,
    fields: &Fields<'a>,
    reader: &mut Reader<'a>,
) -> Option<Target> {
    let program = non_empty(program, reader);
    let args = fields.get("args").map(|args| args.list(reader));
    let args = args.unwrap_or_default();
    let args: Vec<_> = args
        .iter()
        .filter_map(|arg| plain(arg, arg.scalar(reader)?, reader))
        .collect();
    let env = fields.get("env").map(|env| variables(&env, reader));
    let mut path = |name: &str| fields.get(name).and_then(|field| non_empty(&field, reader));
    Some(Target::Command {
        env_file: path("envFile"),
        cwd: path("cwd"),
        program: program?,
        args,
        env: env.unwrap_or_default(),
    })
}

fn url<'a>(
    field: &Field<'a>,
    transport: Transport,
    fields: &Fields<'a>,
    reader: &mut Reader<'a>,
) -> Option<Target> {
    let url = field.template(reader)?;
    if !may_be_url(&url) {
        reader.report(field.at(), Problem::Url(field.name.clone()));
        return None;
    }
    field.check(&url, |c| !c.is_control() && !c.is_whitespace(), reader);
    let headers = fields.get("headers");
    let headers = headers.map(|headers| pairs(&headers, is_token, is_header, reader));
    let headers = headers.unwrap_or_default();
    let mut names = std::collections::HashSet::new();
    if let Some((twice, _)) = headers
        .iter()
        .find(|(name, _)| !names.insert(name.to_ascii_lowercase()))
    {
        reader.report(fields.value, Problem::Twice(twice.clone()));
    }
    Some(Target::Url {
        url,
        transport,
        headers,
    })
}

/// Whether the text can become a URL with the scheme http or https and a host.
fn may_be_url(template: &Template) -> bool {
    let head = template.head();
    match head.split_once("://") {
        Some((scheme, rest)) => {
            let known = ["http", "https"]
                .iter()
                .any(|one| scheme.eq_ignore_ascii_case(one));
            let no_host = rest.is_empty() || rest.starts_with(['/', '?', '#']);
            known && (!no_host || rest.is_empty() && template.as_plain().is_none())
        }
        None => template.as_plain().is_none(),
    }
}

/// Whether a text is a URL with the scheme http or https and a host.
pub(super) fn is_url(text: &str) -> bool {
    may_be_url(&Template::plain(text))
        && !text.contains(|c: char| c.is_control() || c.is_whitespace())
}

/// What can be a part of the name of a header.
fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

/// What can be a part of the value of a header.
pub(super) fn is_header(c: char) -> bool {
    c == '\t' || !c.is_control()
}

/// What can be a part of an argument, a path or a variable.
pub(super) fn is_argument(c: char) -> bool {
    c != '\0'
}

fn variables<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> Vec<(String, Template)> {
    pairs(field, |c| c != '=' && c != '\0', is_argument, reader)
}

/// The members of an object as texts, whose characters have to be allowed in their names and values.
fn pairs<'a>(
    field: &Field<'a>,
    in_name: fn(char) -> bool,
    in_value: fn(char) -> bool,
    reader: &mut Reader<'a>,
) -> Vec<(String, Template)> {
    let Some(fields) = field.object(reader) else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    for (name, value) in fields.iter() {
        let wrong = name.chars().find(|c| !in_name(*c));
        if let Some(character) = wrong {
            let problem = Problem::Character {
                name: value.name.clone(),
                character,
            };
            reader.report_name(value.at(), problem);
        } else if name.is_empty() {
            let problem = Problem::Kind {
                name: value.name.clone(),
                wanted: "a member with a name",
            };
            reader.report_name(value.at(), problem);
        } else if let Some(template) = value.scalar(reader) {
            value.check(&template, in_value, reader);
            pairs.push((name.to_owned(), template));
        }
    }
    pairs
}

fn plain<'a>(field: &Field<'a>, template: Template, reader: &mut Reader<'a>) -> Option<Template> {
    field.check(&template, is_argument, reader);
    Some(template)
}

fn non_empty<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> Option<Template> {
    let template = field.template(reader)?;
    if template.as_plain() == Some("") {
        let problem = Problem::Kind {
            name: field.name.clone(),
            wanted: "a text of at least one character",
        };
        reader.report(field.at(), problem);
        return None;
    }
    plain(field, template, reader)
}
