//! A tool as compact text: all that its definition says, in about two thirds of the tokens.
//!
//! ```text
//! move
//! Moves files into a folder.
//! Arguments (* = required):
//! - files* object[] (minItems 1): What to move
//!   - path* string: Relative to the root
//! - mode "copy"|"rename" = "rename"
//! ```

use linkspan_wire::{Json, JsonKind};

use crate::refs::Refs;

/// A longer text is cut, in bytes. References can make a schema much longer than it is.
const LONGEST: usize = 64 << 10;
/// Levels of arguments inside arguments.
const DEEPEST: usize = 12;
/// The largest integer of JavaScript, which generators write as a limit of integers without one.
const NO_LIMIT: &str = "9007199254740991";

/// A tool as compact text, with all its documentation.
pub fn signature(tool: Json<'_>) -> String {
    let schema = tool.get("inputSchema").or(Json::parse("{}").ok());
    let text = |key| tool.get(key).and_then(Json::as_str).unwrap_or_default();
    let mut out = text("name").into_owned();
    let description = text("description");
    for line in description.trim().lines() {
        out.push('\n');
        out.push_str(line.trim_end());
    }
    if let Some(schema) = schema {
        let mut writer = Writer {
            refs: Refs::new(schema),
            listed: Vec::new(),
            out,
        };
        writer.arguments(schema);
        out = writer.out;
    }
    if out.len() > LONGEST {
        out.truncate(out.floor_char_boundary(LONGEST));
        out.push_str("\n… (too long; ask for the schema)");
    }
    out
}

struct Writer<'a> {
    refs: Refs<'a>,
    /// References whose properties are listed already.
    listed: Vec<&'a str>,
    out: String,
}

impl<'a> Writer<'a> {
    fn arguments(&mut self, schema: Json<'a>) {
        let mut below = Vec::new();
        let mut kind = self.kind(schema, "", &mut below, 0);
        if let Some(rest) = kind.strip_prefix("object") {
            kind = rest.trim().to_owned();
        }
        let about = schema
            .get("description")
            .and_then(Json::as_str)
            .unwrap_or_default();
        let begin = self.out.len();
        if !kind.is_empty() || !about.is_empty() {
            self.out.push_str("\nAll arguments together: ");
            self.out.push_str(&kind);
            self.text(about.trim(), 0);
        }
        let end = self.out.len();
        self.listed_below(&below, 0);
        if self.out.len() > end {
            self.out.insert_str(end, "\nArguments (* = required):");
        } else if begin == end {
            self.out.push_str("\nNo arguments.");
        }
    }

