//! Reads the parameters and the body of an operation as arguments.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::argument::{Argument, Encoding, Place, Style};
use crate::body::{self, Body};
use crate::encode;
use crate::error::OpenApiError;
use crate::names::ArgumentNames;
use crate::object::elements;
use crate::reader::Reader;
use crate::security::Scheme;
use crate::template::Part;
use crate::view::View;

/// The most parameters of an operation.
const MOST: usize = 1000;
/// The most characters of a parameter's name.
pub(crate) const LONGEST_NAME: usize = 256;

/// An argument with what its definition is made of.
pub(crate) struct Declared<'d> {
    pub(crate) argument: Argument,
    /// None for a parameter without a schema.
    pub(crate) schema: Option<&'d Value>,
    pub(crate) note: Option<&'d str>,
}

/// What the arguments of an operation are read from.
pub(crate) struct Source<'a, 'd> {
    pub(crate) operation: &'d Map<String, Value>,
    pub(crate) path_item: &'d Map<String, Value>,
    pub(crate) template: &'a [Part],
    pub(crate) schemes: &'a [Scheme],
    /// Names of headers that no argument sets.
    pub(crate) own_headers: &'a [String],
}

/// A parameter as the document has it.
struct Parameter<'d> {
    name: &'d str,
    place: Place,
    value: &'d Value,
}

/// The arguments of an operation and its body.
pub(crate) fn read<'d>(
    reader: &Reader<'d>,
    source: &Source<'_, 'd>,
) -> Result<(Vec<Declared<'d>>, Option<Body>), OpenApiError> {
    let (parameters, rest) = parameters(reader, source)?;
    let mut names = ArgumentNames::default();
    let mut declared = Vec::new();
    for place in [Place::Path, Place::Query, Place::Header, Place::Cookie] {
        if place == Place::Path {
            declared.extend(undeclared(source.template, &parameters, &mut names));
        }
        for parameter in parameters.iter().filter(|one| one.place == place) {
            declared.push(argument(reader, parameter, &mut names)?);
        }
    }
    let body = body::read(reader, source.operation, &rest, &mut names, &mut declared)?;
    Ok((declared, body))
}

/// The parameters, and those of Swagger 2.0 that make the body.
type Parameters<'d> = (Vec<Parameter<'d>>, Vec<&'d Value>);

fn parameters<'d>(
    reader: &Reader<'d>,
    source: &Source<'_, 'd>,
) -> Result<Parameters<'d>, OpenApiError> {
    let (mut found, mut rest): Parameters<'d> = Default::default();
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    // Those of the operation replace those of the path.
    let own = elements(source.operation.get("parameters"));
    for value in own.chain(elements(source.path_item.get("parameters"))) {
        reader.spend(1)?;
        let Some(value) = reader.resolve(value)? else {
            continue;
        };
        let (name, word) = (text(value, "name"), text(value, "in"));
        if name.is_empty()
            || name.len() > LONGEST_NAME
            || found.len() >= MOST
            || !seen.insert((name, word))
        {
            continue;
        }
        let Some(place) = Place::of(word) else {
            rest.push(value);
            continue;
        };
        let is_ours = match place {
            Place::Path => !source.template.contains(&Part::Parameter(name.into())),
            Place::Header => is_own_header(name, source.own_headers),
            _ => false,
        };
        if !is_ours
            && !source
                .schemes
                .iter()
                .any(|scheme| scheme.covers(word, name))
        {
            found.push(Parameter { name, place, value });
        }
    }
    Ok((found, rest))
}

/// Headers that OpenAPI describes elsewhere, that belong to the connection, and that the caller sets.
fn is_own_header(name: &str, own: &[String]) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(name.as_str(), "accept" | "content-type" | "authorization")
        || encode::is_framing(&name)
        || http::HeaderName::try_from(&name).is_err()
        || own.contains(&name)
}

