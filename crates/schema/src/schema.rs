//! JSON Schema: what arguments and results must look like.
//!
//! Compiling the first schema costs about 2.5 ms, for that compiles the schema of schemas. So a
//! schema that is plainly in order (`plain.rs`) is compiled when it is first needed, and only one
//! that uses more of the language is compiled to find out whether it is in order.

mod plain;

use std::fmt;
use std::sync::OnceLock;

use serde_json::Value;

/// How much is told about one value.
const MOST: usize = 20;

/// Why a schema cannot be used: where in it, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SchemaError(String);

/// A schema that is in order.
pub struct Schema {
    source: Value,
    compiled: OnceLock<Result<jsonschema::Validator, SchemaError>>,
}

impl Schema {
    /// Reads a schema. The draft is the one that it names, or 2020-12; nothing is fetched.
    pub fn new(schema: &Value) -> Result<Self, SchemaError> {
        let compiled = OnceLock::new();
        if !plain::is_plain(schema) {
            let _ = compiled.set(Ok(compile(schema)?));
        }
        Ok(Self {
            source: schema.clone(),
            compiled,
        })
    }

    /// What is wrong with a value: where, and what; nothing if it fits.
    pub fn check(&self, value: &Value) -> Vec<String> {
        let validator = match self.compiled() {
            Ok(validator) => validator,
            Err(error) => return vec![format!("the schema is broken: {error}")],
        };
        let errors = validator.iter_errors(value).take(MOST);
        errors.map(|error| located(&error)).collect()
    }

    fn compiled(&self) -> Result<&jsonschema::Validator, &SchemaError> {
        let compiled = self.compiled.get_or_init(|| compile(&self.source));
        compiled.as_ref()
    }
}

fn compile(schema: &Value) -> Result<jsonschema::Validator, SchemaError> {
    let built = jsonschema::options().offline().build(schema);
    built.map_err(|error| SchemaError(located(&error)))
}

/// An error with the place of the value that it is about.
fn located(error: &jsonschema::ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    if path.is_empty() {
        error.to_string()
    } else {
        format!("{path}: {error}")
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({})", self.source)
    }
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
