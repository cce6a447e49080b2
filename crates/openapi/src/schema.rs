//! Writes schemas of a document as JSON Schema without references.

use std::collections::HashSet;

use linkspan_wire::quote;
use serde_json::Value;

use crate::clipped::clipped;
use crate::error::OpenApiError;
use crate::keyword::{Keyword, is_pattern};
use crate::object::{ObjectSchema, elements};
use crate::reader::Reader;
use crate::schema_type::{type_of, with_null};
use crate::view::{Direction, View};

/// What a value may be given as, where the document says that it is a file.
const FILE: &str = "A file: its text, or data:MEDIA/TYPE;name=FILE.EXT;base64,DATA";

/// How much of a schema is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Levels below the first schema.
    pub(crate) levels: usize,
    /// Characters of each description.
    pub(crate) description: usize,
    /// Bytes of the whole text.
    pub(crate) bytes: usize,
}

/// Why a schema is not written to its end.
pub(crate) enum Stop {
    /// The text has reached its limit.
    Full,
    Error(OpenApiError),
}

impl From<OpenApiError> for Stop {
    fn from(error: OpenApiError) -> Self {
        Self::Error(error)
    }
}

/// Writes schemas into one text.
pub(crate) struct SchemaWriter<'r, 'd> {
    reader: &'r Reader<'d>,
    direction: Direction,
    size: Size,
    /// The schemas that are being written: one that contains itself ends there.
    open: Vec<usize>,
    pub(crate) out: String,
}

impl<'r, 'd> SchemaWriter<'r, 'd> {
    pub(crate) fn new(reader: &'r Reader<'d>, direction: Direction, size: Size) -> Self {
        Self {
            reader,
            direction,
            size,
            open: Vec::new(),
            out: String::new(),
        }
    }

    /// Writes text of ours.
    pub(crate) fn push(&mut self, text: &str) -> Result<(), Stop> {
        self.reader.spend(text.len())?;
        self.out.push_str(text);
        if self.out.len() > self.size.bytes {
            return Err(Stop::Full);
        }
        Ok(())
    }

    /// Writes a schema. `note` replaces its description; `is_file` says that its value is given as a file.
    pub(crate) fn schema(
        &mut self,
        schema: &'d Value,
        note: Option<&str>,
        is_file: bool,
    ) -> Result<(), Stop> {
        let view = View::new(self.reader, schema)?;
        let note = note
            .or_else(|| view.text("description"))
            .unwrap_or_default();
        let note = clipped(note, self.size.description);
        match (is_file, note.trim().trim_end_matches('.')) {
            (true, "") => self.value(schema, &view, FILE),
            (true, note) => self.value(schema, &view, &format!("{note}. {FILE}")),
            (false, _) => self.value(schema, &view, note.trim()),
        }
    }

    fn value(&mut self, schema: &'d Value, view: &View<'d>, note: &str) -> Result<(), Stop> {
        if let Value::Bool(any) = schema {
            return self.push(if *any { "true" } else { "false" });
        }
        let identity = view.identity();
        let is_too_deep = self.open.len() > self.size.levels && !self.is_leaf(view);
        if is_too_deep || self.open.contains(&identity) {
            return self.stub(view, note);
        }
        self.open.push(identity);
        let written = self.members(view, note);
        self.open.pop();
        written
    }

    /// Whether a schema has no other schema inside, and there is room for its members.
    fn is_leaf(&self, view: &View<'_>) -> bool {
        let is_nested = |(name, _): (&str, &Value)| match Keyword::of(name) {
            Keyword::Schema | Keyword::Schemas | Keyword::SchemaMap => true,
            _ => name == "properties",
        };
        self.size.description > 0 && !view.members().any(is_nested)
    }

