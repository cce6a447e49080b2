//! A document as a list of tools.

use std::collections::HashMap;

use serde_json::Value;
use url::Url;

use crate::document::Document;
use crate::error::OpenApiError;
use crate::filter::Filter;
use crate::instructions;
use crate::names::{self, Identity};
use crate::object::elements;
use crate::operation::{Context, Found, Operation};
use crate::options::ReadOptions;
use crate::reader::Reader;
use crate::security::{self, Scheme};
use crate::server;

/// Operations that are served.
const MOST: usize = 10_000;
/// The methods of OpenAPI, in the order in which their operations are listed.
const METHODS: [&str; 8] = [
    "get", "head", "options", "trace", "post", "put", "patch", "delete",
];

/// The operations of a document.
pub struct Api {
    title: String,
    version: String,
    instructions: String,
    base: Url,
    operations: Vec<Operation>,
    /// Indexes of the operations by name.
    names: HashMap<String, usize>,
    pub(crate) schemes: Vec<Scheme>,
    elsewhere: usize,
    too_large: usize,
}

impl Api {
    /// Reads a document: JSON or YAML.
    pub fn read(text: &str, options: &ReadOptions) -> Result<Self, OpenApiError> {
        let document = Document::parse(text)?;
        let reader = Reader::new(&document);
        let base = server::base_url(&document, options)?;
        let schemes = security::schemes(&reader, &options.credentials)?;
        let found = operations(&reader)?;
        if found.is_empty() {
            return Err(OpenApiError::NoOperations);
        }
        let mut selected = selected(&found, options);
        if selected.is_empty() {
            return Err(OpenApiError::NothingSelected(found.len()));
        }
        if selected.len() > MOST {
            let found = selected.len();
            return Err(OpenApiError::TooManyOperations { found, limit: MOST });
        }
        let tags = tag_order(&document, &found);
        selected.sort_by_key(|(one, _)| tag(one).map_or(usize::MAX, |tag| tags[tag]));
        let context = Context {
            schemes: &schemes,
            own_headers: &options.own_headers,
            output_schemas: options.output_schemas,
        };
        let (mut operations, mut elsewhere, mut too_large) = (Vec::new(), 0, 0);
        for (one, name) in selected {
            let Some(base) = server::of_operation(one.servers(), &base, options) else {
                elsewhere += 1;
                continue;
            };
            match one.read(&reader, name, base, &context)? {
                Some(operation) => operations.push(operation),
                None => too_large += 1,
            }
        }
        let (title, version) = instructions::title(&document.root);
        let names = operations.iter().enumerate();
        Ok(Self {
            title,
            version,
            instructions: instructions::of(&document.root),
            base,
            names: names.map(|(at, one)| (one.name.clone(), at)).collect(),
            operations,
            schemes,
            elsewhere,
            too_large,
        })
    }

    /// The title of the document; it may be empty.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The version of the API; it may be empty.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Title and description, for the model.
    pub fn instructions(&self) -> &str {
        &self.instructions
    }

    /// The URL of the server. All requests go to its origin.
    pub fn base_url(&self) -> &Url {
        &self.base
    }

    /// The operations, in the order of their tags.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operation with this name.
    pub fn operation(&self, name: &str) -> Option<&Operation> {
        self.names.get(name).map(|at| &self.operations[*at])
    }

    /// The security schemes of the document.
    pub fn schemes(&self) -> &[Scheme] {
        &self.schemes
    }

    /// Operations that were left out because they are on another server.
    pub fn elsewhere(&self) -> usize {
        self.elsewhere
    }

    /// Operations that were left out because their definitions are too large.
    pub fn too_large(&self) -> usize {
        self.too_large
    }

    /// The definitions of all tools, as a JSON array.
    pub fn tools(&self) -> String {
        let all: Vec<&str> = self.operations.iter().map(Operation::definition).collect();
        format!("[{}]", all.join(","))
    }
}

/// All operations of a document, in its order.
fn operations<'d>(reader: &Reader<'d>) -> Result<Vec<Found<'d>>, OpenApiError> {
    let mut found = Vec::new();
    for (path, item) in reader.document.paths()? {
        let Some(path_item) = reader.object(item)?.filter(|_| path.starts_with('/')) else {
            continue;
        };
        for method in METHODS {
            reader.spend(1)?;
            if let Some(operation) = path_item.get(method).and_then(Value::as_object) {
                found.push(Found {
                    method,
                    path,
                    operation,
                    path_item,
                });
            }
        }
    }
    Ok(found)
}

/// The operations that the filters select, with their names. A name does not depend on the filters.
fn selected<'f, 'd>(found: &'f [Found<'d>], options: &ReadOptions) -> Vec<(&'f Found<'d>, String)> {
    let identity = |one: &Found<'d>| Identity {
        id: one.text("operationId"),
        method: one.method,
        path: one.path,
    };
    let names = names::of_operations(&found.iter().map(identity).collect::<Vec<_>>());
    let filter = Filter::new(&options.include, &options.exclude);
    let is_selected = |(one, name): &(&Found<'d>, String)| {
        let path = one.path;
        let method = format!("{} {path}", one.method.to_ascii_uppercase());
        let mut words = vec![name.as_str(), path, &method];
        words.extend(elements(one.operation.get("tags")).filter_map(Value::as_str));
        filter.selects(&words)
    };
    found.iter().zip(names).filter(is_selected).collect()
}

/// The first tag of an operation.
fn tag<'d>(one: &Found<'d>) -> Option<&'d str> {
    one.operation.get("tags")?.get(0)?.as_str()
}

/// The places of tags: those of the document's list first, then in the order of the operations.
fn tag_order<'d>(document: &'d Document, found: &[Found<'d>]) -> HashMap<&'d str, usize> {
    let listed = elements(document.root.get("tags"));
    let listed = listed.filter_map(|tag| tag.get("name").and_then(Value::as_str));
    let mut order = HashMap::new();
    for tag in listed.chain(found.iter().filter_map(tag)) {
        let next = order.len();
        order.entry(tag).or_insert(next);
    }
    order
}