/// Parameters of the path that the document does not declare.
fn undeclared<'d>(
    template: &[Part],
    parameters: &[Parameter<'d>],
    names: &mut ArgumentNames,
) -> Vec<Declared<'d>> {
    let mut missing: Vec<&str> = Vec::new();
    for part in template {
        let Part::Parameter(name) = part else {
            continue;
        };
        let is_declared = parameters
            .iter()
            .any(|one| one.place == Place::Path && *one.name == **name);
        if !is_declared && !missing.contains(&&**name) && missing.len() < MOST {
            missing.push(name);
        }
    }
    let declare = |name: &&str| Declared {
        argument: new(name, Place::Path, true, names),
        schema: None,
        note: None,
    };
    missing.iter().map(declare).collect()
}

/// An argument with the defaults of its place.
pub(crate) fn new(
    original: &str,
    place: Place,
    is_required: bool,
    names: &mut ArgumentNames,
) -> Argument {
    Argument {
        name: names.add(original, place.word()),
        original: original.into(),
        place,
        encoding: Encoding::of(place),
        is_required,
        is_file: false,
        media: None,
    }
}

fn argument<'d>(
    reader: &Reader<'d>,
    parameter: &Parameter<'d>,
    names: &mut ArgumentNames,
) -> Result<Declared<'d>, OpenApiError> {
    let Parameter { name, place, value } = *parameter;
    let is_required = place == Place::Path || is_required(value);
    let mut argument = new(name, place, is_required, names);
    argument.encoding = encoding(place, value);
    let content = value.get("content").and_then(Value::as_object);
    let schema = match content.and_then(|content| content.iter().next()) {
        Some((_, media)) => {
            argument.encoding.style = Style::Json;
            media.get("schema")
        }
        // In Swagger 2.0 the parameter is its own schema.
        None if reader.document.is_swagger => Some(value),
        None => value.get("schema"),
    };
    let note = value.get("description").and_then(Value::as_str);
    Ok(Declared {
        argument,
        schema,
        note,
    })
}

/// `style`, `explode` and `allowReserved` of a parameter, or `collectionFormat` of Swagger 2.0.
pub(crate) fn encoding(place: Place, value: &Value) -> Encoding {
    let text = |key: &str| text(value, key);
    let default = Encoding::of(place);
    let style = match text("style") {
        "simple" => Style::Simple,
        "label" => Style::Label,
        "matrix" => Style::Matrix,
        "form" => Style::Form,
        "spaceDelimited" => Style::Joined(' '),
        "pipeDelimited" => Style::Joined('|'),
        "deepObject" => Style::Deep,
        _ => default.style,
    };
    let explode = match value.get("explode") {
        Some(Value::Bool(explode)) => *explode,
        _ => style == Style::Form,
    };
    let (style, explode) = match text("collectionFormat") {
        "multi" => (style, true),
        "ssv" => (Style::Joined(' '), false),
        "pipes" => (Style::Joined('|'), false),
        "tsv" => (Style::Joined('\t'), false),
        "csv" => (style, false),
        // The default of Swagger 2.0, where arrays have no `schema`.
        _ if text("type") == "array" => (style, false),
        _ => (style, explode),
    };
    Encoding {
        style,
        explode,
        allow_reserved: value.get("allowReserved") == Some(&Value::Bool(true)),
    }
}

/// A member that is text; empty if there is none.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Whether a parameter or a body has to be given.
pub(crate) fn is_required(value: &Value) -> bool {
    value.get("required") == Some(&Value::Bool(true))
}

/// Whether values of a schema are files, or lists of files.
pub(crate) fn is_file<'d>(reader: &Reader<'d>, schema: &'d Value) -> Result<bool, OpenApiError> {
    let view = View::new(reader, schema)?;
    let is_binary = |view: &View<'_>| {
        let media = view.text("contentMediaType");
        view.text("format") == Some("binary")
            || view.text("type") == Some("file")
            || media
                .is_some_and(|media| media.ends_with("octet-stream") || media.starts_with("image/"))
    };
    match view.get("items") {
        Some(items) if view.text("type") == Some("array") => {
            Ok(is_binary(&View::new(reader, items)?))
        }
        _ => Ok(is_binary(&view)),
    }
}
