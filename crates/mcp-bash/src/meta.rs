//! Metadata of entries: a file `x.meta.json` beside them, or a line `mcp: {…}` near their beginning.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::places::Places;
use super::trust;
use crate::os::PermissionsExt;
use linkspan_scripts::folder::{Problem, Severity};

/// Size limit of a metadata file.
const LARGEST: u64 = 4 << 20;
/// Depth limit of the folders of entries.
const DEEPEST: usize = 8;

/// The metadata file of an entry, if it exists: `tool.sh.meta.json`, or `tool.meta.json`.
pub fn sidecar(entry: &Path) -> Option<PathBuf> {
    let name = entry.file_name()?.to_str()?;
    let long = entry.with_file_name(format!("{name}.meta.json"));
    if long.is_file() {
        return Some(long);
    }
    let stem = name.rsplit_once('.')?.0;
    let short = entry.with_file_name(format!("{stem}.meta.json"));
    (!stem.is_empty() && short.is_file()).then_some(short)
}

/// The first members of a registry item: name, title and description. `file_name` is the default name.
pub fn described(said: &Map<String, Value>, file_name: &str) -> Map<String, Value> {
    let mut item = Map::new();
    item.insert(
        "name".to_owned(),
        json!(text(said, "name").unwrap_or(file_name)),
    );
    if let Some(title) = text(said, "title") {
        item.insert("title".to_owned(), json!(title));
    }
    let description = text(said, "description").unwrap_or("");
    item.insert("description".to_owned(), json!(description));
    item
}

/// Reads a metadata file. Returns a problem if other users can write the file, or if it is not an object.
pub fn read(path: &Path, places: &Places) -> Result<Map<String, Value>, Box<Problem>> {
    let wrong = |why: String| Box::new(problem(places.relative(path), Severity::Error, why));
    let mut text = String::new();
    let file = trust::open(path, places)?;
    let read = file.take(LARGEST).read_to_string(&mut text);
    read.map_err(|e| wrong(e.to_string()))?;
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(wrong("it must be a JSON object".to_owned())),
        Err(e) => Err(wrong(format!("invalid JSON: {e}"))),
    }
}

/// The text of a file; `None` if other users can write it or it is too large.
pub fn whole(path: &Path, places: &Places) -> Option<String> {
    let mut text = String::new();
    let file = trust::open(path, places).ok()?;
    file.take(LARGEST + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= LARGEST).then_some(text)
}

/// The object after `mcp:` in one of the first ten lines.
pub fn inline(entry: &Path) -> Option<Map<String, Value>> {
    const LINES: usize = 10;
    const LONG: u64 = 64 << 10;
    let file = BufReader::new(File::open(entry).ok()?.take(LONG));
    let mut lines = file.split(b'\n').take(LINES).map_while(Result::ok);
    let found = lines.find_map(|line| {
        let line = String::from_utf8_lossy(&line);
        line.split_once("mcp:")
            .map(|(_, json)| json.trim().to_owned())
    });
    match serde_json::from_str(&found?).ok()? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// A member that is a non-empty string.
pub fn text<'a>(meta: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    meta.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// A member that is not null.
pub fn some<'a>(meta: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    meta.get(name).filter(|value| !value.is_null())
}

/// A whole number of seconds, as a number or a string.
pub fn seconds(meta: &Map<String, Value>, name: &str) -> Option<u64> {
    match meta.get(name)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => super::vars::digits(text),
        _ => None,
    }
}

/// A schema of arguments that clients accept: an object with properties.
pub fn schema(given: Option<&Value>) -> Value {
    let Some(Value::Object(schema)) = given else {
        return json!({"type": "object", "properties": {}});
    };
    let mut schema = schema.clone();
    if !schema.get("type").is_some_and(is_something) {
        schema.insert("type".to_owned(), json!("object"));
    }
    if !schema.get("properties").is_some_and(Value::is_object) {
        schema.insert("properties".to_owned(), json!({}));
    }
    Value::Object(schema)
}

