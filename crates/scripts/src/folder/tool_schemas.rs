//! The schemas of a tool's arguments and result.

use std::sync::Arc;

use linkspan_schema::Schema;
use serde_json::{Map, Value, json};

use super::arguments;
use super::catalogue::{Program, Severity};
use super::listing::Item;
use super::meta::Meta;
use super::placeholders::placeholders;
use super::reader::Reader;

impl Reader<'_> {
    /// The schema of the arguments, and its field.
    pub(super) fn input(
        &mut self,
        item: &Item,
        meta: &Meta,
        program: &Program,
    ) -> Option<Option<(Value, &'static str)>> {
        if meta.has("inputSchema") && meta.has("arguments") {
            let text = "`arguments` is the short form of `inputSchema`; both are set".to_owned();
            self.tell_field(Severity::Error, meta, "arguments", item, text);
            return None;
        }
        let mut input = None;
        if let Some(schema) = meta.value("inputSchema") {
            let schema = self.object_schema(item, meta, "inputSchema", schema)?;
            input = Some((schema, "inputSchema"));
        } else if let Some(node) = meta.node("arguments") {
            match arguments::schema(node) {
                Ok(schema) => input = Some((schema, "arguments")),
                Err(wrong) => {
                    let problem =
                        self.tell_field(Severity::Error, meta, "arguments", item, wrong.text);
                    problem.line = Some(wrong.line);
                    problem.hint = wrong.hint;
                    return None;
                }
            }
        }
        if let Program::Template(words) = program {
            let text = words.join("\n");
            let wanted = placeholders(&text);
            input = match input {
                // Without a declaration, the placeholders are the arguments.
                None => {
                    let property = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
                    let properties: Map<_, _> = wanted.iter().map(property).collect();
                    let schema =
                        json!({"type": "object", "properties": properties, "required": wanted});
                    Some((schema, "exec"))
                }
                Some((schema, field)) => {
                    for name in wanted {
                        if schema["properties"].get(name).is_none() {
                            let text = format!("`{{{{{name}}}}}` is not an argument of this tool");
                            self.tell_field(Severity::Warning, meta, "exec", item, text);
                        }
                    }
                    Some((schema, field))
                }
            };
        }
        Some(input)
    }

    /// Checks that a schema describes an object, as MCP requires for arguments and results.
    pub(super) fn object_schema(
        &mut self,
        item: &Item,
        meta: &Meta,
        field: &str,
        mut schema: Value,
    ) -> Option<Value> {
        match schema.get("type") {
            Some(kind) if kind == "object" => {}
            None => schema["type"] = json!("object"),
            Some(kind) => {
                let text = format!("`{field}` must have the type \"object\", not {kind}");
                self.tell_field(Severity::Error, meta, field, item, text);
                return None;
            }
        }
        Some(schema)
    }

    pub(super) fn schema(
        &mut self,
        item: &Item,
        meta: &Meta,
        field: &str,
        schema: &Value,
    ) -> Option<Arc<Schema>> {
        match Schema::new(schema) {
            Ok(schema) => Some(Arc::new(schema)),
            Err(error) => {
                let text = format!("`{field}` is no JSON Schema: {error}");
                self.tell_field(Severity::Error, meta, field, item, text);
                None
            }
        }
    }
}
