//! `rules`: which requests pass.

use std::time::Duration;

use super::error::Problem;
use super::reader::{Field, Fields, Reader};
use super::views::{Known, globs, named, patterns, servers};
use crate::policy::{ArgumentPath, Rate, Rule, Then, When, Who};

const RULE: [&str; 6] = ["who", "view", "server", "tool", "when", "then"];
const WHEN: [&str; 5] = [
    "readOnly",
    "destructive",
    "idempotent",
    "openWorld",
    "arguments",
];
const LIMIT: [&str; 4] = ["perSecond", "perMinute", "perHour", "burst"];
/// Requests of a limit.
const MOST_REQUESTS: usize = 1_000_000;

pub(super) fn read<'a>(
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
