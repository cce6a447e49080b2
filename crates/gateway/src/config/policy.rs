//! `views` and `rules`.

use std::time::Duration;

use super::error::Problem;
use super::reader::{Field, Fields, Reader};
use super::server::Servers;
use super::settings;
use crate::alias::Alias;
use crate::glob::Glob;
use crate::names::{Prefix, SEPARATOR};
use crate::policy::{ArgumentPath, Named, Rate, Rule, Then, View, When, Who};

const VIEW: [&str; 8] = [
    "servers", "allow", "deny", "readOnly", "tools", "budget", "keys", "claim",
];
const RULE: [&str; 6] = ["who", "view", "server", "tool", "when", "then"];
const WHEN: [&str; 5] = [
    "readOnly",
    "destructive",
    "idempotent",
    "openWorld",
    "arguments",
];
const LIMIT: [&str; 4] = ["perSecond", "perMinute", "perHour", "burst"];
/// Characters of the name of a view.
const LONGEST_NAME: usize = 64;
/// Requests of a limit.
const MOST_REQUESTS: usize = 1_000_000;

/// What patterns and names are compared with.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) servers: &'k Servers,
    pub(super) prefix: Prefix,
}

pub(super) fn views<'a>(
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
fn named<'a>(fields: &Fields<'a>, reader: &mut Reader<'a>) -> Named {
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
fn globs<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> Vec<Glob> {
    let elements = field.one_or_more(reader);
    let texts = elements.iter().filter_map(|element| element.text(reader));
    texts.map(|text| Glob::new(&text)).collect()
}

/// One pattern for names or more. A pattern that fits no name is a mistake: a rule that denies would not deny.
fn patterns<'a>(field: &Field<'a>, known: Known<'_>, reader: &mut Reader<'a>) -> Vec<Glob> {
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
fn servers<'a>(field: &Field<'a>, known: Known<'_>, reader: &mut Reader<'a>) -> Vec<Alias> {
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

pub(super) fn rules<'a>(
    field: Option<Field<'a>>,
    known: Known<'_>,
    views: &[String],
    reader: &mut Reader<'a>,
) -> Vec<Rule> {
    let elements = field.map(|field| field.list(reader)).unwrap_or_default();
    let rules = elements.iter().enumerate().filter_map(|(n, element)| {
        let element = Field {
            name: format!("{}[{n}]", element.name),
            value: element.value,
        };
        let fields = element.only(&RULE, reader)?;
        rule(&fields, known, views, reader)
    });
    rules.collect()
}

fn rule<'a>(
    fields: &Fields<'a>,
    known: Known<'_>,
    views: &[String],
    reader: &mut Reader<'a>,
) -> Option<Rule> {
    let who = fields.get("who").and_then(|field| who(&field, reader));
    let views = fields.get("view").map(|field| {
        let allowed: Vec<(&str, &str)> = views
            .iter()
            .map(|name| (name.as_str(), name.as_str()))
            .collect();
        let elements = field.one_or_more(reader);
        let names = elements
            .iter()
            .filter_map(|element| element.word(&allowed, reader));
        names.map(str::to_owned).collect()
    });
    let servers = fields
        .get("server")
        .map(|field| servers(&field, known, reader));
    let tools = fields
        .get("tool")
        .map(|field| patterns(&field, known, reader));
    let when = fields.get("when").map(|field| when(&field, reader));
    let Some(then) = fields.get("then") else {
        let place = fields.place.clone();
        reader.report(
            fields.value,
            Problem::Missing {
                name: "then",
                place,
            },
        );
        return None;
    };
    Some(Rule {
        who,
        views,
        servers,
        tools,
        when: when.unwrap_or_default(),
        then: then_of(&then, reader)?,
    })
}

fn who<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> Option<Who> {
    let Some(word) = field.at().as_str() else {
        let fields = field.only(&["keys", "claim"], reader)?;
        return Some(Who::Named(named(&fields, reader)));
    };
    match &*word {
        "local" => Some(Who::Local),
        "anonymous" => Some(Who::Anonymous),
        _ => {
            field.word(&[("local", ()), ("anonymous", ())], reader);
            None
        }
    }
}

fn when<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> When {
    let Some(fields) = field.only(&WHEN, reader) else {
        return When::default();
    };
    let mut arguments = Vec::new();
    if let Some(object) = fields
        .get("arguments")
        .and_then(|field| field.object(reader))
    {
        for (path, values) in object.iter() {
            let Some(path) = ArgumentPath::new(path) else {
                let problem = Problem::Kind {
                    name: values.name.clone(),
                    wanted: "a path such as repository.owner",
                };
                reader.report_name(values.at(), problem);
                continue;
            };
            arguments.push((path, globs(&values, reader)));
        }
    }
    let mut flag = |name: &str| fields.get(name).and_then(|field| field.flag(reader));
    When {
        read_only: flag("readOnly"),
        destructive: flag("destructive"),
        idempotent: flag("idempotent"),
        open_world: flag("openWorld"),
        arguments,
    }
}

fn then_of<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> Option<Then> {
    if field.at().as_str().is_some() {
        let words = [("allow", 0), ("deny", 1), ("confirm", 2)];
        return field.word(&words, reader).map(|word| match word {
            0 => Then::Allow,
            1 => Then::Deny { reason: None },
            _ => Then::Confirm { question: None },
        });
    }
    let fields = field.only(&["deny", "confirm", "limit"], reader)?;
    let mut given = fields.iter();
    match (given.next(), given.next()) {
        (Some(("deny", field)), None) => Some(Then::Deny {
            reason: Some(field.text(reader)?),
        }),
        (Some(("confirm", field)), None) => Some(Then::Confirm {
            question: Some(field.text(reader)?),
        }),
        (Some(("limit", field)), None) => rate(&field, reader).map(Then::Limit),
        (Some((one, _)), Some((other, _))) => {
            let (place, one, other) = (fields.place.clone(), one.to_owned(), other.to_owned());
            reader.report(field.at(), Problem::Both { place, one, other });
            None
        }
        (None, _) => {
            let place = fields.place.clone();
            reader.report(
                field.at(),
                Problem::Missing {
                    name: "limit",
                    place,
                },
            );
            None
        }
        // Reported as unknown.
        (Some(_), None) => None,
    }
}

fn rate<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> Option<Rate> {
    let fields = field.only(&LIMIT, reader)?;
    let periods = [("perSecond", 1), ("perMinute", 60), ("perHour", 3600)];
    let given = periods
        .into_iter()
        .filter_map(|(name, seconds)| Some((name, fields.get(name)?, seconds)));
    let given: Vec<_> = given.collect();
    let count = |field: &Field<'a>, reader: &mut Reader<'a>| {
        let count = field.count(1, MOST_REQUESTS, reader)?;
        u32::try_from(count).ok()
    };
    match given.as_slice() {
        [(_, number, seconds)] => {
            let number = count(number, reader)?;
            let burst = match fields.get("burst") {
                Some(burst) => count(&burst, reader)?,
                None => number,
            };
            Some(Rate::new(number, Duration::from_secs(*seconds), burst))
        }
        [] => {
            let (name, place) = ("perMinute", fields.place.clone());
            reader.report(field.at(), Problem::Missing { name, place });
            None
        }
        [(one, ..), (other, ..), ..] => {
            let (place, one, other) =
                (fields.place.clone(), (*one).to_owned(), (*other).to_owned());
            reader.report(field.at(), Problem::Both { place, one, other });
            None
        }
    }
}