fn is_something(kind: &Value) -> bool {
    match kind {
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    }
}

/// Whether a file can be run: it is executable, has the extension of a shell script, or has a `#!` line.
pub fn is_program(path: &Path) -> bool {
    is_executable(path) || is_shell_script(path) || has_shebang(path)
}

/// Whether an execute permission is set.
pub fn is_executable(path: &Path) -> bool {
    let meta = path.metadata();
    meta.is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Whether the file has the extension of a shell script.
pub fn is_shell_script(path: &Path) -> bool {
    matches!(
        path.extension().and_then(|e| e.to_str()),
        Some("sh" | "bash")
    )
}

/// Whether the file begins with `#!`.
pub fn has_shebang(path: &Path) -> bool {
    let mut two = [0; 2];
    let read = File::open(path).and_then(|mut f| f.read_exact(&mut two));
    read.is_ok() && &two == b"#!"
}

/// The command line that runs a file; `None` if it cannot be run.
pub fn argv(path: &Path) -> Option<Vec<std::ffi::OsString>> {
    if is_executable(path) {
        Some(vec![path.into()])
    } else if is_shell_script(path) || has_shebang(path) {
        Some(vec!["bash".into(), path.into()])
    } else {
        None
    }
}

/// The files under a folder, sorted by path. Skips links, hidden files, and names with line breaks.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(folder, 0, &mut found);
    found.sort();
    found
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let name = entry.file_name();
        let usable = name.to_str().is_some_and(|n| !n.contains(['\n', '\r']));
        if kind.is_dir() && depth < DEEPEST && usable {
            walk(&entry.path(), depth + 1, found);
        } else if kind.is_file() && usable && !name.as_encoded_bytes().starts_with(b".") {
            found.push(entry.path());
        }
    }
}

/// Whether a file is metadata or a completion of another file.
pub fn is_beside(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [".meta.json", ".completion.sh", ".completion"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// A problem of a file, for its author.
pub fn problem(path: &Path, severity: Severity, text: impl Into<String>) -> Problem {
    Problem {
        severity,
        path: path.to_owned(),
        line: None,
        text: text.into(),
        hint: None,
        fix: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_name_of_a_sidecar_comes_first() {
        let root = tempfile::tempdir().unwrap();
        let tool = root.path().join("tool.sh");
        assert_eq!(sidecar(&tool), None);
        fs::write(root.path().join("tool.meta.json"), "{}").unwrap();
        assert!(sidecar(&tool).unwrap().ends_with("tool.meta.json"));
        fs::write(root.path().join("tool.sh.meta.json"), "{}").unwrap();
        assert!(sidecar(&tool).unwrap().ends_with("tool.sh.meta.json"));
    }

    #[test]
    fn inline_metadata_must_be_near_the_beginning() {
        let root = tempfile::tempdir().unwrap();
        let tool = root.path().join("tool.sh");
        fs::write(&tool, "#!/bin/sh\n# mcp:{\"name\":\"x\"}\n").unwrap();
        assert_eq!(inline(&tool).unwrap()["name"], "x");
        fs::write(&tool, format!("{}# mcp: {{}}\n", "\n".repeat(10))).unwrap();
        assert_eq!(inline(&tool), None);
        fs::write(&tool, "# mcp: not json\n# mcp: {}\n").unwrap();
        assert_eq!(inline(&tool), None);
    }

    #[test]
    fn schemas_become_objects_with_properties() {
        let whole = json!({"type": "object", "properties": {}});
        assert_eq!(schema(None), whole);
        assert_eq!(schema(Some(&json!([1]))), whole);
        assert_eq!(schema(Some(&json!({}))), whole);
        let given = json!({"type": "object", "properties": {"a": {}}, "required": ["a"]});
        assert_eq!(schema(Some(&given)), given);
    }
}
