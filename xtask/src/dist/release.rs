//! What all packages of a release share: version, time, texts, programs; and the folder that they are written to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::archive::Entry;
use super::table::Target;
use crate::{child, notices, paths};

const ASK: Duration = Duration::from_secs(60);
/// A program of this system, which writes the manual page and the completions, may have to be compiled first.
const BUILD: Duration = Duration::from_secs(60 * 60);

/// Where the manifests expect a repository that neither Cargo.toml nor the command line names.
const NO_REPOSITORY: &str = "https://example.com/linkspan";

/// The shells, and the names that their completions are installed by.
const COMPLETIONS: [(&str, &str); 4] = [
    ("bash", "linkspan.bash"),
    ("zsh", "_linkspan"),
    ("fish", "linkspan.fish"),
    ("powershell", "linkspan.ps1"),
];

pub struct Release {
    pub version: String,
    pub description: String,
    pub license: String,
    /// The URL of the project.
    pub repository: String,
    /// The time of the commit, or `SOURCE_DATE_EPOCH`, in seconds since 1970.
    pub time: u64,
    /// `cargo metadata`, with the dependencies.
    pub metadata: Value,
    pub programs: Vec<Program>,
    /// Licences and notices.
    pub terms: Vec<Entry>,
    pub readme: String,
    /// The manual page.
    pub manual: Vec<u8>,
    /// The completions of each shell.
    pub completions: Vec<Entry>,
    out: PathBuf,
}

pub struct Program {
    pub target: &'static Target,
    pub bytes: Vec<u8>,
}

impl Release {
    /// Reads what there is; the packages are written to `out`.
    pub fn read(
        programs: Vec<Program>,
        repository: Option<&str>,
        out: PathBuf,
    ) -> Result<Self, String> {
        let root = paths::root();
        let metadata = metadata()?;
        let ours = ours(&metadata)?;
        let text = |key: &str| ours[key].as_str().unwrap_or_default().to_owned();
        let named = repository.map(str::to_owned);
        let named = named.or_else(|| ours["repository"].as_str().map(str::to_owned));
        let repository = named.unwrap_or_else(|| {
            println!(
                "no repository in Cargo.toml, and no --repository: manifests name {NO_REPOSITORY}"
            );
            NO_REPOSITORY.to_owned()
        });
        let (manual, completions) = texts_of(&programs)?;
        Ok(Self {
            version: text("version"),
            description: text("description"),
            license: text("license"),
            repository: repository.trim_end_matches('/').to_owned(),
            time: time()?,
            programs,
            terms: terms(&root)?,
            readme: crate::install::read(&root.join("README.md"))?,
            manual,
            completions,
            metadata,
            out,
        })
    }

    /// The program of a target, if it was built.
    #[cfg(test)]
    pub fn program(&self, triple: &str) -> Option<&Program> {
        self.programs.iter().find(|one| one.target.triple == triple)
    }

    /// The URL that a file of this release will have.
    pub fn url(&self, file: &str) -> String {
        format!(
            "{}/releases/download/v{}/{file}",
            self.repository, self.version
        )
    }

    /// Writes one file of the release.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.out.join(name);
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{name}: {} bytes", bytes.len());
        Ok(())
    }

    /// Reads a file of the release that was written before.
    pub fn written(&self, name: &str) -> Result<Vec<u8>, String> {
        let path = self.out.join(name);
        fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// This system's program as a file, for benchmarks.
    pub fn put_program(&self) -> Result<(), String> {
        let ours = self.programs.iter().find(|one| one.target.runs_here());
        ours.map_or(Ok(()), |one| put(&self.out, one).map(drop))
    }

    /// The files written so far with their checksums, by name.
    pub fn checksums(&self) -> Result<Vec<(String, String)>, String> {
        let entries =
            fs::read_dir(&self.out).map_err(|e| format!("{}: {e}", self.out.display()))?;
        let files = entries.flatten().map(|entry| entry.path());
        let mut sums = Vec::new();
        for file in files.filter(|file| file.is_file()) {
            let bytes = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            sums.push((name.into_owned(), sha256(&bytes)));
        }
        sums.sort();
        Ok(sums)
    }
}

/// The version of the sources.
pub fn version() -> Result<String, String> {
    let metadata = metadata()?;
    let version = ours(&metadata)?["version"].as_str();
    Ok(version.unwrap_or_default().to_owned())
}

fn metadata() -> Result<Value, String> {
    let words = "metadata --format-version 1 --locked --features linkspan/keyring";
    let text = child::capture(&mut paths::cargo(words), ASK)?;
    serde_json::from_str(&text).map_err(|e| e.to_string())
}

