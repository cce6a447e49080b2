//! `mcp-bash bundle`: a project as one file (`.mcpb`) that desktop clients install.

mod manifest;

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Component, Path, PathBuf};

use linkspan_mcp_bash::{Project, file_uri, registry};
use serde_json::Value;

use super::drafts::RUN_SERVER;
use super::zip::Zip;
use super::{flag, found_anew, root, unexpected, value};
use crate::exit::{Exit, Failure};
use crate::show::{clean, path as shown, say};

/// The parts of a project that are always in it.
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
/// How deep its folders go.
const DEEPEST: usize = 32;

/// What the bundle is to be.
struct Wanted {
    root: PathBuf,
    conf: Conf,
    name: String,
    version: String,
    platforms: Vec<&'static str>,
    /// Our own program is in it, so that nothing has to be installed.
    server: Option<PathBuf>,
    /// What is served is found here and now, not again at each start.
    fixed: bool,
}

pub(super) fn run(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let output = value(&mut words, "--output")?;
    let name = value(&mut words, "--name")?;
    let version = value(&mut words, "--version")?;
    let platform = value(&mut words, "--platform")?;
    let bare = flag(&mut words, "--without-server");
    let only_look = flag(&mut words, "--validate");
    let verbose = flag(&mut words, "--verbose");
    // Ours has a jq in it.
    let _ = flag(&mut words, "--include-gojq");
    let root = root(&mut words)?;
    unexpected("bundle", &words)?;
    let project = found_anew(&root)?;
    let wanted = Wanted::of(&project, name, version, platform.as_deref(), bare)?;
    let about = manifest::of(&wanted, &project)?;
    let file_name = format!("{}-{}.mcpb", wanted.name, wanted.version);
    if only_look {
        say!("The bundle would be {}", clean(&file_name));
        return Ok(0);
    }
    if wanted.fixed {
        registry::refresh(&project).map_err(|e| cannot(&project.places.registry, &e))?;
    }
    let folder = output.map_or_else(|| PathBuf::from("."), PathBuf::from);
    fs::create_dir_all(&folder).map_err(|e| cannot(&folder, &e))?;
    let path = folder.join(&file_name);
    let half = folder.join(format!(".{file_name}.half"));
    let written = File::create(&half).and_then(|file| {
        let count = wanted.write(&about, BufWriter::new(file), verbose)?;
        fs::rename(&half, &path).map(|()| count)
    });
    let count = written.map_err(|e| {
        let _ = fs::remove_file(&half);
        cannot(&path, &e)
    })?;
    say!("{} ({count} files)", shown(&path));
    match &wanted.server {
        Some(_) => say!("It runs on {} and needs nothing else.", wanted.platforms[0]),
        None => say!("It needs mcp-bash or linkspan in the PATH of the machine that it runs on."),
    }
    Ok(0)
}

impl Wanted {
    fn of(
        project: &Project,
        name: Option<String>,
        version: Option<String>,
        platform: Option<&str>,
        bare: bool,
    ) -> Result<Self, Failure> {
        let root = project.places.root.clone();
        let wrong = |what: String, hint: &str| Failure::new(Exit::Invalid, what).hint(hint);
        let meta = project.places.server.join("server.meta.json");
        if !meta.is_file() {
            return Err(wrong(
                format!("{} is missing", shown(&meta)),
                "mcp-bash init makes it",
            ));
        }
        let conf = Conf::read(&root.join("mcpb.conf"));
        let shown = |field: &str| project.server.shown[field].as_str().unwrap_or_default();
        let name = name.or_else(|| conf.get("MCPB_NAME"));
        let name = name.unwrap_or_else(|| shown("name").to_owned());
        let version = version.or_else(|| conf.get("MCPB_VERSION"));
        let version = version.unwrap_or_else(|| shown("version").to_owned());
        for part in [&name, &version] {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
            if part.is_empty() || part.starts_with('.') || !part.chars().all(plain) {
                return Err(wrong(
                    format!("`{}` cannot be part of a file's name", clean(part)),
                    "letters, digits, dot, dash and underscore; --name and --version say others",
                ));
            }
        }
        let here = here();
        let platforms = match platform {
            None if bare => PLATFORMS.to_vec(),
            None => here.into_iter().collect(),
            Some("all") => PLATFORMS.to_vec(),
            Some(word) => match PLATFORMS.iter().find(|known| **known == word) {
                Some(known) => vec![*known],
                None => {
                    return Err(wrong(
                        format!("`{}` is not a platform", clean(word)),
                        "--platform is darwin, linux, win32 or all",
                    ));
                }
            },
        };
        // Our program runs on this platform only.
        let own = !bare && here.is_some_and(|here| platforms == [here]);
        let server = if own {
            std::env::current_exe().ok()
        } else {
            None
        };
        let fixed = conf.get("MCPB_STATIC");
        let fixed = !matches!(fixed.as_deref(), Some("false" | "0" | "no" | "off"));
        Ok(Self {
            root,
            conf,
            name,
            version,
            platforms,
            server,
            fixed,
        })
    }

