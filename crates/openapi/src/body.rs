//! Reads the body of an operation.

use serde_json::{Map, Value};

use crate::argument::{Place, Style};
use crate::arguments::{Declared, LONGEST_NAME, encoding, is_file, is_required, new, text};
use crate::content::{self, Kind};
use crate::error::OpenApiError;
use crate::names::ArgumentNames;
use crate::object::{ObjectSchema, elements};
use crate::reader::Reader;
use crate::view::{Direction, View};

/// The most members of a body that are arguments of their own.
const MOST_MEMBERS: usize = 200;

/// The body of a request.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    /// The value of `Content-Type`.
    pub(crate) media: Box<str>,
    pub(crate) kind: Kind,
    pub(crate) is_required: bool,
}

/// Reads the body, and adds its arguments: one for each member of an object, else one for the whole body. `rest` has
/// the parameters of Swagger 2.0 that make the body.
pub(crate) fn read<'d>(
    reader: &Reader<'d>,
    operation: &'d Map<String, Value>,
    rest: &[&'d Value],
    names: &mut ArgumentNames,
    declared: &mut Vec<Declared<'d>>,
) -> Result<Option<Body>, OpenApiError> {
    if reader.document.is_swagger {
        return swagger(reader, operation, rest, names, declared);
    }
    let Some(body) = operation.get("requestBody") else {
        return Ok(None);
    };
    let Some(body) = reader.resolve(body)? else {
        return Ok(None);
    };
    let Some((media, content)) = content::best(body.get("content")) else {
        return Ok(None);
    };
    let kind = Kind::of(media);
    let is_required = is_required(body);
    let media: Box<str> = content::concrete(media).into();
    let whole = Whole {
        schema: content.get("schema"),
        note: body.get("description").and_then(Value::as_str),
        encoding: content.get("encoding").and_then(Value::as_object),
        kind,
        is_required,
    };
    whole.add(reader, names, declared)?;
    Ok(Some(Body {
        media,
        kind,
        is_required,
    }))
}

/// `in: body` and `in: formData`.
fn swagger<'d>(
    reader: &Reader<'d>,
    operation: &'d Map<String, Value>,
    rest: &[&'d Value],
    names: &mut ArgumentNames,
    declared: &mut Vec<Declared<'d>>,
) -> Result<Option<Body>, OpenApiError> {
    let consumes = operation
        .get("consumes")
        .or_else(|| reader.document.root.get("consumes"));
    let consumes = elements(consumes).filter_map(Value::as_str);
    let consumes: Vec<&str> = consumes.filter(|media| content::is_valid(media)).collect();
    if let Some(body) = rest.iter().find(|one| text(one, "in") == "body") {
        let json = consumes.iter().find(|media| Kind::of(media) == Kind::Json);
        let media = json
            .or(consumes.first())
            .copied()
            .unwrap_or("application/json");
        let media = content::concrete(media);
        let kind = match Kind::of(media) {
            Kind::Form | Kind::Multipart => Kind::Json,
            kind => kind,
        };
        let whole = Whole {
            schema: body.get("schema"),
            note: body.get("description").and_then(Value::as_str),
            encoding: None,
            kind,
            is_required: is_required(body),
        };
        whole.add(reader, names, declared)?;
        let is_required = is_required(body);
        return Ok(Some(Body {
            media: media.into(),
            kind,
            is_required,
        }));
    }
    let fields: Vec<_> = rest
        .iter()
        .filter(|one| text(one, "in") == "formData")
        .collect();
    if fields.is_empty() {
        return Ok(None);
    }
    let has_file = fields.iter().any(|one| text(one, "type") == "file");
    let is_multipart = has_file
        || consumes
            .iter()
            .any(|media| Kind::of(media) == Kind::Multipart);
    for &&field in &fields {
        let mut argument = new(
            text(field, "name"),
            Place::Member,
            is_required(field),
            names,
        );
        argument.encoding = encoding(Place::Member, field);
        argument.is_file = text(field, "type") == "file";
        declared.push(Declared {
            argument,
            schema: Some(field),
            note: field.get("description").and_then(Value::as_str),
        });
    }
    let (media, kind) = match is_multipart {
        true => ("multipart/form-data", Kind::Multipart),
        false => ("application/x-www-form-urlencoded", Kind::Form),
    };
    let is_required = fields.iter().any(|field| is_required(field));
    Ok(Some(Body {
        media: media.into(),
        kind,
        is_required,
    }))
}

/// A body that is described by one schema.
struct Whole<'d> {
    schema: Option<&'d Value>,
    note: Option<&'d str>,
    encoding: Option<&'d Map<String, Value>>,
    kind: Kind,
    is_required: bool,
}

impl<'d> Whole<'d> {
    fn add(
        &self,
        reader: &Reader<'d>,
        names: &mut ArgumentNames,
        declared: &mut Vec<Declared<'d>>,
    ) -> Result<(), OpenApiError> {
        let is_structured = matches!(self.kind, Kind::Json | Kind::Form | Kind::Multipart);
        let object = match self.schema.filter(|_| is_structured) {
            Some(schema) => {
                let view = View::new(reader, schema)?;
                ObjectSchema::of(reader, &view, Direction::Input)?
            }
            None => None,
        };
        let object = object.filter(|object| object.properties.len() <= MOST_MEMBERS);
        let Some(object) = object else {
            let mut argument = new("body", Place::Body, self.is_required, names);
            argument.is_file = self.kind == Kind::Binary;
            let (schema, note) = (self.schema, self.note);
            declared.push(Declared {
                argument,
                schema,
                note,
            });
            return Ok(());
        };
        for (name, schema) in object
            .properties
            .iter()
            .filter(|(name, _)| name.len() <= LONGEST_NAME)
        {
            let is_required = self.is_required && object.required.contains(name);
            let mut argument = new(name, Place::Member, is_required, names);
            let encoded = self.encoding.and_then(|all| all.get(*name));
            if let Some(value) = encoded {
                argument.encoding = encoding(Place::Member, value);
                let media = value.get("contentType").and_then(Value::as_str);
                let media = media
                    .and_then(|media| media.split(',').next())
                    .map(str::trim);
                let media = media.filter(|media| content::is_valid(media) && !media.contains('*'));
                argument.media = media.map(Into::into);
                if media.is_some_and(|media| content::is_json(&content::essence(media))) {
                    argument.encoding.style = Style::Json;
                }
            }
            argument.is_file = self.kind == Kind::Multipart && is_file(reader, schema)?;
            declared.push(Declared {
                argument,
                schema: Some(schema),
                note: None,
            });
        }
        Ok(())
    }
}