/// The package of the program.
fn ours(metadata: &Value) -> Result<&Value, String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut named = packages.filter(|one| one["name"] == "linkspan");
    named
        .next()
        .ok_or_else(|| "cargo knows no package `linkspan`".to_owned())
}

/// Lower-case hex.
pub fn sha256(bytes: &[u8]) -> String {
    let sum = Sha256::digest(bytes);
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The time of all files in archives.
fn time() -> Result<u64, String> {
    let told = std::env::var("SOURCE_DATE_EPOCH").ok();
    let text = match told {
        Some(told) => told,
        None => {
            let mut git = Command::new("git");
            git.args(["log", "-1", "--format=%ct"]);
            child::capture(git.current_dir(paths::root()), ASK)
                .map_err(|why| format!("no time of a commit: {why}; set SOURCE_DATE_EPOCH"))?
        }
    };
    let text = text.trim();
    text.parse()
        .map_err(|_| format!("`{text}` is not a time in seconds"))
}

/// `LICENSE*`, and the licences of third parties.
fn terms(root: &Path) -> Result<Vec<Entry>, String> {
    let mut terms = Vec::new();
    let entries = fs::read_dir(root).map_err(|e| format!("{}: {e}", root.display()))?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("LICENSE") {
            let text = crate::install::read(&entry.path())?;
            terms.push(Entry::read(name, text));
        }
    }
    terms.push(Entry::read("THIRD-PARTY.txt", notices::unpack()?));
    terms.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(terms)
}

/// The manual page and the completions, written by a program that runs here.
fn texts_of(programs: &[Program]) -> Result<(Vec<u8>, Vec<Entry>), String> {
    let ours = programs.iter().find(|one| one.target.runs_here());
    let scratch = paths::root().join("target").join("dist-scratch");
    let ours = ours.map(|one| put(&scratch, one)).transpose()?;
    let ask = |args: &[&str]| {
        let mut command = match &ours {
            Some(program) => Command::new(program),
            None => paths::cargo("run --quiet --locked --package linkspan --bin linkspan --"),
        };
        child::capture(command.args(args), BUILD)
    };
    let manual = ask(&["man"])?.into_bytes();
    let mut completions = Vec::new();
    for (shell, file) in COMPLETIONS {
        completions.push(Entry::read(file, ask(&["completions", shell])?));
    }
    Ok((manual, completions))
}

/// A program as a file that can be run.
fn put(folder: &Path, program: &Program) -> Result<PathBuf, String> {
    let path = folder.join(program.target.program());
    let write = || {
        fs::create_dir_all(folder)?;
        let _ = fs::remove_file(&path);
        fs::write(&path, &program.bytes)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    };
    write().map_err(|error: std::io::Error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

#[cfg(test)]
pub mod tests {
    use serde_json::json;

    use super::*;
    use crate::dist::table::{System, TARGETS};

    /// A release with a program of each target.
    pub fn release() -> Release {
        let program = |target: &'static Target| Program {
            target,
            bytes: match target.system {
                System::MacOs => vec![0xCF, 0xFA, 0xED, 0xFE, 12, 0, 0, 1, 0, 0, 0, 0],
                System::Linux | System::Windows => target.triple.as_bytes().to_vec(),
            },
        };
        Release {
            version: "1.2.3".to_owned(),
            description: "A bridge".to_owned(),
            license: "MIT OR Apache-2.0".to_owned(),
            repository: "https://example.com/linkspan".to_owned(),
            time: 1_700_000_000,
            metadata: json!({}),
            programs: TARGETS.iter().map(program).collect(),
            terms: vec![Entry::read("LICENSE-MIT", "terms")],
            readme: "# linkspan\n".to_owned(),
            manual: b".TH linkspan".to_vec(),
            completions: COMPLETIONS
                .map(|(shell, file)| Entry::read(file, shell))
                .to_vec(),
            out: PathBuf::new(),
        }
    }

    /// The same, with a folder to write to.
    pub fn written(name: &str) -> (Release, PathBuf) {
        let out = std::env::temp_dir().join(format!("linkspan-{name}-{}", std::process::id()));
        fs::create_dir_all(&out).unwrap();
        let release = Release {
            out: out.clone(),
            ..release()
        };
        (release, out)
    }

    #[test]
    fn a_checksum_is_that_of_sha256sum() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), empty);
    }

    #[test]
    fn the_licences_are_in_every_package() {
        let terms = terms(&paths::root()).unwrap();
        let names: Vec<&str> = terms.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(names, ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"]);
    }
}
