//! `views`: parts of what the servers have, and the patterns and names that rules have as well.

use super::error::Problem;
use super::reader::{Field, Fields, Reader};
use super::server::Servers;
use super::settings;
use crate::alias::Alias;
use crate::glob::Glob;
use crate::names::{Prefix, SEPARATOR};
use crate::policy::{Named, View};

const VIEW: [&str; 8] = [
    "servers", "allow", "deny", "readOnly", "tools", "budget", "keys", "claim",
];
/// Characters of the name of a view.
const LONGEST_NAME: usize = 64;

/// What patterns and names are compared with.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) servers: &'k Servers,
    pub(super) prefix: Prefix,
}

pub(super) fn read<'a>(
    field: Option<Field<'a>>,
    known: Known<'_>,
    reader: &mut Reader<'a>,
) -> Vec<View> {
    let Some(views) = field.and_then(|field| field.object(reader)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, field) in views.iter() {
        // It is a part of a path.
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_~".contains(c);
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_name) {
            let problem = Problem::Kind {
                name: field.name.clone(),
                wanted: "a name of 1 to 64 letters, digits, -, _ and ~",
            };
            reader.report_name(field.at(), problem);
        }
        if let Some(fields) = field.only(&VIEW, reader) {
            found.push(view(name, &fields, known, reader));
        }
    }
    found
}

fn view<'a>(name: &str, fields: &Fields<'a>, known: Known<'_>, reader: &mut Reader<'a>) -> View {
    let mut globs = |name: &str| {
        fields
            .get(name)
            .map(|field| patterns(&field, known, reader))
    };
    let (allow, deny) = (globs("allow"), globs("deny"));
    let senders = (fields.get("keys").is_some() || fields.get("claim").is_some())
        .then(|| named(fields, reader));
    View {
        name: name.to_owned(),
        servers: fields
            .get("servers")
            .map(|field| servers(&field, known, reader)),
        allow,
        deny: deny.unwrap_or_default(),
        read_only: fields
            .get("readOnly")
            .and_then(|one| one.flag(reader))
            .unwrap_or_default(),
        tools: fields
            .get("tools")
            .and_then(|one| settings::level(&one, reader)),
        budget: fields
            .get("budget")
            .and_then(|one| settings::budget(&one, reader)),
        senders,
    }
}

/// `keys` and `claim`.
pub(super) fn named<'a>(fields: &Fields<'a>, reader: &mut Reader<'a>) -> Named {
    let keys = fields.get("keys").map(|keys| globs(&keys, reader));
    let claims = fields.get("claim").and_then(|claim| claim.object(reader));
    let claims = claims.map(|claims| {
        let claims = claims
            .iter()
            .map(|(name, values)| (name.to_owned(), globs(&values, reader)));
        claims.collect()
    });
    Named {
        keys: keys.unwrap_or_default(),
        claims: claims.unwrap_or_default(),
    }
}

/// One pattern or more.
pub(super) fn globs<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> Vec<Glob> {
    let elements = field.one_or_more(reader);
    let texts = elements.iter().filter_map(|element| element.text(reader));
    texts.map(|text| Glob::new(&text)).collect()
}

/// One pattern for names or more. A pattern that fits no name is a mistake: a rule that denies would not deny.
pub(super) fn patterns<'a>(
    field: &Field<'a>,
    known: Known<'_>,
    reader: &mut Reader<'a>,
) -> Vec<Glob> {
    let mut patterns = Vec::new();
    for element in field.one_or_more(reader) {
        let Some(pattern) = element.text(reader) else {
            continue;
        };
        if !reader.has_room(&element) {
            break;
        }
        if fits_no_name(&pattern, known) {
            reader.report_with(element.at(), || {
                let mut aliases: Vec<_> = known.servers.aliases().map(Alias::to_string).collect();
                aliases.sort();
                Problem::Pattern { pattern, aliases }
            });
            continue;
        }
        patterns.push(Glob::new(&pattern));
    }
    patterns
}

/// Whether a pattern has another beginning than all names, which begin with the alias of a server and a separator.
fn fits_no_name(pattern: &str, known: Known<'_>) -> bool {
    let literal = pattern.split(['*', '?']).next().unwrap_or_default();
    let is_open = literal.len() < pattern.len();
    let fits = |alias: &Alias| match literal.strip_prefix(alias.as_str()) {
        Some(rest) => rest.starts_with(SEPARATOR) || is_open && SEPARATOR.starts_with(rest),
        None => is_open && alias.as_str().starts_with(literal),
    };
    let mut aliases = known.servers.aliases().peekable();
    known.prefix == Prefix::Always && aliases.peek().is_some() && !aliases.any(fits)
}

/// One server or more, by key or alias.
pub(super) fn servers<'a>(
    field: &Field<'a>,
    known: Known<'_>,
    reader: &mut Reader<'a>,
) -> Vec<Alias> {
    let mut found = Vec::new();
    for element in field.one_or_more(reader) {
        let Some(name) = element.text(reader) else {
            continue;
        };
        match known.servers.find(&name) {
            Some(alias) => found.extend(alias),
            None => reader.report_with(element.at(), || Problem::Word {
                name: field.name.clone(),
                found: name,
                allowed: known.servers.names(),
            }),
        }
    }
    found
}
