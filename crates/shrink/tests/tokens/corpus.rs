//! The corpus: its rows, goals and samples.

use std::path::{Path, PathBuf};

/// A kind of result.
pub struct Row {
    /// The name of its folder.
    pub name: String,
    /// The percentage of tokens that its samples must save, by their median. Without a goal they must not grow.
    pub goal: Option<f64>,
    /// Sorted by name.
    pub samples: Vec<Sample>,
}

/// One result.
pub struct Sample {
    /// The name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// All rows, in the order of `rows.tsv`.
pub fn read() -> Result<Vec<Row>, String> {
    let root = root();
    let mut rows = Vec::new();
    for line in text(&root.join("rows.tsv"))?.lines() {
        let mut cells = line.split('\t');
        let (Some(name), Some(goal)) = (cells.next(), cells.next()) else {
            return Err(format!("rows.tsv: no row: {line}"));
        };
        rows.push(Row {
            name: name.to_owned(),
            goal: goal.parse().ok(),
            samples: samples(&root.join(name))?,
        });
    }
    Ok(rows)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn samples(folder: &Path) -> Result<Vec<Sample>, String> {
    let failed = |error| format!("{}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    let sample = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Sample {
            name: name.into_owned(),
            text: text(path)?,
        })
    };
    paths.iter().map(sample).collect()
}

/// The content of a file.
pub fn text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
