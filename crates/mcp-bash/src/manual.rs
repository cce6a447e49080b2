//! The registrations of a project, which override the scan: `register.json`, or the output of `register.sh`.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::hook_error::RegisterError;
use super::places::Places;
use super::vars::Vars;
use super::{hooks, meta, trust};

/// A kind of entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are MCP's own")]
pub enum Kind {
    Tools,
    Resources,
    Templates,
    Prompts,
    Completions,
}

impl Kind {
    const ALL: [Self; 5] = [
        Self::Tools,
        Self::Resources,
        Self::Templates,
        Self::Prompts,
        Self::Completions,
    ];

    /// Its name in `register.json`.
    pub fn text(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
            Self::Completions => "completions",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.text() == text)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Registered entries. A kind that is absent is scanned as usual; a kind with an empty list offers nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manual([Option<Vec<Map<String, Value>>>; 5]);

impl Manual {
    /// Reads `register.json`, if it exists. An error affects every kind.
    pub fn read(places: &Places, vars: &Vars) -> Result<Option<Self>, RegisterError> {
        let file = places.server.join("register.json");
        if !file.is_file() {
            return Ok(None);
        }
        trust::script(&file, &places.root).map_err(|why| RegisterError::Refused {
            file: "register.json",
            why,
        })?;
        let most = vars.number("MCPBASH_MAX_MANUAL_REGISTRY_BYTES");
        let most = most.filter(|&n| n > 0).unwrap_or(hooks::MOST);
        let bytes = fs::read(&file).map_err(RegisterError::Read)?;
        if bytes.len() as u64 > most {
            return Err(RegisterError::TooLarge(most));
        }
        Self::parse(&bytes)?.checked(places).map(Some)
    }

    fn parse(json: &[u8]) -> Result<Self, RegisterError> {
        if json.starts_with(b"\xef\xbb\xbf") {
            return Err(RegisterError::ByteOrderMark);
        }
        let all: Value = serde_json::from_slice(json).map_err(RegisterError::Json)?;
        let Value::Object(all) = all else {
            return Err(RegisterError::NotAnObject);
        };
        if all.get("version").and_then(Value::as_f64) != Some(1.0) {
            return Err(RegisterError::Version);
        }
        let mut manual = Self::default();
        for (name, value) in all {
            match (Kind::parse(&name), value) {
                (_, Value::Null) => {}
                (Some(kind), Value::Array(entries)) => manual.put(kind, entries),
                (Some(kind), _) => return Err(RegisterError::NotAList(kind)),
                (None, Value::Object(_)) if name == "_meta" => {}
                (None, _) if name == "version" => {}
                (None, _) if name == "_meta" => return Err(RegisterError::Meta),
                (None, _) => return Err(RegisterError::UnknownMember(name)),
            }
        }
        Ok(manual)
    }

    /// Adds the registrations in a script's output, if it is a JSON object.
    pub(super) fn printed(&mut self, text: &str) {
        let Ok(Value::Object(all)) = serde_json::from_str(text) else {
            return;
        };
        for (name, value) in all {
            if let (Some(kind), Value::Array(entries)) = (Kind::parse(&name), value)
                && self.get(kind).is_none()
            {
                self.put(kind, entries);
            }
        }
    }

    pub(super) fn add(&mut self, kind: Kind, entry: Value) {
        if let Value::Object(entry) = entry {
            self.0[kind as usize].get_or_insert_default().push(entry);
        }
    }

    fn put(&mut self, kind: Kind, entries: Vec<Value>) {
        self.0[kind as usize] = Some(Vec::new());
        for entry in entries {
            self.add(kind, entry);
        }
    }

    /// The entries of a kind; `None` if it is not registered.
    pub fn get(&self, kind: Kind) -> Option<&[Map<String, Value>]> {
        self.0[kind as usize].as_deref()
    }

    /// Removes duplicates by name, keeping the first, and checks that completion files exist.
    pub(super) fn checked(mut self, places: &Places) -> Result<Self, RegisterError> {
        for entries in self.0.iter_mut().flatten() {
            let mut names: Vec<String> = Vec::new();
            entries.retain(|entry| {
                let name = meta::text(entry, "name")
                    .unwrap_or_default()
                    .trim()
                    .to_owned();
                let new = !name.is_empty() && !names.contains(&name);
                names.push(name);
                new
            });
        }
        for entry in self.0[Kind::Completions as usize].iter_mut().flatten() {
            let path = meta::text(entry, "path").unwrap_or_default();
            let Some(path) = inside(&places.root, path) else {
                return Err(RegisterError::Completion {
                    name: entry["name"].to_string(),
                    path: path.to_owned(),
                });
            };
            let path = path.to_string_lossy().into_owned();
            entry.insert("path".to_owned(), Value::String(path));
        }
        Ok(self)
    }
}

/// A file of the project, without symbolic links.
fn inside(root: &Path, path: &str) -> Option<PathBuf> {
    let real = root.join(path).canonicalize().ok()?;
    let inside = !path.is_empty() && real.is_file() && real.starts_with(root.canonicalize().ok()?);
    inside.then_some(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<Manual, RegisterError> {
        Manual::parse(json.as_bytes())
    }

    #[test]
    fn null_means_scan_and_an_empty_list_means_none() {
        let manual = parse(r#"{"version":1,"tools":[],"prompts":null,"_meta":{}}"#).unwrap();
        assert_eq!(manual.get(Kind::Tools), Some(&[][..]));
        assert_eq!(manual.get(Kind::Prompts), None);
        assert_eq!(manual.get(Kind::Resources), None);
    }

    #[test]
    fn invalid_registrations_are_refused() {
        for wrong in [
            r#"{"version":2}"#,
            r#"{"tools":[]}"#,
            r#"{"version":"1"}"#,
            r#"{"version":1,"tool":[]}"#,
            r#"{"version":1,"tools":{}}"#,
            r#"{"version":1,"_meta":[]}"#,
            r#"[]"#,
            r#"{"version":1,"#,
            "\u{feff}{\"version\":1}",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn completions_must_be_files_of_the_project() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("c.sh"), "").unwrap();
        let places = Places::of(root.path(), &Vars::default());
        let with = |path: &str| {
            let json = format!(r#"{{"version":1,"completions":[{{"name":"c","path":"{path}"}}]}}"#);
            parse(&json).unwrap().checked(&places)
        };
        assert!(with("c.sh").is_ok());
        assert!(with("../../etc/passwd").is_err());
        assert!(with("gone.sh").is_err());
        assert!(with("").is_err());
    }
}
