//! A file as a whole.

use std::rc::Rc;

use linkspan_wire::{Json, Syntax, without_comments};

use super::error::{ConfigError, ConfigErrors, Problem};
use super::reader::{Fields, Reader};
use super::server::Servers;
use super::settings::{self, Settings};
use super::source::Source;
use super::views::Known;
use super::{GatewayConfig, inputs};
use crate::names::Prefix;

/// Bytes of a file.
const MOST_BYTES: usize = 8 << 20;
/// The members that list the servers of other programs, in forms of their own.
const OTHERS: [&str; 4] = ["mcp", "context_servers", "mcp_servers", "extensions"];

pub(super) fn read(name: &str, text: &str) -> Result<GatewayConfig, ConfigErrors> {
    let fail = |problem, offset, plain: &str| ConfigErrors {
        name: name.to_owned(),
        errors: vec![ConfigError {
            at: Source::new(text, plain).at(offset),
            problem,
        }],
        omitted: 0,
    };
    if text.len() > MOST_BYTES {
        return Err(fail(Problem::TooLarge(MOST_BYTES), 0, ""));
    }
    let open = |offset| fail(Problem::Syntax("a comment has no end"), offset, "");
    let plain = without_comments(text).map_err(open)?;
    let json = Json::parse(&plain).map_err(|error| {
        let (problem, offset) = syntax(error, &plain);
        fail(Problem::Syntax(problem), offset, &plain)
    })?;
    let mut reader = Reader::new(Source::new(text, &plain));
    let config = config(json, &mut reader);
    reader.finish(name)?;
    Ok(config)
}

fn syntax(error: Syntax, plain: &str) -> (&'static str, usize) {
    let end = plain.trim_end().len();
    match error {
        Syntax::Unexpected(offset) if offset < end => (
            "a comma, a colon, a quote or a bracket is missing or not allowed here",
            offset,
        ),
        Syntax::TooDeep(offset) => ("it is nested too deeply", offset),
        Syntax::Utf8(offset) => ("it is not UTF-8", offset),
        _ => ("the text ends too early", end),
    }
}

fn config<'a>(json: Json<'a>, reader: &mut Reader<'a>) -> GatewayConfig {
    let mut config = GatewayConfig {
        servers: Vec::new(),
        disabled: Vec::new(),
        inputs: Vec::new(),
        settings: Settings::default(),
    };
    let Some(fields) = Fields::any("the file", json, reader) else {
        return config;
    };
    let get = |name: &str| {
        fields.get(name).map(|mut field| {
            name.clone_into(&mut field.name);
            field
        })
    };
    if let Some(field) = get("inputs") {
        config.inputs = inputs::read(&field, reader);
        let ids = config.inputs.iter().map(|input| input.id.clone());
        reader.inputs = Rc::new(ids.collect());
    }
    let mut servers = Servers::default();
    let lists = ["mcpServers", "servers"].map(get);
    if lists.iter().all(Option::is_none) {
        missing(&fields, reader);
    }
    for field in lists.iter().flatten() {
        servers.read(field, &config.inputs, reader);
    }
    if let Some(field) = get("linkspan") {
        let known = Known {
            servers: &servers,
            prefix: Prefix::default(),
        };
        config.settings = settings::read(&field, known, reader);
    }
    config.servers = servers.enabled;
    config.disabled = servers.disabled;
    config
}

/// Reports that there is no list of servers, at a member that may be meant as one.
fn missing<'a>(fields: &Fields<'a>, reader: &mut Reader<'a>) {
    let known = ["mcpServers".to_owned(), "servers".to_owned()];
    let is_meant = |name: &str| {
        OTHERS.contains(&name)
            || linkspan_schema::nearest(name, known.iter().map(String::as_str)).is_some()
    };
    let place = fields.place.clone();
    match fields.iter().find(|(name, _)| is_meant(name)) {
        Some((name, field)) => {
            let problem = Problem::Unknown {
                name: name.to_owned(),
                place,
                allowed: known.into(),
            };
            reader.report_name(field.value, problem);
        }
        None => {
            let name = "mcpServers";
            reader.report(fields.value, Problem::Missing { name, place });
        }
    }
}
