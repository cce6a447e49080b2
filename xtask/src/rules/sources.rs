//! The Rust sources of the workspace, without their tests.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file of `crates/*/src`.
pub struct Source {
    /// Relative to the workspace, with `/`.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// The text without test modules; empty for a file that is one.
    pub production: String,
}

impl Source {
    pub fn all(root: &Path) -> io::Result<Vec<Self>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(root.join("crates"))? {
            collect(&entry?.path().join("src"), "rs", &mut files)?;
        }
        files.sort();
        let mut texts = Vec::new();
        for file in files {
            let text = fs::read_to_string(&file)?;
            texts.push((file, text));
        }
        let tests: HashSet<PathBuf> = texts
            .iter()
            .flat_map(|(file, text)| test_files(file, text))
            .collect();
        let sources = texts.into_iter().map(|(file, text)| {
            let is_test = file.ancestors().any(|above| tests.contains(above));
            let production = if is_test {
                String::new()
            } else {
                without_tests(&text)
            };
            let path = file.strip_prefix(root).unwrap_or(&file);
            Self {
                path: path.to_string_lossy().replace('\\', "/"),
                text,
                production,
            }
        });
        Ok(sources.collect())
    }

    /// The name of the folder under `crates`.
    pub fn crate_name(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }
}

/// Collects the files with an extension below a folder, if it exists.
pub fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, extension, files)?;
        } else if path.extension().is_some_and(|it| it == extension) {
            files.push(path);
        }
    }
    Ok(())
}

/// The files, and folders, of modules that a file declares for tests only.
fn test_files(file: &Path, text: &str) -> Vec<PathBuf> {
    let stem = file.file_stem().unwrap_or_default();
    let is_root = stem == "lib" || stem == "main" || stem == "mod";
    let folder = if is_root {
        file.with_file_name("")
    } else {
        file.with_extension("")
    };
    let mut files = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !is_test_attribute(line) {
            continue;
        }
        let (attributes, item) = rest_of_item(&mut lines);
        let path = attributes.iter().find_map(|line| {
            let path = line.strip_prefix("#[path = \"")?;
            path.strip_suffix("\"]")
        });
        let name = item
            .strip_suffix(';')
            .filter(|item| item.contains("mod "))
            .and_then(|item| item.split_whitespace().last());
        match (name, path) {
            (Some(_), Some(path)) => files.push(file.with_file_name(path)),
            (Some(name), None) => {
                files.extend([folder.join(format!("{name}.rs")), folder.join(name)]);
            }
            (None, _) => {}
        }
    }
    files
}

fn is_test_attribute(line: &str) -> bool {
    line == "#[cfg(test)]" || (line.starts_with("#[cfg(all(test,"))
}

/// The further attributes of an item, and its first line.
fn rest_of_item<'a>(lines: &mut impl Iterator<Item = &'a str>) -> (Vec<&'a str>, &'a str) {
    let mut attributes = Vec::new();
    for line in lines {
        if !line.starts_with("#[") {
            return (attributes, line);
        }
        attributes.push(line);
    }
    (attributes, "")
}

/// The text without test modules.
fn without_tests(text: &str) -> String {
    let mut kept = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !is_test_attribute(line) {
            kept.push(line);
            continue;
        }
        let (_, item) = rest_of_item(&mut lines);
        if item.contains("mod ") && item.ends_with('{') {
            // rustfmt puts the end of a module at the beginning of a line.
            lines.by_ref().find(|line| *line == "}");
        } else if !item.contains("mod ") {
            kept.push(item);
        }
    }
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_modules_are_left_out() {
        let text = "use a;\n#[cfg(test)]\nmod tests {\n    fn x() {\n    }\n}\nfn y() {}\n#[cfg(test)]\nmod more;";
        assert_eq!(without_tests(text), "use a;\nfn y() {}");
    }

    #[test]
    fn the_files_of_test_modules_are_known() {
        let text = "#[cfg(test)]\npub(crate) mod more;\n#[cfg(test)]\nmod tests {\n}";
        assert_eq!(
            test_files(Path::new("src/a/b.rs"), text),
            [Path::new("src/a/b/more.rs"), Path::new("src/a/b/more")]
        );
        let at_root = test_files(Path::new("src/lib.rs"), text);
        assert_eq!(at_root[0], Path::new("src/more.rs"));
        let with_path = "#[cfg(all(test, unix))]\n#[path = \"b_tests.rs\"]\nmod tests;";
        assert_eq!(
            test_files(Path::new("src/a/b.rs"), with_path),
            [Path::new("src/a/b_tests.rs")]
        );
    }
}
