//! The texts of licences: collected from the folders of packages, each one once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The beginnings of the names of the files.
const NAMES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];
/// A longer file is not a licence.
const LONGEST: u64 = 200_000;

/// The texts so far, with their numbers.
#[derive(Default)]
pub struct Texts(BTreeMap<String, usize>);

impl Texts {
    /// The numbers of the texts in a folder and below: C libraries are folders within a package.
    pub fn of(&mut self, folder: &Path) -> Result<BTreeSet<usize>, String> {
        let mut numbers = BTreeSet::new();
        let mut entries: Vec<_> = fs::read_dir(folder)
            .map_err(|e| format!("{}: {e}", folder.display()))?
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                numbers.extend(self.of(&path)?);
            } else if is_license(&path)
                && let Ok(bytes) = fs::read(&path)
            {
                numbers.insert(self.number(&String::from_utf8_lossy(&bytes)));
            }
        }
        Ok(numbers)
    }

    /// All texts in the order of their numbers.
    pub fn write(&self, list: &mut String) {
        let mut texts: Vec<(&usize, &String)> =
            self.0.iter().map(|(text, number)| (number, text)).collect();
        texts.sort();
        for (number, text) in texts {
            let _ = write!(list, "\n=== {number} ===\n\n{text}\n");
        }
    }

    fn number(&mut self, text: &str) -> usize {
        // It is printed on terminals.
        let text = text.replace(|c: char| c.is_control() && c != '\n', " ");
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let next = self.0.len() + 1;
        *self
            .0
            .entry(lines.join("\n").trim_matches('\n').to_owned())
            .or_insert(next)
    }
}

fn is_license(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_uppercase();
    let is_text = match name.rsplit_once('.') {
        None => true,
        // `LICENSE-2.0` has no extension.
        Some((_, extension)) => ["TXT", "MD", "0", "MIT", "APACHE"].contains(&extension),
    };
    let is_short = fs::metadata(path).is_ok_and(|file| (1..=LONGEST).contains(&file.len()));
    is_text && is_short && NAMES.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_one_number_and_sources_are_no_licences() {
        let folder = std::env::temp_dir().join(format!("linkspan-texts-{}", std::process::id()));
        let below = folder.join("library");
        fs::create_dir_all(&below).unwrap();
        fs::write(folder.join("LICENSE-MIT"), "the text \r\nof it\r\n").unwrap();
        fs::write(folder.join("license.rs"), "fn license() {}").unwrap();
        fs::write(below.join("COPYING.txt"), "the text\nof it").unwrap();
        fs::write(below.join("NOTICE"), "another").unwrap();
        let mut texts = Texts::default();
        let numbers = texts.of(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(numbers, Ok(BTreeSet::from([1, 2])));
        let mut list = String::new();
        texts.write(&mut list);
        assert_eq!(
            list,
            "\n=== 1 ===\n\nthe text\nof it\n\n=== 2 ===\n\nanother\n"
        );
    }
}
