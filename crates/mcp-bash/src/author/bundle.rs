//! `mcp-bash bundle`: a project as one file (`.mcpb`) that desktop clients install.

mod conf;
mod line;
mod manifest;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Component, Path, PathBuf};

use linkspan_wire::replace_unprintable;
use serde_json::Value;

use super::AuthorError;
use super::drafts::RUN_SERVER;
use super::error::shown;
use super::zip::Zip;
use crate::{Project, file_uri, registry};
use conf::Conf;

pub use line::BundleLine;

/// The parts of a project that every bundle contains.
const PARTS: [&str; 8] = [
    "tools",
    "resources",
    "prompts",
    "completions",
    "providers",
    "server.d",
    "lib",
    "ui",
];
const PLATFORMS: [&str; 3] = ["darwin", "linux", "win32"];
/// Limit of folder depth.
const DEEPEST: usize = 32;

/// The options of `bundle`. Missing ones are taken from `mcpb.conf` and the project.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The name of the bundle.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// `darwin`, `linux`, `win32` or `all`.
    pub platform: Option<String>,
    /// Whether the bundle contains no server program.
    pub without_server: bool,
    /// This program, which becomes the server in the bundle.
    pub exe: Option<PathBuf>,
}

/// Progress and warnings while a bundle is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note<'a> {
    /// A file was added under this name.
    Added(&'a str),
    /// The metadata names a file that the project does not have.
    LeftOut(&'a str),
    /// `MCPB_INCLUDE` names a path that the project does not have.
    NotIncluded(&'a str),
    /// A link that leads out of the project was skipped.
    Outside(&'a Path),
    /// The bundle has no author.
    NoAuthor,
}

/// The message for the author.
impl fmt::Display for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clean = replace_unprintable;
        match self {
            Self::Added(name) => write!(f, "  {}", clean(name)),
            Self::LeftOut(name) => {
                write!(f, "`{}` is not a file of the project and was left out", clean(name))
            }
            Self::NotIncluded(part) => write!(
                f,
                "mcpb.conf: MCPB_INCLUDE: `{}` is not in the project and was left out",
                clean(part)
            ),
            Self::Outside(path) => {
                write!(f, "{} leads out of the project and was left out", shown(path))
            }
            Self::NoAuthor => f.write_str(
                "the bundle has no author, which its format asks for: set MCPB_AUTHOR_NAME in mcpb.conf",
            ),
        }
    }
}

/// A checked bundle, ready to be written.
#[derive(Debug)]
pub struct Bundle {
    root: PathBuf,
    conf: Conf,
    name: String,
    version: String,
    platforms: Vec<&'static str>,
    /// This program, if the bundle contains a server.
    server: Option<PathBuf>,
    /// Whether the bundle contains the registry, so that a start does not have to build it.
    fixed: bool,
    manifest: Value,
}

/// The written bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its file.
    pub path: PathBuf,
    /// The number of files in it.
    pub files: usize,
}

impl Bundle {
    /// Checks the options and builds the manifest.
    pub fn new(
        project: &Project,
        request: Request,
        tell: &dyn Fn(Note<'_>),
    ) -> Result<Self, AuthorError> {
        let meta = project.places.server.join("server.meta.json");
        if !meta.is_file() {
            return Err(AuthorError::NoServerMeta(meta));
        }
        let root = project.places.root.clone();
        let conf = Conf::read(&root.join("mcpb.conf"));
        let shown = |field: &str| project.server.shown[field].as_str().unwrap_or_default();
        let name = request.name.or_else(|| conf.get("MCPB_NAME"));
        let name = name.unwrap_or_else(|| shown("name").to_owned());
        let version = request.version.or_else(|| conf.get("MCPB_VERSION"));
        let version = version.unwrap_or_else(|| shown("version").to_owned());
        for part in [&name, &version] {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
            if part.is_empty() || part.starts_with('.') || !part.chars().all(plain) {
                return Err(AuthorError::FileName(part.clone()));
            }
        }
        let platforms = platforms(request.platform, request.without_server)?;
        // This program runs on this platform only.
        let own = !request.without_server && here().is_some_and(|here| platforms == [here]);
        let fixed = conf.get("MCPB_STATIC");
        let mut bundle = Self {
            root,
            name,
            version,
            platforms,
            server: request.exe.filter(|_| own),
            fixed: !matches!(fixed.as_deref(), Some("false" | "0" | "no" | "off")),
            conf,
            manifest: Value::Null,
        };
        bundle.manifest = manifest::of(&bundle, project, tell)?;
        Ok(bundle)
    }

    /// The file name of the bundle.
    pub fn file_name(&self) -> String {
        format!("{}-{}.mcpb", self.name, self.version)
    }

    /// The platform of the server in the bundle, if there is one.
    pub fn platform(&self) -> Option<&'static str> {
        self.server.as_ref()?;
        self.platforms.first().copied()
    }

