//! Converts what a person types or chooses into a value of a field's schema.

use linkspan_schema::Schema;
use serde_json::Value;

use crate::error::on_one_line;

/// Why a typed text is not a value of the field.
#[derive(Debug, thiserror::Error)]
pub enum ValueError {
    /// It is none of the choices.
    #[error("`{0}` is not one of the choices")]
    NotAChoice(String),
    /// It is neither yes nor no.
    #[error("write yes or no")]
    NotABoolean,
    /// It is no whole number.
    #[error("write a whole number")]
    NotAnInteger,
    /// It is no number.
    #[error("write a number")]
    NotANumber,
    /// It has another format.
    #[error("`{text}` is not a valid {format}")]
    Format {
        /// As typed.
        text: String,
        /// As the schema names it.
        format: String,
    },
    /// The schema does not allow it.
    #[error("it does not fit: {0}")]
    Schema(String),
}

/// Whether a field has several values.
pub fn is_list(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("array")
}

/// The values that may be chosen, with their titles.
pub fn choices(schema: &Value) -> Vec<(String, String)> {
    let of = schema.get("items").filter(|_| is_list(schema));
    let of = of.unwrap_or(schema);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(plain) = of.get("enum").and_then(Value::as_array) {
        let titles = of.get("enumNames").and_then(Value::as_array);
        let title = |n: usize| titles.and_then(|titles| text(titles.get(n)?));
        return plain
            .iter()
            .enumerate()
            .filter_map(|(n, value)| {
                let value = text(value)?;
                Some((value.clone(), title(n).unwrap_or(value)))
            })
            .collect();
    }
    let titled = ["oneOf", "anyOf"].iter().find_map(|key| of.get(*key));
    let titled = titled.and_then(Value::as_array).into_iter().flatten();
    titled
        .filter_map(|one| {
            let value = text(one.get("const")?)?;
            let title = one.get("title").and_then(text);
            Some((value.clone(), title.unwrap_or(value)))
        })
        .collect()
}

/// The typed text as a value that the schema allows.
pub fn typed_value(
    typed: &str,
    schema: &Value,
    choices: &[(String, String)],
) -> Result<Value, ValueError> {
    checked(convert(typed, schema, choices)?, schema)
}

/// The chosen entries of a list as a value that the schema allows.
pub fn chosen_values(
    chosen: &[&str],
    schema: &Value,
    choices: &[(String, String)],
) -> Result<Value, ValueError> {
    let unknown = chosen
        .iter()
        .find(|one| !choices.iter().any(|(value, _)| value == *one));
    if let Some(unknown) = unknown {
        return Err(ValueError::NotAChoice(on_one_line(unknown)));
    }
    checked(Value::from(chosen.to_vec()), schema)
}

fn checked(value: Value, schema: &Value) -> Result<Value, ValueError> {
    check_format(&value, schema)?;
    // An invalid schema is the server's mistake; the server checks the value itself.
    let problems = Schema::new(schema).map_or_else(|_| Vec::new(), |schema| schema.check(&value));
    if problems.is_empty() {
        Ok(value)
    } else {
        Err(ValueError::Schema(on_one_line(&problems.join("; "))))
    }
}

/// The typed text as a value of the field's type.
fn convert(typed: &str, schema: &Value, choices: &[(String, String)]) -> Result<Value, ValueError> {
    let chosen = |typed: &str| {
        let found = choices
            .iter()
            .find(|(value, title)| typed == value || typed.eq_ignore_ascii_case(title));
        let found = found.map(|(value, _)| Value::String(value.clone()));
        found.ok_or_else(|| ValueError::NotAChoice(on_one_line(typed)))
    };
    if is_list(schema) {
        let words = typed.split(',').map(str::trim).filter(|w| !w.is_empty());
        let all: Result<Vec<Value>, ValueError> = if choices.is_empty() {
            Ok(words.map(Into::into).collect())
        } else {
            words.map(chosen).collect()
        };
        return all.map(Value::Array);
    }
    if !choices.is_empty() {
        return chosen(typed);
    }
    let kind = schema.get("type").and_then(Value::as_str);
    match (kind, &*typed.to_ascii_lowercase()) {
        (Some("boolean"), "y" | "yes" | "true" | "1") => Ok(true.into()),
        (Some("boolean"), "n" | "no" | "false" | "0") => Ok(false.into()),
        (Some("boolean"), _) => Err(ValueError::NotABoolean),
        (Some("integer"), _) => match typed.parse::<i64>() {
            Ok(number) => Ok(number.into()),
            Err(_) => Err(ValueError::NotAnInteger),
        },
        (Some("number"), _) => match typed.parse::<f64>().ok().filter(|n| n.is_finite()) {
            Some(number) => Ok(number.into()),
            None => Err(ValueError::NotANumber),
        },
        _ => Ok(typed.into()),
    }
}

/// Checks `format`, which JSON Schema validation ignores by default; the user can type the value again.
fn check_format(value: &Value, schema: &Value) -> Result<(), ValueError> {
    let is_format = |text: &str| match schema.get("format").and_then(Value::as_str) {
        Some("email") => is_email(text),
        Some("uri") => text.split_once(':').is_some_and(|(scheme, rest)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
                && !rest.is_empty()
                && !text.contains(char::is_whitespace)
        }),
        Some("date") => is_date(text),
        Some("date-time") => text
            .split_once(['T', 't', ' '])
            .is_some_and(|(date, time)| {
                is_date(date) && time.len() >= 9 && time.is_char_boundary(8) && is_time(&time[..8])
            }),
        _ => true,
    };
    if let (Some(text), Some(format)) = (value.as_str(), schema.get("format"))
        && !is_format(text)
    {
        return Err(ValueError::Format {
            text: on_one_line(text),
            format: format.as_str().unwrap_or_default().to_owned(),
        });
    }
    Ok(())
}

fn is_email(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
        && !text.contains(char::is_whitespace)
}

/// `2026-07-28`
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    numbers(&parts, &[(4, 0, 9999), (2, 1, 12), (2, 1, 31)])
}

/// `23:59:60`
fn is_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    numbers(&parts, &[(2, 0, 23), (2, 0, 59), (2, 0, 60)])
}

/// Whether the parts are numbers with the given digits, least and greatest values.
fn numbers(parts: &[&str], shape: &[(usize, u32, u32)]) -> bool {
    parts.len() == shape.len()
        && parts
            .iter()
            .zip(shape)
            .all(|(part, (digits, least, most))| {
                part.len() == *digits
                    && part.bytes().all(|b| b.is_ascii_digit())
                    && part
                        .parse()
                        .is_ok_and(|n: u32| (*least..=*most).contains(&n))
            })
}
