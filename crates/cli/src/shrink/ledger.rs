//! What was saved: added up while a server runs, and written to a file that all of them share.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use linkspan_wire::{Json, quote};

/// How often sums are written while a server runs.
const EVERY: Duration = Duration::from_secs(60);
/// Above this the file is added up.
const LARGE: u64 = 4 << 20;
/// Tools and kinds of one server; more are added to one row.
const MOST_ROWS: usize = 1000;

/// What is counted for one server, tool and kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// Texts.
    pub(crate) calls: u64,
    /// Of them, those that were replaced.
    pub(crate) changed: u64,
    pub(crate) before: u64,
    pub(crate) after: u64,
    pub(crate) micros: u64,
}

impl Row {
    pub(crate) fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.changed = self.changed.saturating_add(other.changed);
        self.before = self.before.saturating_add(other.before);
        self.after = self.after.saturating_add(other.after);
        self.micros = self.micros.saturating_add(other.micros);
    }
}

/// Server, tool, kinds; and whether it was only measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) kinds: String,
    pub(crate) shadow: bool,
}

pub(crate) type Rows = BTreeMap<Key, Row>;

/// Sums of one process.
pub(crate) struct Ledger {
    file: Option<PathBuf>,
    open: Mutex<Open>,
}

struct Open {
    rows: Rows,
    written: Instant,
}

impl Ledger {
    /// Without a file nothing is written.
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        let open = Open {
            rows: Rows::new(),
            written: Instant::now(),
        };
        Self {
            file,
            open: Mutex::new(open),
        }
    }

    pub(crate) fn add(&self, mut key: Key, row: &Row) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.rows.len() >= MOST_ROWS && !open.rows.contains_key(&key) {
            "(others)".clone_into(&mut key.tool);
            "(others)".clone_into(&mut key.kinds);
        }
        open.rows.entry(key).or_default().add(row);
        if open.written.elapsed() >= EVERY {
            self.write(&mut open);
        }
    }

    /// Writes what is not written yet.
    pub(crate) fn finish(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(&mut open);
    }

    fn write(&self, open: &mut Open) {
        open.written = Instant::now();
        let rows = std::mem::take(&mut open.rows);
        if let Some(file) = &self.file
            && !rows.is_empty()
            && let Err(e) = append(file, &rows)
        {
            tracing::warn!("cannot note what was saved in {}: {e}", file.display());
        }
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Where sums are kept if nobody says otherwise.
pub(crate) fn usual_file() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(file) = variable("LINKSPAN_SHRINK_STATS") {
        return Some(file.into());
    }
    let state = match variable("XDG_STATE_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(variable("HOME")?).join(".local/state"),
    };
    Some(state.join("linkspan").join("shrink.ndjson"))
}

/// All sums of a file. A line that is not ours is passed over.
pub(crate) fn read(file: &Path) -> std::io::Result<Rows> {
    let mut text = String::new();
    match File::open(file) {
        Ok(file) => file.take(LARGE * 4).read_to_string(&mut text)?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => 0,
        Err(e) => return Err(e),
    };
    Ok(sum(&text))
}

fn sum(text: &str) -> Rows {
    let mut rows = Rows::new();
    for (key, row) in text.lines().filter_map(parse) {
        rows.entry(key).or_default().add(&row);
    }
    rows
}

fn parse(line: &str) -> Option<(Key, Row)> {
    let json = Json::parse(line).ok()?;
    let word = |key| Some(json.get(key)?.as_str()?.into_owned());
    let number = |key| json.get(key)?.text().parse::<u64>().ok();
    let key = Key {
        server: word("server")?,
        tool: word("tool")?,
        kinds: word("kinds")?,
        shadow: json.get("shadow").and_then(Json::as_bool) == Some(true),
    };
    let row = Row {
        calls: number("calls")?,
        changed: number("changed")?,
        before: number("before")?,
        after: number("after")?,
        micros: number("micros")?,
    };
    Some((key, row))
}

pub(crate) fn json(key: &Key, row: &Row) -> String {
    format!(
        r#"{{"server":{},"tool":{},"kinds":{},"shadow":{},"calls":{},"changed":{},"before":{},"after":{},"micros":{}}}"#,
        quote(&key.server),
        quote(&key.tool),
        quote(&key.kinds),
        key.shadow,
        row.calls,
        row.changed,
        row.before,
        row.after,
        row.micros
    )
}

/// One write for all rows; several processes may do so at once.
fn append(file: &Path, rows: &Rows) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut open = File::options()
        .create(true)
        .append(true)
        .read(true)
        .open(file)?;
    open.lock()?;
    let at = format!("{:.3}", jiff::Timestamp::now());
    let mut lines = String::new();
    for (key, row) in rows {
        let line = json(key, row);
        lines.push_str(&format!("{{\"at\":\"{at}\",{}\n", &line[1..]));
    }
    open.write_all(lines.as_bytes())?;
    if open.metadata()?.len() > LARGE {
        add_up(file, &mut open)?;
    }
    Ok(())
}

/// Makes a file small again. Its lock is held, and it stays the same file, so that nobody who waits for the
/// lock writes to one that is gone.
fn add_up(file: &Path, open: &mut File) -> std::io::Result<()> {
    let rows = read(file)?;
    let lines: String = rows.iter().map(|(k, r)| json(k, r) + "\n").collect();
    open.set_len(0)?;
    open.write_all(lines.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tool: &str) -> Key {
        Key {
            server: "s \"1\"".to_owned(),
            tool: tool.to_owned(),
            kinds: "json".to_owned(),
            shadow: false,
        }
    }

    fn row(calls: u64) -> Row {
        Row {
            calls,
            changed: 1,
            before: 100,
            after: 40,
            micros: 7,
        }
    }

    #[test]
    fn sums_of_several_runs_are_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/stats.ndjson");
        for _ in 0..3 {
            let ledger = Ledger::new(Some(file.clone()));
            ledger.add(key("a"), &row(2));
            ledger.add(key("b"), &row(1));
        }
        let rows = read(&file).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[&key("a")].calls, 6);
        assert_eq!(rows[&key("a")].before, 300);
    }

    #[test]
    fn a_file_that_is_not_there_or_not_ours_has_no_sums() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(&folder.path().join("none")).unwrap().is_empty());
        assert!(sum("hello\n{}\n[1]\n{\"server\":1}\n").is_empty());
    }

    #[test]
    fn a_large_file_is_added_up_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("stats");
        let line = json(&key("a"), &row(1)) + "\n";
        fs::write(&file, line.repeat(LARGE as usize / line.len() + 2)).unwrap();
        let before = read(&file).unwrap();
        append(&file, &Rows::from([(key("b"), row(1))])).unwrap();
        assert!(fs::metadata(&file).unwrap().len() < 1000);
        let after = read(&file).unwrap();
        assert_eq!(after[&key("a")], before[&key("a")]);
        assert_eq!(after[&key("b")], row(1));
    }

    #[test]
    fn a_server_with_too_many_tools_does_not_grow_us() {
        let ledger = Ledger::new(None);
        for number in 0..MOST_ROWS * 2 {
            ledger.add(key(&number.to_string()), &row(1));
        }
        let open = ledger.open.lock().unwrap();
        assert!(open.rows.len() <= MOST_ROWS + 1);
    }
}
