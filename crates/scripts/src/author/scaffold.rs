//! Creates new folders and entries from templates.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linkspan_wire::escape_line;

use super::draft::{Draft, create_folders};
use super::names::{self, NameError};
use super::templates::{self, Lang, fill};

/// An entry of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tool.
    Tool,
    /// A prompt.
    Prompt,
    /// A resource.
    Resource,
    /// A completion of a prompt's argument.
    Completion,
}

impl Kind {
    /// All of them, by name.
    pub const NAMED: [(&str, Self); 4] = [
        ("tool", Self::Tool),
        ("prompt", Self::Prompt),
        ("resource", Self::Resource),
        ("completion", Self::Completion),
    ];
}

/// Why files were not written.
#[derive(Debug, thiserror::Error)]
pub enum ScaffoldError {
    /// A name cannot be used.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The folder of a new server is not empty.
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// The folder does not exist.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The name of a completion is not `PROMPT.ARGUMENT`.
    #[error("`{0}` does not name a prompt and an argument")]
    NoArgument(String),
    /// The file already exists.
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl ScaffoldError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        let shown = |dir: &Path| escape_line(&dir.to_string_lossy()).into_owned();
        let hint = match self {
            Self::NotEmpty(dir) => {
                return format!(
                    "linkspan scaffold tool NAME {} adds to an existing folder",
                    shown(dir)
                );
            }
            Self::NotAFolder(dir) => return format!("linkspan new {} makes one", shown(dir)),
            Self::Name(_) => NameError::HINT,
            Self::NoArgument(_) => "write PROMPT.ARGUMENT, for example review.language",
            Self::Exists(_) => "choose another name, or remove it",
            Self::Write { .. } => {
                "check that you can write to the folder and that the disk has space"
            }
        };
        hint.to_owned()
    }
}

/// Writes the files of a new server into an empty or missing folder, and reports each file.
///
/// # Errors
/// If the folder is not empty, or a file cannot be written.
pub fn new_server(dir: &Path, lang: Lang, written: impl FnMut(&Path)) -> Result<(), ScaffoldError> {
    if is_occupied(dir)? {
        return Err(ScaffoldError::NotEmpty(dir.to_owned()));
    }
    create_folders(dir).map_err(|e| cannot_write(dir, e))?;
    let name = names::of_folder(dir);
    write(dir, server_files(&name, lang), written)
}

/// Writes the files of a new entry and reports each file.
///
/// # Errors
/// If the name is invalid or taken, or a file cannot be written.
pub fn add(
    dir: &Path,
    kind: Kind,
    name: &str,
    lang: Option<Lang>,
    written: impl FnMut(&Path),
) -> Result<(), ScaffoldError> {
    if !dir.is_dir() {
        return Err(ScaffoldError::NotAFolder(dir.to_owned()));
    }
    let files = match kind {
        Kind::Tool => tool(name, lang)?,
        Kind::Prompt => prompt(name, lang)?,
        Kind::Resource => resource(name, lang)?,
        Kind::Completion => completion(name, lang)?,
    };
    refuse_taken(dir, files.iter().map(|draft| &*draft.path), name)?;
    write(dir, files, written)
}

fn server_files(name: &str, lang: Lang) -> Vec<Draft> {
    let title = names::title(name);
    let fields = [("@NAME@", name), ("@TITLE@", &title)];
    let hello = [("@NAME@", "hello"), ("@META@", "hello.meta.yaml")];
    let hello_meta = [("@NAME@", "hello"), ("@TITLE@", "Hello")];
    let about = [("@TITLE@", &*title), ("@META@", "about.meta.yaml")];
    let about_meta = [
        ("@NAME@", "about"),
        ("@TITLE@", "About"),
        ("@MIME@", "text/markdown"),
    ];
    vec![
        Draft::text("server.yaml", fill(templates::SERVER, &fields)),
        Draft::text("README.md", fill(templates::SERVER_README, &fields)),
        Draft::program(
            format!("tools/hello.{}", lang.extension()),
            fill(lang.tool(), &hello),
        ),
        Draft::text(
            "tools/hello.meta.yaml",
            fill(templates::TOOL_META, &hello_meta),
        ),
        Draft::text(
            "prompts/review.md",
            fill(templates::PROMPT, &[("@TITLE@", "Review")]),
        ),
        Draft::text(
            "completions/review.language",
            templates::LANGUAGES.to_owned(),
        ),
        Draft::text("resources/about.md", fill(templates::RESOURCE, &about)),
        Draft::text(
            "resources/about.meta.yaml",
            fill(templates::RESOURCE_META, &about_meta),
        ),
    ]
}

fn tool(name: &str, lang: Option<Lang>) -> Result<Vec<Draft>, ScaffoldError> {
    names::check(name)?;
    let lang = lang.unwrap_or(Lang::Bash);
    let file = format!("tool.{}", lang.extension());
    let title = names::title(name);
    let fields = [
        ("@NAME@", name),
        ("@TITLE@", &title),
        ("@FILE@", &file),
        ("@META@", "tool.meta.yaml"),
    ];
    Ok(vec![
        Draft::program(format!("tools/{name}/{file}"), fill(lang.tool(), &fields)),
        Draft::text(
            format!("tools/{name}/tool.meta.yaml"),
            fill(templates::TOOL_META, &fields),
        ),
        Draft::text(
            format!("tools/{name}/README.md"),
            fill(templates::TOOL_README, &fields),
        ),
    ])
}

fn prompt(name: &str, lang: Option<Lang>) -> Result<Vec<Draft>, ScaffoldError> {
    names::check(name)?;
    let title = names::title(name);
    let fields = [("@TITLE@", &*title)];
    Ok(vec![match lang {
        None => Draft::text(
            format!("prompts/{name}.md"),
            fill(templates::PROMPT, &fields),
        ),
        Some(lang) => Draft::program(
            format!("prompts/{name}.{}", lang.extension()),
            fill(lang.prompt(), &fields),
        ),
    }])
}

