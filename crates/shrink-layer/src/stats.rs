//! Statistics: tokens before and after, summed up in memory and appended to a file that all processes share.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anstyle::Style;
use linkspan_wire::{Json, escape_line, quote};
use parking_lot::Mutex;

/// How often sums are written while the process runs.
const EVERY: Duration = Duration::from_secs(60);
/// A larger file is rewritten with one line per key.
const LARGE: u64 = 4 << 20;
/// How many keys are kept in memory; further ones share one row.
const MOST_ROWS: usize = 1000;

/// Sums of one [`Key`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Texts that were examined.
    pub calls: u64,
    /// Texts that were replaced.
    pub changed: u64,
    /// Tokens of the originals.
    pub before: u64,
    /// Tokens of the texts that were passed on.
    pub after: u64,
    /// Microseconds of work.
    pub micros: u64,
}

impl Row {
    /// Adds another row.
    pub fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.changed = self.changed.saturating_add(other.changed);
        self.before = self.before.saturating_add(other.before);
        self.after = self.after.saturating_add(other.after);
        self.micros = self.micros.saturating_add(other.micros);
    }
}

/// What sums are grouped by.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The server's name from its server info.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The kinds of text.
    pub kinds: String,
    /// Results were measured, not changed.
    pub shadow: bool,
}

/// All sums.
pub type Rows = BTreeMap<Key, Row>;

/// The sums of one process that are not written yet.
pub(crate) struct Recorder {
    file: Option<PathBuf>,
    pending: Mutex<Pending>,
}

struct Pending {
    rows: Rows,
    written: Instant,
}

impl Recorder {
    /// Without a file, nothing is written.
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        let pending = Pending {
            rows: Rows::new(),
            written: Instant::now(),
        };
        Self {
            file,
            pending: Mutex::new(pending),
        }
    }

    pub(crate) fn add(&self, mut key: Key, row: &Row) {
        let mut pending = self.pending.lock();
        if pending.rows.len() >= MOST_ROWS && !pending.rows.contains_key(&key) {
            "(others)".clone_into(&mut key.tool);
            "(others)".clone_into(&mut key.kinds);
        }
        pending.rows.entry(key).or_default().add(row);
        if pending.written.elapsed() >= EVERY {
            self.write(&mut pending);
        }
    }

    /// Writes the pending sums.
    pub(crate) fn finish(&self) {
        let mut pending = self.pending.lock();
        self.write(&mut pending);
    }

    fn write(&self, pending: &mut Pending) {
        pending.written = Instant::now();
        let rows = std::mem::take(&mut pending.rows);
        if let Some(file) = &self.file
            && !rows.is_empty()
            && let Err(e) = append(file, &rows)
        {
            tracing::warn!("cannot write statistics to {}: {e}", file.display());
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The sums of one server.
#[derive(Debug, PartialEq, Eq)]
pub struct ServerStats<'a> {
    /// The name that the server gives itself.
    pub server: &'a str,
    /// Results were measured, not changed.
    pub shadow: bool,
    /// One row per tool and kinds, the largest saving first.
    pub rows: Vec<(&'a Key, &'a Row)>,
    /// The sum of the rows.
    pub total: Row,
}

/// Groups sums by server; servers in shadow mode come last.
pub fn by_server(rows: &Rows) -> Vec<ServerStats<'_>> {
    let mut servers: BTreeMap<(bool, &str), Vec<(&Key, &Row)>> = BTreeMap::new();
    for (key, row) in rows {
        let server = servers.entry((key.shadow, &key.server)).or_default();
        server.push((key, row));
    }
    let mut all = Vec::new();
    for ((shadow, server), mut rows) in servers {
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.before.saturating_sub(row.after)));
        let mut total = Row::default();
        rows.iter().for_each(|(_, row)| total.add(row));
        all.push(ServerStats {
            server,
            shadow,
            rows,
            total,
        });
    }
    all
}

