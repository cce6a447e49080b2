//! JSON Schema of arguments and results.
//!
//! Compiling the first schema costs about 2.5 ms, because it compiles the metaschema too. So a schema in the
//! plain subset (`plain.rs`) is compiled on first use, and only other schemas are compiled at once to validate
//! them.

mod plain;

use std::fmt;
use std::sync::OnceLock;

use serde_json::Value;

/// Limit of errors per value.
const MOST: usize = 20;

/// Why a schema is invalid: the path in it, and the error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SchemaError(String);

/// A valid schema.
pub struct Schema {
    source: Value,
    compiled: OnceLock<Result<jsonschema::Validator, SchemaError>>,
}

impl Schema {
    /// Reads a schema. The draft is that of `$schema`, or 2020-12; nothing is fetched.
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

    /// The errors of a value, with their paths; empty if the value is valid.
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

/// An error with the path of its value.
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