    /// Writes the bundle into a folder, which is created if necessary.
    pub fn write(
        &self,
        project: &Project,
        folder: &Path,
        tell: &dyn Fn(Note<'_>),
    ) -> Result<Written, AuthorError> {
        if self.fixed {
            let registry = &project.places.registry;
            registry::refresh(project).map_err(|e| AuthorError::write(registry, e))?;
        }
        fs::create_dir_all(folder).map_err(|e| AuthorError::write(folder, e))?;
        let file_name = self.file_name();
        let path = folder.join(&file_name);
        let half = folder.join(format!(".{file_name}.half"));
        let written = File::create(&half).and_then(|file| {
            let files = self.write_zip(BufWriter::new(file), tell)?;
            fs::rename(&half, &path).map(|()| files)
        });
        match written {
            Ok(files) => Ok(Written { path, files }),
            Err(e) => {
                let _ = fs::remove_file(&half);
                Err(AuthorError::write(&path, e))
            }
        }
    }

    fn write_zip(&self, out: impl io::Write, tell: &dyn Fn(Note<'_>)) -> io::Result<usize> {
        let mut zip = Zip::new(out);
        let mut count = 0;
        let mut add = |name: &str, mode: u32, bytes: &[u8]| {
            tell(Note::Added(name));
            count += 1;
            zip.file(name, mode, bytes)
        };
        add("manifest.json", 0o644, self.manifest.to_string().as_bytes())?;
        for (name, path) in self.pictures(tell) {
            add(&name, 0o644, &fs::read(path)?)?;
        }
        add("server/run-server.sh", 0o755, RUN_SERVER.as_bytes())?;
        if let Some(server) = &self.server {
            add("server/.mcp-bash/bin/mcp-bash", 0o755, &fs::read(server)?)?;
        }
        for (below, path) in self.files(tell) {
            let bytes = fs::read(&path)?;
            // `file://` URIs of this machine are invalid elsewhere; without the registry file the server scans
            // again.
            if below == ".registry/resources.json" && mentions(&bytes, &file_uri(&self.root)) {
                continue;
            }
            add(&format!("server/{below}"), mode(&path), &bytes)?;
        }
        zip.finish()?;
        Ok(count)
    }

    fn icon(&self) -> Option<&'static str> {
        ["icon.png", "icon.svg"]
            .into_iter()
            .find(|name| self.root.join(name).is_file())
    }

    /// The icons and screenshots that the manifest names.
    fn pictures(&self, tell: &dyn Fn(Note<'_>)) -> BTreeMap<String, PathBuf> {
        let about = &self.manifest;
        let all = |field: &str| about[field].as_array().into_iter().flatten();
        let icons = all("icons").map(|icon| &icon["src"]);
        let named = all("screenshots").chain(icons).chain([&about["icon"]]);
        let named = named.filter_map(Value::as_str);
        let mut found = BTreeMap::new();
        for name in named.filter(|name| !name.contains("://") && !name.starts_with("data:")) {
            match self.inside(name) {
                Some(path) => drop(found.insert(name.to_owned(), path)),
                None => tell(Note::LeftOut(name)),
            }
        }
        found
    }

    /// The path of a project file, given relative to the root.
    fn inside(&self, below: &str) -> Option<PathBuf> {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        let path = Path::new(below);
        let real = self.root.join(path).canonicalize().ok()?;
        let inside = path.components().all(plain) && real.starts_with(&self.root);
        (inside && real.is_file()).then_some(real)
    }

    /// The files of the project by relative path.
    fn files(&self, tell: &dyn Fn(Note<'_>)) -> BTreeMap<String, PathBuf> {
        let mut found = BTreeMap::new();
        let mut parts: Vec<String> = PARTS.iter().map(|part| (*part).to_owned()).collect();
        if self.fixed {
            parts.push(".registry".to_owned());
        }
        let more = self.conf.get("MCPB_INCLUDE").unwrap_or_default();
        for part in more.split_whitespace() {
            let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
            if Path::new(part).components().all(inside) && self.root.join(part).exists() {
                parts.push(part.trim_end_matches('/').to_owned());
            } else {
                tell(Note::NotIncluded(part));
            }
        }
        parts.push("VERSION".to_owned());
        for part in parts {
            self.collect(&part, 0, &mut found, tell);
        }
        found
    }

    /// Collects the files below a path. Links that lead out of the project are skipped.
    fn collect(
        &self,
        below: &str,
        depth: usize,
        found: &mut BTreeMap<String, PathBuf>,
        tell: &dyn Fn(Note<'_>),
    ) {
        let path = self.root.join(below);
        let Ok(real) = path.canonicalize() else {
            return;
        };
        if !real.starts_with(&self.root) || depth > DEEPEST {
            tell(Note::Outside(&path));
            return;
        }
        if real.is_file() {
            found.insert(below.to_owned(), real);
            return;
        }
        for entry in fs::read_dir(&real).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_str() {
                self.collect(&format!("{below}/{name}"), depth + 1, found, tell);
            }
        }
    }
}

/// The platforms that the manifest lists.
fn platforms(asked: Option<String>, bare: bool) -> Result<Vec<&'static str>, AuthorError> {
    match asked.as_deref() {
        None if bare => Ok(PLATFORMS.to_vec()),
        None => Ok(here().into_iter().collect()),
        Some("all") => Ok(PLATFORMS.to_vec()),
        Some(word) => match PLATFORMS.iter().find(|known| **known == word) {
            Some(known) => Ok(vec![*known]),
            None => Err(AuthorError::Platform(word.to_owned())),
        },
    }
}

fn mentions(bytes: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(text)
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let mode = path.metadata().map_or(0, |meta| meta.permissions().mode());
    if mode & 0o100 != 0 { 0o755 } else { 0o644 }
}

#[cfg(not(unix))]
fn mode(_: &Path) -> u32 {
    0o755
}

/// The manifest's name of this platform.
fn here() -> Option<&'static str> {
    match std::env::consts::OS {
        "macos" => Some("darwin"),
        "linux" => Some("linux"),
        "windows" => Some("win32"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_server_has_the_name_in_the_start_script() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("tools/t")).unwrap();
        fs::write(root.join("tools/t/tool.sh"), "#!/bin/sh\n").unwrap();
        fs::write(root.join("program"), "a program").unwrap();
        let bundle = Bundle {
            server: Some(root.join("program")),
            root,
            conf: Conf::default(),
            name: "n".to_owned(),
            version: "1".to_owned(),
            platforms: vec!["linux"],
            fixed: false,
            manifest: serde_json::json!({}),
        };
        let mut out = Vec::new();
        assert_eq!(bundle.write_zip(&mut out, &|_| {}).unwrap(), 4);
        let name = b"server/.mcp-bash/bin/mcp-bash";
        let at = out.windows(name.len()).position(|part| part == name);
        let content = &out[at.unwrap() + name.len()..];
        assert!(content.starts_with(b"a program"));
        assert!(RUN_SERVER.contains("/.mcp-bash/bin/mcp-bash"));
    }

    #[test]
    fn a_bundle_without_a_server_is_for_every_platform() {
        assert_eq!(platforms(None, true).unwrap(), PLATFORMS);
        assert_eq!(
            platforms(Some("win32".to_owned()), false).unwrap(),
            ["win32"]
        );
        let refused = platforms(Some("beos".to_owned()), false).unwrap_err();
        assert_eq!(refused.to_string(), "`beos` is not a platform");
    }
}
