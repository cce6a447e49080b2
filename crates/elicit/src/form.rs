//! The form of a question: its fields, and what was typed into them.
//!
//! The schema is a server's and untrusted: numbers and lengths are bounded before anything is shown.

use linkspan_client::{choices, chosen_values, is_list, typed_value};
use serde_json::{Map, Value};

const MOST_FIELDS: usize = 64;
const MOST_CHOICES: usize = 256;
/// Characters of a text that is shown.
const LONGEST: usize = 4096;

/// A question, ready to be shown.
pub(crate) struct Form {
    pub(crate) message: String,
    pub(crate) fields: Vec<Field>,
    /// The address that the server asks to open.
    pub(crate) address: Option<url::Url>,
}

pub(crate) struct Field {
    name: String,
    schema: Value,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) choices: Vec<(String, String)>,
    pub(crate) is_needed: bool,
}

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// One line; the type of an `input` element.
    Line(&'static str),
    Boolean,
    One,
    Several,
}

/// Why a question is not shown.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unshowable {
    #[error("it has too many fields or choices")]
    TooLarge,
    #[error("its address is neither https:// nor of this machine, or not plain")]
    Address,
}

/// The pairs of a posted form.
pub(crate) type Posted = Vec<(String, String)>;

impl Form {
    /// The form of a question's parameters.
    pub(crate) fn of(params: &Value) -> Result<Self, Unshowable> {
        let message = short(params.get("message"));
        if params.get("mode").and_then(Value::as_str) == Some("url") {
            return Ok(Self {
                message,
                fields: Vec::new(),
                address: Some(address(params).ok_or(Unshowable::Address)?),
            });
        }
        let schema = params.get("requestedSchema");
        let required = schema.and_then(|it| it.get("required")?.as_array());
        let required: Vec<&str> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.and_then(|it| it.get("properties")?.as_object());
        let mut fields = Vec::new();
        for (name, schema) in properties.into_iter().flatten() {
            let choices = choices(schema);
            if fields.len() >= MOST_FIELDS || choices.len() > MOST_CHOICES {
                return Err(Unshowable::TooLarge);
            }
            let title = Some(short(schema.get("title"))).filter(|title| !title.is_empty());
            fields.push(Field {
                title: title.unwrap_or_else(|| cut(name)),
                description: short(schema.get("description")),
                choices,
                is_needed: required.contains(&name.as_str()),
                name: name.clone(),
                schema: schema.clone(),
            });
        }
        Ok(Self {
            message,
            fields,
            address: None,
        })
    }

    /// The content that was posted, or what is wrong with the field of each number.
    pub(crate) fn read(&self, posted: &Posted) -> Result<Value, Vec<(usize, String)>> {
        let mut content = Map::new();
        let mut wrong = Vec::new();
        for (number, field) in self.fields.iter().enumerate() {
            match field.read(&of(posted, number)) {
                Ok(Some(value)) => {
                    content.insert(field.name.clone(), value);
                }
                Ok(None) => {}
                Err(why) => wrong.push((number, why)),
            }
        }
        if wrong.is_empty() {
            Ok(Value::Object(content))
        } else {
            Err(wrong)
        }
    }
}

/// The values that were posted for the field of a number.
pub(crate) fn of(posted: &Posted, number: usize) -> Vec<&str> {
    let name = name_of(number);
    let own = posted.iter().filter(|(key, _)| *key == name);
    own.map(|(_, value)| &**value).collect()
}

/// The name of a field in the page; the server's own name may collide with ours.
pub(crate) fn name_of(number: usize) -> String {
    format!("field-{number}")
}

impl Field {
    pub(crate) fn input(&self) -> Input {
        let text = |key: &str| self.schema.get(key).and_then(Value::as_str);
        if is_list(&self.schema) && !self.choices.is_empty() {
            return Input::Several;
        }
        if !self.choices.is_empty() {
            return Input::One;
        }
        match (text("type"), text("format")) {
            (Some("boolean"), _) => Input::Boolean,
            (Some("integer" | "number"), _) => Input::Line("number"),
            (_, Some("email")) => Input::Line("email"),
            (_, Some("uri")) => Input::Line("url"),
            (_, Some("date")) => Input::Line("date"),
            _ => Input::Line("text"),
        }
    }

    /// The values that are there at first.
    pub(crate) fn defaults(&self) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::String(text) => Some(cut(text)),
            Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
            _ => None,
        };
        match self.schema.get("default") {
            Some(Value::Array(several)) => several.iter().filter_map(text).collect(),
            Some(one) => text(one).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// A limit for the browser; the value is checked here in any case.
    pub(crate) fn limit(&self, key: &str) -> Option<String> {
        let value = self.schema.get(key)?;
        value.is_number().then(|| value.to_string())
    }

    /// Whether only whole numbers fit.
    pub(crate) fn is_integer(&self) -> bool {
        self.schema.get("type").and_then(Value::as_str) == Some("integer")
    }

    /// The value of the field; `None` leaves it out.
    fn read(&self, posted: &[&str]) -> Result<Option<Value>, String> {
        let typed = posted.first().copied().unwrap_or_default();
        if self.input() == Input::Several {
            // An empty choice is an answer only where the field is required.
            if posted.is_empty() && !self.is_needed {
                return Ok(None);
            }
            let value = chosen_values(posted, &self.schema, &self.choices);
            return value.map(Some).map_err(|why| why.to_string());
        }
        if typed.is_empty() {
            return match self.is_needed {
                true => Err("a value is required".to_owned()),
                false => Ok(None),
            };
        }
        if self.input() == Input::One && !self.choices.iter().any(|(value, _)| value == typed) {
            return Err("it is none of the choices".to_owned());
        }
        let value = typed_value(typed, &self.schema, &self.choices);
        value.map(Some).map_err(|why| why.to_string())
    }
}