    fn write(&self, about: &Value, out: impl io::Write, verbose: bool) -> io::Result<usize> {
        let mut zip = Zip::new(out);
        let mut count = 0;
        let mut add = |name: &str, mode: u32, bytes: &[u8]| {
            if verbose {
                say!("  {}", clean(name));
            }
            count += 1;
            zip.file(name, mode, bytes)
        };
        add("manifest.json", 0o644, about.to_string().as_bytes())?;
        for (name, path) in self.pictures(about) {
            add(&name, 0o644, &fs::read(path)?)?;
        }
        add("server/run-server.sh", 0o755, RUN_SERVER.as_bytes())?;
        if let Some(server) = &self.server {
            add("server/.mcp-bash/bin/mcp-bash", 0o755, &fs::read(server)?)?;
        }
        for (below, path) in self.files() {
            let bytes = fs::read(&path)?;
            // Addresses of this machine mean nothing elsewhere; what is not in the registry is looked for.
            if below == ".registry/resources.json" && mentions(&bytes, &file_uri(&self.root)) {
                continue;
            }
            add(&format!("server/{below}"), mode(&path), &bytes)?;
        }
        zip.finish()?;
        Ok(count)
    }

    fn icon(&self) -> Option<&'static str> {
        let known = ["icon.png", "icon.svg"].into_iter();
        known
            .into_iter()
            .find(|name| self.root.join(name).is_file())
    }

    /// The icons and screenshots that the manifest names, beside it.
    fn pictures(&self, about: &Value) -> BTreeMap<String, PathBuf> {
        let all = |field: &str| about[field].as_array().into_iter().flatten();
        let icons = all("icons").map(|icon| &icon["src"]);
        let named = all("screenshots").chain(icons).chain([&about["icon"]]);
        let named = named.filter_map(Value::as_str);
        let mut found = BTreeMap::new();
        for name in named.filter(|name| !name.contains("://") && !name.starts_with("data:")) {
            match self.inside(name) {
                Some(path) => drop(found.insert(name.to_owned(), path)),
                None => self.left_out(name),
            }
        }
        found
    }

    /// A file of the project, by its path in it.
    fn inside(&self, below: &str) -> Option<PathBuf> {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        let path = Path::new(below);
        let real = self.root.join(path).canonicalize().ok()?;
        let inside = path.components().all(plain) && real.starts_with(&self.root);
        (inside && real.is_file()).then_some(real)
    }

    fn left_out(&self, below: &str) {
        anstream::eprintln!("`{}` is no file of the project, and left out", clean(below));
    }

    /// The files of the project by their paths in it.
    fn files(&self) -> BTreeMap<String, PathBuf> {
        let mut found = BTreeMap::new();
        let mut parts: Vec<String> = PARTS.iter().map(|part| (*part).to_owned()).collect();
        if self.fixed {
            parts.push(".registry".to_owned());
        }
        let more = self.conf.get("MCPB_INCLUDE").unwrap_or_default();
        for part in more.split_whitespace() {
            let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
            match Path::new(part).components().all(inside) && self.root.join(part).exists() {
                true => parts.push(part.trim_end_matches('/').to_owned()),
                false => anstream::eprintln!(
                    "mcpb.conf: MCPB_INCLUDE: `{}` is not in the project, and left out",
                    clean(part)
                ),
            }
        }
        parts.push("VERSION".to_owned());
        for part in parts {
            self.collect(&part, 0, &mut found);
        }
        found
    }

    /// Links that lead out of the project are left out: what is there is not the project's to give away.
    fn collect(&self, below: &str, depth: usize, found: &mut BTreeMap<String, PathBuf>) {
        let path = self.root.join(below);
        let Ok(real) = path.canonicalize() else {
            return;
        };
        if !real.starts_with(&self.root) || depth > DEEPEST {
            anstream::eprintln!("{} leads out of the project, and is left out", shown(&path));
            return;
        }
        if real.is_file() {
            found.insert(below.to_owned(), real);
            return;
        }
        for entry in fs::read_dir(&real).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_str() {
                self.collect(&format!("{below}/{name}"), depth + 1, found);
            }
        }
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