/// Deletes the file, if there is one.
///
/// # Errors
/// If it cannot be deleted.
pub fn reset(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// The sums of a file; a missing file has none, and lines of another form are skipped.
///
/// # Errors
/// If the file cannot be read.
pub fn read(file: &Path) -> io::Result<Rows> {
    let mut text = String::new();
    match File::open(file) {
        Ok(file) => file.take(LARGE * 4).read_to_string(&mut text)?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => 0,
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

/// A row as one line of the file.
pub fn json(key: &Key, row: &Row) -> String {
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

/// Appends all rows with one write under a lock: several processes may do so at once.
fn append(file: &Path, rows: &Rows) -> io::Result<()> {
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
        compact(file, &mut open)?;
    }
    Ok(())
}

/// Rewrites the file with one line per key. The caller holds its lock; the file is rewritten in place, because other
/// processes may be waiting for the lock of this file.
fn compact(file: &Path, open: &mut File) -> io::Result<()> {
    let rows = read(file)?;
    let lines: String = rows.iter().map(|(k, r)| json(k, r) + "\n").collect();
    open.set_len(0)?;
    open.write_all(lines.as_bytes())
}

/// Writes the sums of each server as text, in colours.
pub fn write(rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    const NAME: Style = Style::new().bold();
    for server in by_server(rows) {
        let measured = if server.shadow {
            " (only measured)"
        } else {
            ""
        };
        writeln!(
            out,
            "{NAME}{}{NAME:#}{measured}",
            escape_line(server.server)
        )?;
        for (key, row) in server.rows {
            write_row(out, &format!("{} {}", key.tool, key.kinds), row)?;
        }
        write_row(out, "in all", &server.total)?;
    }
    Ok(())
}

fn write_row(out: &mut dyn Write, name: &str, row: &Row) -> io::Result<()> {
    let each = row.micros as f64 / 1000.0 / row.calls.max(1) as f64;
    writeln!(
        out,
        "  {:<40} {:>6} texts  {:>9} → {:>9} tokens  {:>6}  {each:>6.2} ms",
        escape_line(name),
        row.calls,
        row.before,
        row.after,
        percent(row.before, row.after)
    )
}

/// The share of tokens saved, in percent.
pub fn percent(before: u64, after: u64) -> String {
    let saved = before.saturating_sub(after) as f64;
    format!("{:.1} %", saved * 100.0 / before.max(1) as f64)
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
    fn the_sums_of_several_processes_are_added() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/stats.ndjson");
        for _ in 0..3 {
            let recorder = Recorder::new(Some(file.clone()));
            recorder.add(key("a"), &row(2));
            recorder.add(key("b"), &row(1));
        }
        let rows = read(&file).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[&key("a")].calls, 6);
        assert_eq!(rows[&key("a")].before, 300);
    }

    #[test]
    fn a_missing_file_and_lines_of_another_form_have_no_sums() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(&folder.path().join("none")).unwrap().is_empty());
        assert!(sum("hello\n{}\n[1]\n{\"server\":1}\n").is_empty());
    }

    #[test]
    fn a_large_file_is_compacted_in_place() {
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
    fn the_number_of_rows_in_memory_is_bounded() {
        let recorder = Recorder::new(None);
        for number in 0..MOST_ROWS * 2 {
            recorder.add(key(&number.to_string()), &row(1));
        }
        let pending = recorder.pending.lock();
        assert!(pending.rows.len() <= MOST_ROWS + 1);
    }

    #[test]
    fn servers_are_grouped_with_the_largest_saving_first() {
        let small = Row {
            after: 90,
            ..row(1)
        };
        let measured = Key {
            shadow: true,
            ..key("c")
        };
        let rows = Rows::from([(key("a"), small), (key("b"), row(2)), (measured, row(4))]);
        let servers = by_server(&rows);
        let shadows: Vec<bool> = servers.iter().map(|server| server.shadow).collect();
        assert_eq!(shadows, [false, true]);
        let tools: Vec<&str> = servers[0].rows.iter().map(|(key, _)| &*key.tool).collect();
        assert_eq!(tools, ["b", "a"]);
        assert_eq!((servers[0].total.calls, servers[0].total.after), (3, 130));
    }

    #[test]
    fn a_file_is_deleted_and_a_missing_one_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("stats");
        fs::write(&file, "x").unwrap();
        reset(&file).unwrap();
        assert!(!file.exists());
        reset(&file).unwrap();
    }
}