    fn listed_below(&mut self, schemas: &[Json<'a>], depth: usize) {
        for (at, schema) in schemas.iter().enumerate() {
            let mut depth = depth;
            if schemas.len() > 1 {
                let indent = "  ".repeat(depth);
                self.out
                    .push_str(&format!("\n{indent}- object {}:", at + 1));
                depth += 1;
            }
            let required = schema.get("required");
            let properties = schema.get("properties").into_iter().flat_map(Json::members);
            for (name, property) in properties {
                if self.out.len() > LONGEST {
                    return;
                }
                let mut names = required.into_iter().flat_map(Json::elements);
                let needed = names.any(|one| one.as_str().as_ref() == Some(&name));
                self.argument(&name, needed, property, depth);
            }
        }
    }

    fn argument(&mut self, name: &str, needed: bool, schema: Json<'a>, depth: usize) {
        let mut below = Vec::new();
        let kind = self.kind(schema, name, &mut below, depth);
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str("- ");
        self.out.push_str(name);
        self.out.push_str(if needed { "* " } else { " " });
        self.out.push_str(&kind);
        if let Some(value) = schema.get("default") {
            self.out.push_str(" = ");
            self.out.push_str(value.text());
        }
        let about = schema.get("description").or_else(|| {
            let target = self.refs.resolve(schema);
            target.get("description")
        });
        let about = about.and_then(Json::as_str).unwrap_or_default();
        if !about.trim().is_empty() {
            self.out.push_str(": ");
            self.text(about.trim(), depth + 1);
        }
        self.listed_below(&below, depth + 1);
    }

    /// Text whose further lines are indented.
    fn text(&mut self, text: &str, depth: usize) {
        for (at, line) in text.lines().enumerate() {
            if at > 0 {
                self.out.push('\n');
                self.out.push_str(&"  ".repeat(depth));
            }
            self.out.push_str(line.trim_end());
        }
    }

    /// The type of a value with its limits. `below` gets the schemas whose properties are to be listed.
    fn kind(
        &mut self,
        schema: Json<'a>,
        name: &str,
        below: &mut Vec<Json<'a>>,
        depth: usize,
    ) -> String {
        if depth > DEEPEST {
            return schema.text().to_owned();
        }
        if let Some(reference) = schema.get("$ref") {
            return self.referred(schema, reference, name, below, depth);
        }
        let mut branch = |writer: &mut Self, one: Json<'a>| {
            let kind = writer.kind(one, "", below, depth + 1);
            match one.get("description").and_then(Json::as_str) {
                Some(about) => format!("{kind} ({})", about.trim()),
                None => kind,
            }
        };
        let mut joined = |writer: &mut Self, list: Json<'a>, by: &str| {
            let all: Vec<String> = list.elements().map(|one| branch(writer, one)).collect();
            all.join(by)
        };
        let mut kind = match (schema.get("enum"), schema.get("const")) {
            (Some(values), _) => {
                let values: Vec<&str> = values.elements().map(Json::text).collect();
                values.join("|")
            }
            (None, Some(value)) => value.text().to_owned(),
            (None, None) => String::new(),
        };
        for (key, by) in [("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")] {
            if let Some(list) = schema.get(key) {
                kind.push_str(if kind.is_empty() { "" } else { ", " });
                kind.push_str(&joined(self, list, by));
            }
        }
        if kind.is_empty() {
            kind = self.plain(schema, below, depth);
        } else if schema.get("properties").is_some() {
            below.push(schema);
        }
        let notes = self.notes(schema, name);
        if !notes.is_empty() {
            kind.push_str(&format!(" ({})", notes.join(", ")));
        }
        kind.trim().to_owned()
    }

    /// A schema with a reference, and perhaps more.
    fn referred(
        &mut self,
        schema: Json<'a>,
        reference: Json<'a>,
        name: &str,
        below: &mut Vec<Json<'a>>,
        depth: usize,
    ) -> String {
        let written = reference.text().trim_matches('"');
        let last = written.rsplit('/').next().unwrap_or(written);
        let mut kind = if self.listed.contains(&written) {
            format!("object {last}")
        } else {
            match self.refs.target(schema) {
                None => format!("$ref {written}"),
                Some(target) if target.get("properties").is_some() => {
                    self.listed.push(written);
                    let kind = self.kind(target, name, below, depth + 1);
                    format!("{kind} {last}")
                }
                Some(target) => self.kind(target, name, below, depth + 1),
            }
        };
        let notes = self.notes(schema, name);
        if !notes.is_empty() {
            kind.push_str(&format!(" ({})", notes.join(", ")));
        }
        kind
    }

    /// The type of a value without a choice.
    fn plain(&mut self, schema: Json<'a>, below: &mut Vec<Json<'a>>, depth: usize) -> String {
        let written = schema.get("type");
        let mut types: Vec<String> = match written {
            Some(one) if one.kind() == JsonKind::Array => one
                .elements()
                .filter_map(|one| Some(one.as_str()?.into_owned()))
                .collect(),
            Some(one) => one
                .as_str()
                .map(|one| one.into_owned())
                .into_iter()
                .collect(),
            None => Vec::new(),
        };
        if schema.get("properties").is_some() {
            below.push(schema);
            if types.is_empty() {
                types.push("object".to_owned());
            }
        }
        let others = schema.get("additionalProperties");
        if let Some(others) = others.filter(|others| others.kind() == JsonKind::Object) {
            let kind = self.kind(others, "", below, depth + 1);
            let kind = if kind.is_empty() {
                "any".to_owned()
            } else {
                kind
            };
            types.retain(|one| one != "object");
            types.push(format!("object of {kind}{}", each(others)));
        }
        if let Some(items) = schema
            .get("items")
            .filter(|it| it.kind() == JsonKind::Object)
        {
            let kind = self.kind(items, "", below, depth + 1);
            let kind = match &*kind {
                "" => "any[]".to_owned(),
                plain if plain.contains(' ') || plain.contains('|') => format!("({plain})[]"),
                plain => format!("{plain}[]"),
            };
            types.retain(|one| one != "array");
            types.insert(0, kind + &each(items));
        }
        types.join("|")
    }

    /// What else a schema says.
    fn notes(&self, schema: Json<'a>, name: &str) -> Vec<String> {
        let mut notes = Vec::new();
        for (key, value) in schema.members() {
            let note = match &*key {
                "type"
                | "enum"
                | "const"
                | "properties"
                | "required"
                | "description"
                | "default"
                | "anyOf"
                | "oneOf"
                | "allOf"
                | "$ref"
                | "$defs"
                | "definitions"
                | "$schema"
                | "$comment"
                | "$id"
                | linkspan_mcp::PARAM_HEADER => continue,
                "items" | "additionalProperties" if value.kind() == JsonKind::Object => continue,
                "additionalProperties" => continue,
                "minimum" | "maximum" if value.text().trim_start_matches('-') == NO_LIMIT => {
                    continue;
                }
                "title" if is_same(&value.as_str().unwrap_or_default(), name) => continue,
                "format" => value.as_str().unwrap_or_default().into_owned(),
                "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum"
                    if value.kind() == JsonKind::Number =>
                {
                    let sign = match &*key {
                        "minimum" => ">=",
                        "maximum" => "<=",
                        "exclusiveMinimum" => ">",
                        _ => "<",
                    };
                    format!("{sign}{}", value.text())
                }
                key => format!("{key} {}", value.text()),
            };
            notes.push(note);
        }
        notes
    }
}

/// What a schema says about each element.
fn each(schema: Json<'_>) -> String {
    let about = schema.get("description").and_then(Json::as_str);
    about.map_or_else(String::new, |about| format!(" (each: {})", about.trim()))
}

/// Whether a title only repeats a name.
fn is_same(title: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        let kept = text.chars().filter(|c| c.is_alphanumeric());
        kept.flat_map(char::to_lowercase).collect()
    };
    name.is_empty() || letters(title) == letters(name)
}

#[cfg(test)]
mod tests;