fn resource(name: &str, lang: Option<Lang>) -> Result<Vec<Draft>, ScaffoldError> {
    names::check(name)?;
    let title = names::title(name);
    let meta = format!("{name}.meta.yaml");
    let fields = [
        ("@NAME@", name),
        ("@TITLE@", &*title),
        ("@META@", &meta),
        ("@MIME@", "text/markdown"),
    ];
    Ok(vec![
        match lang {
            None => Draft::text(
                format!("resources/{name}.md"),
                fill(templates::RESOURCE, &fields),
            ),
            Some(lang) => Draft::program(
                format!("resources/{name}.{}", lang.extension()),
                fill(lang.resource(), &fields),
            ),
        },
        Draft::text(
            format!("resources/{meta}"),
            fill(templates::RESOURCE_META, &fields),
        ),
    ])
}

fn completion(name: &str, lang: Option<Lang>) -> Result<Vec<Draft>, ScaffoldError> {
    let parts = name.split_once('.');
    let (prompt, argument) = parts.ok_or_else(|| ScaffoldError::NoArgument(name.to_owned()))?;
    names::check(prompt)?;
    names::check(argument)?;
    let lang = lang.unwrap_or(Lang::Bash);
    let what = format!("the argument {argument} of the prompt {prompt}");
    Ok(vec![Draft::program(
        format!("completions/{name}.{}", lang.extension()),
        fill(lang.completion(), &[("@WHAT@", &what)]),
    )])
}

/// Writes all files, or none if one of them exists.
fn write(
    dir: &Path,
    drafts: Vec<Draft>,
    mut written: impl FnMut(&Path),
) -> Result<(), ScaffoldError> {
    for draft in &drafts {
        let path = dir.join(&draft.path);
        if path.symlink_metadata().is_ok() {
            return Err(ScaffoldError::Exists(path));
        }
    }
    for draft in drafts {
        let path = dir.join(&draft.path);
        draft.write_to(&path).map_err(|e| cannot_write(&path, e))?;
        written(&path);
    }
    Ok(())
}

/// Refuses a name that another entry of the same kind has, whatever its extension.
fn refuse_taken<'a>(
    dir: &Path,
    paths: impl Iterator<Item = &'a str>,
    name: &str,
) -> Result<(), ScaffoldError> {
    for path in paths {
        // `tools/greet/tool.sh` has the same name as `tools/greet.py`: the first level is compared.
        let Some((kind, _)) = path.split_once('/') else {
            continue;
        };
        let Ok(entries) = fs::read_dir(dir.join(kind)) else {
            continue;
        };
        for entry in entries.flatten() {
            let file = entry.file_name();
            let file = file.to_string_lossy();
            let same = file
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            // `review.language` completes an argument of `review`.
            if same && (kind != "completions" || has_one_extension(&file, name)) {
                return Err(ScaffoldError::Exists(Path::new(kind).join(&*file)));
            }
        }
    }
    Ok(())
}

fn has_one_extension(file: &str, name: &str) -> bool {
    let rest = &file[name.len()..];
    rest.matches('.').count() <= 1
}

fn is_occupied(dir: &Path) -> Result<bool, ScaffoldError> {
    match fs::read_dir(dir) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(cannot_write(dir, e)),
    }
}

fn cannot_write(path: &Path, source: io::Error) -> ScaffoldError {
    ScaffoldError::Write {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(dir: &Path, kind: Kind, name: &str) -> Result<Vec<String>, ScaffoldError> {
        let mut all = Vec::new();
        add(dir, kind, name, None, |path| {
            let path = path.strip_prefix(dir).unwrap();
            all.push(path.to_string_lossy().replace('\\', "/"));
        })?;
        Ok(all)
    }

    #[test]
    fn a_new_server_needs_an_empty_folder() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("my-server");
        let mut count = 0;
        new_server(&dir, Lang::Bash, |_| count += 1).unwrap();
        assert_eq!(count, 8);
        let text = fs::read_to_string(dir.join("server.yaml")).unwrap();
        assert!(text.contains("my-server"), "{text}");
        let again = new_server(&dir, Lang::Bash, |_| {});
        assert!(matches!(again, Err(ScaffoldError::NotEmpty(_))));
    }

    #[test]
    fn a_name_is_used_once_whatever_the_extension() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path();
        assert_eq!(
            added(dir, Kind::Tool, "greet").unwrap(),
            [
                "tools/greet/tool.sh",
                "tools/greet/tool.meta.yaml",
                "tools/greet/README.md"
            ]
        );
        let again = added(dir, Kind::Tool, "greet");
        assert!(matches!(again, Err(ScaffoldError::Exists(_))));
        added(dir, Kind::Prompt, "greet").unwrap();
        added(dir, Kind::Completion, "greet.language").unwrap();
        let again = added(dir, Kind::Completion, "greet.language");
        assert!(matches!(again, Err(ScaffoldError::Exists(_))));
    }

    #[test]
    fn a_wrong_name_writes_nothing() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path();
        assert!(matches!(
            added(dir, Kind::Tool, "../x"),
            Err(ScaffoldError::Name(_))
        ));
        assert!(matches!(
            added(dir, Kind::Completion, "greet"),
            Err(ScaffoldError::NoArgument(_))
        ));
        assert!(matches!(
            added(&dir.join("none"), Kind::Tool, "x"),
            Err(ScaffoldError::NotAFolder(_))
        ));
        assert_eq!(fs::read_dir(dir).unwrap().count(), 0);
    }
}