/// The address of a question, if a browser may open it: encrypted, or on this machine.
fn address(params: &Value) -> Option<url::Url> {
    let text = params.get("url")?.as_str()?;
    let address = url::Url::parse(text)
        .ok()
        .filter(|_| text.len() <= LONGEST)?;
    let is_local = match address.host()? {
        url::Host::Domain(name) => name == "localhost",
        url::Host::Ipv4(ip) => ip.is_loopback(),
        url::Host::Ipv6(ip) => ip.is_loopback(),
    };
    // A name in front of the host can be taken for the host.
    let is_plain = address.username().is_empty() && address.password().is_none();
    let is_safe = address.scheme() == "https" || (address.scheme() == "http" && is_local);
    (is_plain && is_safe).then_some(address)
}

fn short(text: Option<&Value>) -> String {
    cut(text.and_then(Value::as_str).unwrap_or_default())
}

/// The beginning of a text, without characters that hide or turn others.
pub(crate) fn cut(text: &str) -> String {
    let shown = text.chars().take(LONGEST);
    shown
        .map(|c| {
            if c != '\n' && linkspan_wire::is_hidden(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn form(properties: Value, required: Value) -> Form {
        let params = json!({"message": "?", "requestedSchema": {"type": "object",
            "properties": properties, "required": required}});
        Form::of(&params).unwrap_or_else(|why| panic!("{why:?}"))
    }

    fn posted(pairs: &[(usize, &str)]) -> Posted {
        let pairs = pairs.iter();
        pairs
            .map(|(number, value)| (name_of(*number), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn every_kind_of_field_becomes_its_value() {
        let form = form(
            json!({
                "city": {"type": "string"},
                "nights": {"type": "integer"},
                "price": {"type": "number"},
                "quiet": {"type": "boolean"},
                "class": {"type": "string", "oneOf": [{"const": "a", "title": "First"}]},
                "meals": {"type": "array", "items": {"type": "string", "enum": ["l, with wine", "d"]}},
                "note": {"type": "string"},
            }),
            json!(["city", "meals"]),
        );
        let posted = posted(&[
            (0, "Bern"),
            (1, "3"),
            (2, "1.5"),
            (3, "true"),
            (4, "a"),
            (5, "l, with wine"),
            (5, "d"),
            (6, ""),
        ]);
        assert_eq!(
            form.read(&posted).unwrap(),
            json!({"city": "Bern", "nights": 3, "price": 1.5, "quiet": true, "class": "a",
                "meals": ["l, with wine", "d"]})
        );
    }

    #[test]
    fn values_are_checked_against_the_schema() {
        for (schema, wrong) in [
            (json!({"type": "string", "minLength": 3}), "ab"),
            (json!({"type": "string", "maxLength": 3}), "abcd"),
            (json!({"type": "string", "format": "email"}), "ab"),
            (json!({"type": "string", "format": "date"}), "2026-13-01"),
            (json!({"type": "string", "format": "date-time"}), "2026"),
            (json!({"type": "integer", "maximum": 5}), "6"),
            (json!({"type": "integer"}), "1.5"),
            (json!({"type": "number", "minimum": 0}), "-1"),
            (json!({"type": "boolean"}), "perhaps"),
            (json!({"type": "string", "enum": ["a"]}), "b"),
            (
                json!({"type": "array", "items": {"enum": ["a"]}, "minItems": 2}),
                "a",
            ),
            (json!({"type": "array", "items": {"enum": ["a"]}}), "b"),
            (json!({"type": "string"}), ""),
        ] {
            let form = form(json!({"x": schema}), json!(["x"]));
            let wrong_fields = form.read(&posted(&[(0, wrong)])).unwrap_err();
            assert_eq!(wrong_fields[0].0, 0, "{schema}");
        }
    }

    #[test]
    fn too_much_is_not_shown() {
        let many: Map<String, Value> = (0..=MOST_FIELDS)
            .map(|number| (number.to_string(), json!({"type": "string"})))
            .collect();
        let params = json!({"requestedSchema": {"properties": many}});
        assert_eq!(Form::of(&params).err(), Some(Unshowable::TooLarge));
        let long = Form::of(&json!({"message": "x".repeat(2 * LONGEST)}));
        assert_eq!(long.ok().unwrap().message.len(), LONGEST);
    }

    #[test]
    fn only_addresses_that_are_safe_and_plain_are_opened() {
        for (url, is_shown) in [
            ("https://example.com/x", true),
            ("http://127.0.0.1:1/", true),
            ("http://example.com/", false),
            ("https://bank.example@evil.example/", false),
            ("javascript:alert(1)", false),
            ("file:///etc/passwd", false),
        ] {
            let form = Form::of(&json!({"mode": "url", "url": url}));
            assert_eq!(form.is_ok(), is_shown, "{url}");
        }
    }

    #[test]
    fn characters_that_turn_the_text_are_replaced() {
        let form = Form::of(&json!({"message": "a\u{202e}b\nc"}));
        assert_eq!(form.ok().unwrap().message, "a\u{fffd}b\nc");
    }
}