    /// Writes the type and the description only.
    fn stub(&mut self, view: &View<'d>, note: &str) -> Result<(), Stop> {
        let kind = type_of(view);
        self.push("{")?;
        let mut separator = "";
        if let Some(kind) = kind {
            self.push(&format!(r#""type":{kind}"#))?;
            separator = ",";
        }
        if !note.is_empty() {
            self.push(&format!(r#"{separator}"description":{}"#, quote(note)))?;
        }
        self.push("}")
    }

    fn members(&mut self, view: &View<'d>, note: &str) -> Result<(), Stop> {
        // One object in place of an `allOf`, if that means the same.
        let object = match view.get("allOf").or_else(|| view.get("properties")) {
            Some(_) => ObjectSchema::of(self.reader, view, self.direction)?,
            None => None,
        };
        let is_object = object.is_some() || view.get("properties").is_some_and(Value::is_object);
        let is_merged = object.is_some() && view.get("allOf").is_some();
        self.push("{")?;
        let start = self.out.len();
        let object_type = || is_object.then(|| r#""object""#.into());
        if let Some(kind) = type_of(view).or_else(object_type) {
            self.member(start, "type", &kind)?;
        }
        if !note.is_empty() {
            self.member(start, "description", &quote(note))?;
        }
        for (name, value) in view.members() {
            let value = match (name, value) {
                ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_))
                | ("minimum" | "maximum", Value::Number(_)) => {
                    self.bound(start, view, name)?;
                    continue;
                }
                ("allOf", _) if is_merged => continue,
                (_, value) => value,
            };
            match Keyword::of(name) {
                Keyword::Plain(is_valid) if is_valid(value) => {
                    let text = with_null(view, name, value);
                    self.member(start, name, &text.to_string())?;
                }
                Keyword::Schema if value.is_object() || value.is_boolean() => {
                    self.key(start, name)?;
                    self.nested(value)?;
                }
                Keyword::Schemas if elements(Some(value)).next().is_some() => {
                    self.key(start, name)?;
                    self.list(value)?;
                }
                Keyword::SchemaMap => self.map(start, name, value)?,
                _ => {}
            }
        }
        let names = || elements(view.get("required")).filter_map(Value::as_str);
        if let Some(object) = object {
            let written = self.properties(start, object.properties.iter().copied())?;
            let required = written
                .into_iter()
                .filter(|name| object.required.contains(name));
            self.required(start, required)?;
        } else if let Some(Value::Object(properties)) = view.get("properties") {
            let required: HashSet<&str> = names().collect();
            let all = properties
                .iter()
                .map(|(name, value)| (name.as_str(), value));
            let written = self.properties(start, all)?.into_iter();
            self.required(start, written.filter(|name| required.contains(name)))?;
        } else {
            let mut seen = HashSet::new();
            self.required(start, names().filter(|name| seen.insert(*name)))?;
        }
        self.push("}")
    }

    /// Writes the properties that values in this direction have, and returns their names.
    fn properties(
        &mut self,
        start: usize,
        properties: impl Iterator<Item = (&'d str, &'d Value)>,
    ) -> Result<Vec<&'d str>, Stop> {
        let mut written = Vec::new();
        self.key(start, "properties")?;
        self.push("{")?;
        let first = self.out.len();
        for (name, property) in properties {
            let view = View::new(self.reader, property)?;
            if !self.direction.drops(&view) && (property.is_object() || property.is_boolean()) {
                self.key(first, name)?;
                self.nested(property)?;
                written.push(name);
            }
        }
        self.push("}")?;
        Ok(written)
    }

    fn required<'n>(
        &mut self,
        start: usize,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<(), Stop> {
        let mut text = String::new();
        for name in names {
            self.reader.spend(name.len())?;
            if self.out.len() + text.len() > self.size.bytes {
                return Err(Stop::Full);
            }
            text += if text.is_empty() { "" } else { "," };
            text += &quote(name);
        }
        match text.as_str() {
            "" => Ok(()),
            names => self.member(start, "required", &format!("[{names}]")),
        }
    }

    /// `minimum` and `exclusiveMinimum`, or those of the maximum; OpenAPI 3.0 has a number and a flag.
    fn bound(&mut self, start: usize, view: &View<'d>, name: &str) -> Result<(), Stop> {
        let (limit, flag) = match name {
            "minimum" | "exclusiveMinimum" => ("minimum", "exclusiveMinimum"),
            _ => ("maximum", "exclusiveMaximum"),
        };
        match view.get(limit) {
            Some(Value::Number(number)) if name == limit => {
                let name = if view.is(flag) { flag } else { limit };
                self.member(start, name, &number.to_string())
            }
            _ => Ok(()),
        }
    }

    fn list(&mut self, schemas: &'d Value) -> Result<(), Stop> {
        self.push("[")?;
        for (at, schema) in elements(Some(schemas)).enumerate() {
            self.push(if at > 0 { "," } else { "" })?;
            self.nested(schema)?;
        }
        self.push("]")
    }

    fn map(&mut self, start: usize, name: &str, schemas: &'d Value) -> Result<(), Stop> {
        let Value::Object(schemas) = schemas else {
            return Ok(());
        };
        self.key(start, name)?;
        self.push("{")?;
        let first = self.out.len();
        for (key, schema) in schemas {
            if name != "patternProperties" || is_pattern(key) {
                self.key(first, key)?;
                self.nested(schema)?;
            }
        }
        self.push("}")
    }

    fn nested(&mut self, schema: &'d Value) -> Result<(), Stop> {
        self.schema(schema, None, false)
    }

    fn member(&mut self, start: usize, name: &str, json: &str) -> Result<(), Stop> {
        self.key(start, name)?;
        self.push(json)
    }

    /// Writes a key; `start` is where its object begins.
    pub(crate) fn key(&mut self, start: usize, name: &str) -> Result<(), Stop> {
        if self.out.len() + name.len() > self.size.bytes {
            return Err(Stop::Full);
        }
        let separator = if self.out.len() > start { "," } else { "" };
        self.push(&format!("{separator}{}:", quote(name)))
    }
}
