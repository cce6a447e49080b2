//! Files that a tool embeds in its result.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use super::super::content;
use super::super::places::Places;
use super::super::resources::file_uri;
use super::super::roots::{self, Root};

/// Size limit of one file.
const LARGEST: u64 = 10 << 20;

/// The contents that a tool names: as JSON, or as lines of path, type and URI separated by tabs. Files outside
/// the roots and unreadable files are left out.
pub fn embedded(said: &str, allowed: &[Root], places: &Places) -> Vec<Value> {
    let entries = match serde_json::from_str(said) {
        Ok(Value::Array(entries)) => entries,
        Ok(one @ (Value::Object(_) | Value::String(_))) => vec![one],
        _ => said.lines().map(line).collect(),
    };
    entries
        .iter()
        .filter_map(|entry| resource(entry, allowed, places))
        .collect()
}

fn line(line: &str) -> Value {
    let mut fields = line.split('\t');
    let mut next = || fields.next().filter(|field| !field.is_empty());
    let (path, mime, uri) = (next(), next(), next());
    json!({"path": path, "mimeType": mime, "uri": uri})
}

fn resource(entry: &Value, allowed: &[Root], places: &Places) -> Option<Value> {
    let field = |name: &str| {
        entry
            .get(name)
            .and_then(Value::as_str)
            .filter(|t| !t.is_empty())
    };
    let path = entry.as_str().or_else(|| field("path"))?;
    let path = places.root.join(Path::new(path));
    if !roots::contain(allowed, &path) {
        tracing::warn!("a tool names {} which is outside the roots", path.display());
        return None;
    }
    let real = path.canonicalize().ok()?;
    let mut bytes = Vec::new();
    File::open(&real)
        .ok()?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    if bytes.len() as u64 > LARGEST {
        tracing::warn!("a tool names {} which is too large", path.display());
        return None;
    }
    let uri = field("uri").map_or_else(|| file_uri(&real), str::to_owned);
    let contents = content::object(&uri, field("mimeType"), &bytes);
    Some(json!({"type": "resource", "resource": contents}))
}
