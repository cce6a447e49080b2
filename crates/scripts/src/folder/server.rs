//! The server's own file: its name and version, and the settings for every entry.

use std::fs;
use std::path::{Path, PathBuf};

use linkspan_schema::nearest;
use serde_json::{Map, Value};

use super::ENTRY_FOLDERS;
use super::catalogue::{Problem, ServerInfo, Severity};
use super::fields;
use super::listing::Item;
use super::meta::Meta;
use super::names;
use super::reader::{FolderError, Reader};

/// The possible names of the server's file; only one may exist.
pub(super) const SERVER_FILES: [&str; 4] =
    ["server.toml", "server.yaml", "server.yml", "server.json"];

/// The contents of the server's file.
pub(super) struct Server {
    pub(super) info: ServerInfo,
    pub(super) page_size: usize,
    pub(super) concurrency: usize,
    pub(super) filter: Filter,
}

/// The filter of offered tools.
pub(super) struct Filter {
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

impl Filter {
    /// Whether a tool may be offered.
    pub(super) fn allows(&self, tool: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|p| names::matches(p, tool));
        self.allow.as_deref().is_none_or(any) && !any(&self.deny)
    }
}

impl Reader<'_> {
    pub(super) fn server(&mut self) -> Result<Server, FolderError> {
        let mut files: Vec<Item> = SERVER_FILES
            .iter()
            .filter_map(|name| self.root_file(name))
            .collect();
        if files.len() > 1 {
            let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
            return Err(FolderError::ServerFile(Box::new(Problem {
                severity: Severity::Error,
                path: PathBuf::from(names[1]),
                line: None,
                text: format!("{} says the same", names[0]),
                hint: Some("keep one of them".to_owned()),
                fix: None,
            })));
        }
        let before = self.problems.len();
        let mut layers = Vec::new();
        if let Some(file) = files.first() {
            layers.extend(self.layer(file));
        }
        self.check(&layers, fields::SERVER);
        let meta = Meta::merge(layers);
        let item = files.pop();
        let mut run = self.defaults.clone();
        run.apply(&meta, &self.root);
        if let Some(item) = &item {
            self.cwd(&mut run, &meta, item);
        }
        self.defaults = run;
        // Only the server's file has been read so far, so an error belongs to it.
        let error = |p: &Problem| p.severity == Severity::Error;
        if let Some(at) = self.problems[before..].iter().position(error) {
            let problem = self.problems.swap_remove(before + at);
            return Err(FolderError::ServerFile(Box::new(problem)));
        }
        self.misspelled();
        Ok(Server {
            info: self.info(&meta),
            page_size: meta.count("pageSize").unwrap_or(1000) as usize,
            concurrency: meta.count("concurrency").unwrap_or(16) as usize,
            filter: Filter {
                allow: meta.texts("allow"),
                deny: meta.texts("deny").unwrap_or_default(),
            },
        })
    }

    fn info(&mut self, meta: &Meta) -> ServerInfo {
        let folder = self.root.file_name().unwrap_or_default();
        let folder = folder.to_string_lossy().into_owned();
        let name = meta.text("name").map(str::to_owned);
        let version = meta.node("version").and_then(|node| node.scalar());
        let mut shown = Map::new();
        let name = name.or_else(|| (!folder.is_empty()).then_some(folder));
        shown.insert(
            "name".to_owned(),
            Value::String(name.unwrap_or_else(|| "linkspan".to_owned())),
        );
        shown.insert(
            "version".to_owned(),
            Value::String(version.unwrap_or("0.0.0").to_owned()),
        );
        meta.show(&["title", "description", "websiteUrl", "icons"], &mut shown);
        let instructions = meta.text("instructions").map(str::to_owned);
        let instructions = instructions.or_else(|| {
            let file = self.root_file("instructions.md")?;
            self.text(&file)
        });
        ServerInfo {
            shown: Value::Object(shown),
            instructions: instructions.filter(|text| !text.trim().is_empty()),
            metadata: meta.to_value(),
        }
    }

    /// A file directly in the root.
    fn root_file(&mut self, name: &str) -> Option<Item> {
        let path = self.root.join(name);
        let metadata = fs::symlink_metadata(&path).ok()?;
        let metadata = if metadata.is_symlink() {
            self.follow(&path)?
        } else {
            metadata
        };
        metadata.is_file().then(|| Item {
            name: name.to_owned(),
            shown: PathBuf::from(name),
            path,
            metadata,
        })
    }

    /// Warns about folders with similar names to those of entries, and about a folder without any entries.
    fn misspelled(&mut self) {
        let Ok(entries) = fs::read_dir(&self.root) else {
            return;
        };
        let mut any = false;
        let mut odd = Vec::new();
        for entry in entries.flatten().take(1_000) {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if ENTRY_FOLDERS.contains(&name) {
                any = true;
            } else if entry.file_type().is_ok_and(|t| t.is_dir()) && !name.starts_with(['.', '_']) {
                let near = nearest(name, ENTRY_FOLDERS);
                odd.extend(near.map(|near| (name.to_owned(), near)));
            }
        }
        odd.sort();
        for (name, near) in odd {
            if !self.root.join(near).exists() {
                let text = "is ignored".to_owned();
                let hint = format!("did you mean `{near}`?");
                self.warn(Path::new(&name), text).hint = Some(hint);
            }
        }
        if !any {
            let text =
                "nothing to offer: there is none of the folders tools, prompts, resources, skills";
            let hint = "put an executable file into `tools/`".to_owned();
            self.warn(Path::new("."), text.to_owned()).hint = Some(hint);
        }
    }
}
