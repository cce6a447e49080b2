//! An operation as a tool.

use std::collections::HashMap;

use http::Method;
use serde_json::{Map, Value};
use url::Url;

use crate::argument::Argument;
use crate::arguments::{self, Source};
use crate::body::Body;
use crate::error::OpenApiError;
use crate::output::{self, Output};
use crate::reader::Reader;
use crate::security::{self, Scheme};
use crate::template::{self, Part};
use crate::tool::Tool;

/// An operation of a document.
pub struct Operation {
    pub(crate) name: String,
    /// The tool as JSON.
    pub(crate) definition: String,
    pub(crate) method: Method,
    pub(crate) base: Url,
    pub(crate) template: Vec<Part>,
    pub(crate) arguments: Vec<Argument>,
    /// Indexes of the arguments by name.
    pub(crate) places: HashMap<String, usize>,
    pub(crate) body: Option<Body>,
    pub(crate) accept: Box<str>,
    /// Indexes of the schemes whose credentials are sent.
    pub(crate) security: Vec<usize>,
    /// Whether results have structured content, and whether it is wrapped.
    pub(crate) output: Option<bool>,
}

impl Operation {
    /// The name of its tool.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The definition of its tool, as JSON.
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// The method of its requests.
    pub fn method(&self) -> &Method {
        &self.method
    }
}

/// An operation in the document.
pub(crate) struct Found<'d> {
    pub(crate) method: &'static str,
    pub(crate) path: &'d str,
    pub(crate) operation: &'d Map<String, Value>,
    pub(crate) path_item: &'d Map<String, Value>,
}

impl<'d> Found<'d> {
    pub(crate) fn text(&self, key: &str) -> Option<&'d str> {
        self.operation.get(key).and_then(Value::as_str)
    }

    /// Where it is, unless that is the server of the document.
    pub(crate) fn servers(&self) -> Option<&'d Value> {
        self.operation
            .get("servers")
            .or_else(|| self.path_item.get("servers"))
    }

    /// The operation as a tool; `None` if its definition is too large.
    pub(crate) fn read(
        &self,
        reader: &Reader<'d>,
        name: String,
        base: Url,
        context: &Context<'_>,
    ) -> Result<Option<Operation>, OpenApiError> {
        let template = template::parse(self.path);
        let source = Source {
            operation: self.operation,
            path_item: self.path_item,
            template: &template,
            schemes: context.schemes,
            own_headers: context.own_headers,
        };
        let (declared, body) = arguments::read(reader, &source)?;
        let method = self.method();
        let output = match context.output_schemas && method != Method::HEAD {
            true => Output::of(reader, self.operation)?,
            false => None,
        };
        let of_path = |key: &str| self.path_item.get(key).and_then(Value::as_str);
        let tool = Tool {
            name: &name,
            method: &method,
            path: self.path,
            summary: self
                .text("summary")
                .or(of_path("summary"))
                .unwrap_or_default(),
            description: self
                .text("description")
                .or(of_path("description"))
                .unwrap_or_default(),
            is_deprecated: self.operation.get("deprecated") == Some(&Value::Bool(true)),
            arguments: &declared,
            output: output.as_ref(),
        };
        let Some(definition) = tool.definition(reader)? else {
            return Ok(None);
        };
        let security = self
            .operation
            .get("security")
            .or_else(|| reader.document.root.get("security"));
        let arguments: Vec<Argument> = declared.into_iter().map(|one| one.argument).collect();
        let names = arguments.iter().enumerate();
        Ok(Some(Operation {
            places: names
                .map(|(at, argument)| (argument.name.clone(), at))
                .collect(),
            accept: output::accept(reader, self.operation)?,
            security: security::needed(security, context.schemes),
            // A schema that was too large is not in the definition.
            output: output
                .filter(|_| definition.has_output)
                .map(|output| output.is_wrapped),
            definition: definition.json,
            name,
            method,
            base,
            template,
            arguments,
            body,
        }))
    }

    fn method(&self) -> Method {
        Method::from_bytes(self.method.to_ascii_uppercase().as_bytes()).unwrap_or(Method::GET)
    }
}

/// What all operations are read with.
pub(crate) struct Context<'a> {
    pub(crate) schemes: &'a [Scheme],
    pub(crate) own_headers: &'a [String],
    pub(crate) output_schemas: bool,
}