/// What the format calls this platform.
fn here() -> Option<&'static str> {
    match std::env::consts::OS {
        "macos" => Some("darwin"),
        "linux" => Some("linux"),
        "windows" => Some("win32"),
        _ => None,
    }
}

fn cannot(path: &Path, error: &io::Error) -> Failure {
    super::drafts::cannot_write(path, error)
}

/// `mcpb.conf`: lines of `NAME=value`. mcp-bash lets a shell read it; nothing is run here.
#[derive(Debug, Default, PartialEq, Eq)]
struct Conf(BTreeMap<String, String>);

impl Conf {
    fn read(path: &Path) -> Self {
        Self::parse(&fs::read_to_string(path).unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let lines = text.lines().filter_map(|line| {
            let line = line.trim();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let (name, value) = line.split_once('=')?;
            if !name.starts_with("MCPB_") {
                return None;
            }
            let value = value.trim();
            let value = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
                _ => value.split(" #").next().unwrap_or_default().trim(),
            };
            Some((name.to_owned(), value.to_owned()))
        });
        Self(lines.collect())
    }

    /// A value that is not empty.
    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|value| !value.is_empty()).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read_and_not_run() {
        let conf = Conf::parse(
            "# MCPB_A=no\nMCPB_NAME=\"my server\" # x\nexport MCPB_VERSION=1.0 # y\nMCPB_E=\nPATH=x\nMCPB_Q='$(id)'\n",
        );
        assert_eq!(conf.get("MCPB_NAME").as_deref(), Some("my server"));
        assert_eq!(conf.get("MCPB_VERSION").as_deref(), Some("1.0"));
        assert_eq!(conf.get("MCPB_Q").as_deref(), Some("$(id)"));
        assert_eq!(conf.get("MCPB_E"), None);
        assert_eq!(conf.0.len(), 4);
    }

    #[test]
    fn the_server_is_in_it_under_the_name_that_the_start_script_looks_for() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("tools/t")).unwrap();
        fs::write(root.join("tools/t/tool.sh"), "#!/bin/sh\n").unwrap();
        fs::write(root.join("program"), "a program").unwrap();
        let wanted = Wanted {
            server: Some(root.join("program")),
            root,
            conf: Conf::default(),
            name: "n".to_owned(),
            version: "1".to_owned(),
            platforms: vec!["linux"],
            fixed: false,
        };
        let mut out = Vec::new();
        let about = serde_json::json!({});
        assert_eq!(wanted.write(&about, &mut out, false).unwrap(), 4);
        let name = b"server/.mcp-bash/bin/mcp-bash";
        let at = out.windows(name.len()).position(|part| part == name);
        let content = &out[at.unwrap() + name.len()..];
        assert!(content.starts_with(b"a program"));
        assert!(RUN_SERVER.contains("/.mcp-bash/bin/mcp-bash"));
    }
}
