//! Values of a `server.json` file: fixed, by default, or asked for.

use serde_json::{Value, json};

use super::{Offer, WhyNot};

/// What a user is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its id: `${input:ID}` stands for the answer.
    pub id: String,
    /// The name in the file.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Whether the answer is a secret.
    pub is_secret: bool,
    /// The answers that are possible; any if empty.
    pub choices: Vec<String>,
}

impl Question {
    /// As an item of `inputs`, as VS Code has them.
    pub(super) fn to_json(&self) -> Value {
        let (id, about) = (&self.id, &self.description);
        if self.choices.is_empty() {
            let secret = self.is_secret;
            return json!({"type": "promptString", "id": id, "description": about, "password": secret});
        }
        json!({"type": "pickString", "id": id, "description": about, "options": self.choices})
    }
}

/// The questions and optional values of an entry, while it is made.
pub(super) struct Inputs {
    key: String,
    questions: Vec<Question>,
    optional: Vec<String>,
    problem: Option<WhyNot>,
}

impl Inputs {
    /// For the server with this key.
    pub(super) fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            questions: Vec::new(),
            optional: Vec::new(),
            problem: None,
        }
    }

    /// The offer with this entry, which has all values.
    pub(super) fn offer(self, entry: Value) -> Result<Offer, WhyNot> {
        let offer = Offer {
            title: String::new(),
            entry,
            questions: self.questions,
            optional: self.optional,
            registry: None,
        };
        self.problem.map_or(Ok(offer), Err)
    }

    /// The value of a variable, an argument or a header; `None` if it is left out.
    pub(super) fn value(&mut self, input: &Value, name: &str) -> Option<String> {
        if let Some(value) = input.get("value").and_then(Value::as_str) {
            return Some(self.template(value, input.get("variables")));
        }
        let is_required = input.get("isRequired") == Some(&Value::Bool(true));
        match default(input) {
            Some(default) => Some(literal(&default)),
            None if is_required => Some(self.ask(input, name)),
            None => {
                self.optional.push(name.to_owned());
                None
            }
        }
    }

    /// A text whose `{names}` are replaced by variables; all that occur are needed.
    pub(super) fn template(&mut self, text: &str, variables: Option<&Value>) -> String {
        let (mut out, mut plain) = (String::new(), String::new());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            plain.push_str(before);
            let variable = after.split_once('}').and_then(|(name, behind)| {
                let variable = variables?.get(name)?;
                Some((name, variable, behind))
            });
            let Some((name, variable, behind)) = variable else {
                plain.push('{');
                rest = after;
                continue;
            };
            rest = behind;
            let fixed = variable.get("value").and_then(Value::as_str);
            if let Some(fixed) = fixed.map(str::to_owned).or_else(|| default(variable)) {
                plain.push_str(&fixed);
                continue;
            }
            if plain.ends_with('$') {
                // The gateway would read `$${`, which stands for `${`.
                self.problem = Some(WhyNot::Name(text.to_owned()));
            }
            out.push_str(&literal(&plain));
            plain.clear();
            out.push_str(&self.ask(variable, name));
        }
        plain.push_str(rest);
        out + &literal(&plain)
    }

    /// The reference to the answer of a question.
    fn ask(&mut self, input: &Value, name: &str) -> String {
        let mut known = self.questions.iter();
        let id = match known.find(|question| question.name == name) {
            Some(question) => question.id.clone(),
            None => self.question(input, name),
        };
        format!("${{input:{id}}}")
    }

    fn question(&mut self, input: &Value, name: &str) -> String {
        let text = |member: &str| {
            input
                .get(member)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let about = [text("description"), text("valueHint"), name].into_iter();
        let choices = input.get("choices").and_then(Value::as_array);
        let choices = choices.into_iter().flatten().filter_map(Value::as_str);
        let id = self.new_id(name);
        self.questions.push(Question {
            id: id.clone(),
            name: name.to_owned(),
            description: about
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
                .next()
                .unwrap_or_default(),
            is_secret: input.get("isSecret") == Some(&Value::Bool(true)),
            choices: choices.map(str::to_owned).collect(),
        });
        id
    }

    /// An id that can be written between the braces of a reference.
    fn new_id(&self, name: &str) -> String {
        let plain = |c: char| match c {
            '_' | '0'..='9' | 'a'..='z' | 'A'..='Z' => c,
            _ => '-',
        };
        let name = format!("{}-{}", self.key, name.trim_start_matches('-'));
        let id: String = name.chars().map(plain).collect();
        let numbered = (2..).map(|number| format!("{id}-{number}"));
        let mut ids = std::iter::once(id.clone()).chain(numbered);
        let is_new = |id: &String| self.questions.iter().all(|question| question.id != *id);
        ids.find(is_new).unwrap_or(id)
    }
}

/// The default of an input.
fn default(input: &Value) -> Option<String> {
    match input.get("default")? {
        Value::String(text) => Some(text.clone()),
        value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A text without references: `$${` stands for `${`.
pub(super) fn literal(text: &str) -> String {
    text.replace("${", "$${")
}
