//! A schema reduced to the names and types of the arguments, or to nothing but its kind.

use linkspan_mcp::PARAM_HEADER;
use linkspan_wire::{Json, JsonKind, Object, quote};

use crate::level::Level;
use crate::refs::Refs;

/// How deep unions, items and annotated properties are followed.
const DEEPEST: usize = 8;

/// The schema of a tool's arguments at a level. Parameters that are repeated in headers stay at every level, because
/// clients have to know them.
pub(crate) fn outline(schema: Json<'_>, level: Level) -> String {
    let outline = Outline {
        refs: Refs::new(schema),
        // Almost no schema has annotations.
        is_annotated: schema.text().contains(PARAM_HEADER),
    };
    let mut object = Object::empty().with("type", r#""object""#);
    let root = outline.refs.resolve(schema);
    let all = level == Level::Brief;
    if let Some(properties) = outline.properties(root, all, 0) {
        object.push("properties", &properties);
    }
    let required = root.get("required").filter(|_| all);
    if let Some(required) = required.filter(|names| names.elements().next().is_some()) {
        object.push("required", required.text());
    }
    object.text()
}

struct Outline<'a> {
    refs: Refs<'a>,
    is_annotated: bool,
}

impl<'a> Outline<'a> {
    /// The properties of a schema, all or only those with an annotation; `None` if there are none.
    fn properties(&self, schema: Json<'a>, all: bool, depth: usize) -> Option<String> {
        if !all && (!self.is_annotated || depth > DEEPEST) {
            return None;
        }
        let members = schema.get("properties")?.members();
        let written = members.filter_map(|(name, property)| {
            let below = self.properties(property, false, depth + 1);
            let annotation = property.get(PARAM_HEADER).filter(|_| self.is_annotated);
            if !all && below.is_none() && annotation.is_none() {
                return None;
            }
            let mut object = self.typed(property, depth + 1);
            if let Some(annotation) = annotation {
                object.push(PARAM_HEADER, annotation.text());
            }
            if let Some(below) = below {
                object.push("properties", &below);
            }
            Some(format!("{}:{}", quote(&name), object.text()))
        });
        let written: Vec<String> = written.collect();
        (!written.is_empty()).then(|| format!("{{{}}}", written.join(",")))
    }

    /// The type of a value. That of the elements of an array belongs to it: some model APIs refuse an array without.
    fn typed(&self, schema: Json<'a>, depth: usize) -> Object<'a> {
        let mut object = Object::empty();
        let mut types = Vec::new();
        if self.types(schema, &mut types, depth).is_some() {
            match &types[..] {
                [] => {}
                [one] => object.push("type", one),
                several => object.push("type", &format!("[{}]", several.join(","))),
            }
        }
        if let Some(items) = self.items(schema, depth) {
            object.push("items", &self.typed(items, depth + 1).text());
        }
        object
    }

    /// Collects the types of a schema as JSON strings; `None` if they are not known.
    fn types(&self, schema: Json<'a>, types: &mut Vec<&'a str>, depth: usize) -> Option<()> {
        let schema = self.refs.resolve(schema);
        if depth > DEEPEST {
            return None;
        }
        let mut add = |name: &'a str| {
            // There are seven.
            if types.len() < 8 && !types.contains(&name) {
                types.push(name);
            }
        };
        if let Some(written) = schema.get("type") {
            match written.kind() {
                JsonKind::String => add(written.text()),
                _ => written
                    .elements()
                    .filter(|one| one.kind() == JsonKind::String)
                    .map(Json::text)
                    .for_each(add),
            }
            return Some(());
        }
        if let Some(union) = schema.get("anyOf").or(schema.get("oneOf")) {
            let mut branches = union.elements();
            return branches.try_for_each(|one| self.types(one, types, depth + 1));
        }
        if let Some(all) = schema.get("allOf") {
            let mut branches = all.elements();
            return branches.find_map(|one| self.types(one, types, depth + 1));
        }
        let first = schema
            .get("const")
            .or_else(|| schema.get("enum")?.elements().next());
        match first.map(Json::kind) {
            Some(JsonKind::String) => add(r#""string""#),
            Some(JsonKind::Number) => add(r#""number""#),
            Some(JsonKind::Bool) => add(r#""boolean""#),
            Some(JsonKind::Null) => add(r#""null""#),
            _ if schema.get("properties").is_some() => add(r#""object""#),
            _ if schema.get("items").is_some() => add(r#""array""#),
            _ => return None,
        }
        Some(())
    }

    /// The schema of the elements, if the value may be an array.
    fn items(&self, schema: Json<'a>, depth: usize) -> Option<Json<'a>> {
        let schema = self.refs.resolve(schema);
        if depth > DEEPEST {
            return None;
        }
        let own = schema
            .get("items")
            .filter(|items| items.kind() == JsonKind::Object);
        own.or_else(|| {
            let union = schema.get("anyOf").or(schema.get("oneOf"))?;
            union.elements().find_map(|one| self.items(one, depth + 1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(schema: &str) -> String {
        outline(Json::parse(schema).unwrap(), Level::Brief)
    }

    #[test]
    fn names_types_and_required_stay() {
        assert_eq!(
            brief(
                r#"{"$schema":"x","type":"object","properties":{"a":{"type":"string","description":"d","enum":["x"]},"n":{"type":["integer","null"]},"any":{"description":"x"}},"required":["a"],"additionalProperties":false}"#
            ),
            r#"{"type":"object","properties":{"a":{"type":"string"},"n":{"type":["integer","null"]},"any":{}},"required":["a"]}"#
        );
    }

    #[test]
    fn types_are_found_behind_unions_and_references() {
        assert_eq!(
            brief(
                r##"{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"$ref":"#/$defs/B"},"c":{"allOf":[{"$ref":"#/$defs/B"}]},"d":{"enum":[1,2]},"e":{"anyOf":[{},{"type":"null"}]}},"$defs":{"B":{"type":"object"}}}"##
            ),
            r#"{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":"object"},"c":{"type":"object"},"d":{"type":"number"},"e":{}}}"#
        );
    }

    #[test]
    fn an_array_keeps_the_type_of_its_elements() {
        assert_eq!(
            brief(
                r#"{"properties":{"a":{"type":"array","items":{"type":"array","items":{"type":"object","properties":{"x":{}}}}},"b":{"anyOf":[{"type":"array","items":{}},{"type":"null"}]}}}"#
            ),
            r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"array","items":{"type":"object"}}},"b":{"type":["array","null"],"items":{}}}}"#
        );
    }

    #[test]
    fn parameters_in_headers_stay_at_every_level() {
        let schema = r#"{"type":"object","properties":{"q":{"type":"string"},"o":{"type":"object","properties":{"x":{"type":"string"},"r":{"type":"string","description":"d","x-mcp-header":"R"}}}},"required":["q"]}"#;
        let header =
            r#""o":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"R"}}}"#;
        assert_eq!(
            outline(Json::parse(schema).unwrap(), Level::Thin),
            format!(r#"{{"type":"object","properties":{{{header}}}}}"#)
        );
        assert_eq!(
            brief(schema),
            format!(
                r#"{{"type":"object","properties":{{"q":{{"type":"string"}},{header}}},"required":["q"]}}"#
            )
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        assert_eq!(
            brief(
                r##"{"properties":{"a":{"$ref":"#/properties/a"},"b":{"anyOf":[{"$ref":"#/properties/b"}]}}}"##
            ),
            r#"{"type":"object","properties":{"a":{},"b":{}}}"#
        );
    }
}
