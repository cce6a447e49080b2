//! The file of the audit log.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use jiff::Timestamp;
use linkspan_bridge::LineWriter;
use linkspan_gateway::audit::{AuditLine, Broken, LONGEST_LINE, Verified, Verifier};
use parking_lot::Mutex;

use crate::audit_sink::AuditSink;
use crate::file::open_or_create;

/// Bytes of lines that wait for the disk.
const QUEUE_BYTES: usize = 16 << 20;

/// This moment, for a line of the log.
pub fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

/// Why a log cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditFileError {
    /// The system's error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file has other content.
    #[error("it is not an audit log")]
    NotALog,
}

impl AuditFileError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io(_) => "name a file that can be written",
            Self::NotALog => "name a new file, or an audit log of linkspan",
        }
    }
}

/// An audit log that is open for writing. A thread writes it, so that a slow disk does not delay calls; if lines cannot
/// be written, the log says how many are missing. Several processes may write one file.
pub struct AuditFile {
    writer: Mutex<LineWriter<AuditLine>>,
}

impl AuditFile {
    /// Opens a log, or begins one.
    pub fn open(path: &Path) -> Result<Self, AuditFileError> {
        let sink = AuditSink::open(open_or_create(path)?)?;
        let writer = LineWriter::start_sink(sink, "audit log", QUEUE_BYTES);
        Ok(Self {
            writer: Mutex::new(writer),
        })
    }

    /// Adds a line. It does not wait for the disk.
    pub fn push(&self, line: AuditLine) {
        let size = line.size();
        self.writer.lock().push(line, size);
    }
}

/// Why a log is not known to be intact.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It was changed.
    #[error(transparent)]
    Broken(#[from] Broken),
}

impl VerifyError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io(_) => "name an audit log",
            Self::Broken(_) => "a copy of the log shows what was changed",
        }
    }
}

/// Checks the chain of a log.
pub fn verify_file(path: &Path) -> Result<Verified, VerifyError> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut verifier = Verifier::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = LONGEST_LINE as u64 + 2;
        if reader.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
            return Ok(verifier.finish());
        }
        line.pop_if(|last| *last == b'\n');
        verifier.line(&line)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_bridge::Sink as _;
    use linkspan_gateway::audit::WhyBroken;
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;
    use std::path::PathBuf;

    fn scratch() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        (folder, path)
    }

    fn line(tool: &str) -> AuditLine {
        let mut line = AuditLine::new(&now(), "call");
        line.text("tool", tool);
        line
    }

    fn append(path: &Path, text: &str) {
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn a_log_goes_on_after_a_restart() {
        let (_folder, path) = scratch();
        for _ in 0..3 {
            let log = AuditFile::open(&path).unwrap();
            (0..100).for_each(|n| log.push(line(&n.to_string())));
        }
        assert_eq!(verify_file(&path).unwrap().lines, 300);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("\"7\"", "\"8\"", 1)).unwrap();
        let VerifyError::Broken(broken) = verify_file(&path).unwrap_err() else {
            panic!("the log can be read");
        };
        assert_eq!((broken.line, broken.why), (9, WhyBroken::OtherLine));
    }

    #[test]
    fn two_writers_of_one_file_make_one_chain() {
        let (_folder, path) = scratch();
        let logs = [0, 1].map(|_| AuditFile::open(&path).unwrap());
        std::thread::scope(|scope| {
            for log in &logs {
                scope.spawn(|| (0..500).for_each(|n| log.push(line(&n.to_string()))));
            }
        });
        drop(logs);
        assert_eq!(verify_file(&path).unwrap().lines, 1000);
    }

    #[test]
    fn a_file_of_another_kind_is_not_written() {
        let (_folder, path) = scratch();
        for text in ["notes\n", "notes", "\n", &"x".repeat(LONGEST_LINE + 9)] {
            fs::write(&path, text).unwrap();
            let opened = AuditFile::open(&path);
            assert!(matches!(opened, Err(AuditFileError::NotALog)));
            assert_eq!(fs::read_to_string(&path).unwrap(), *text);
        }
        let folder = path.parent().unwrap();
        assert!(matches!(
            AuditFile::open(folder),
            Err(AuditFileError::Io(_))
        ));
    }

    #[test]
    fn half_a_line_of_a_stopped_process_is_reported_and_ends_there() {
        let (_folder, path) = scratch();
        let log = || AuditFile::open(&path).unwrap();
        log().push(line("a"));
        append(&path, r#"{"time":"2026-11"#);
        log().push(line("b"));
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        let error = verify_file(&path).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2: it is not a whole line of an audit log"
        );
    }

    #[test]
    fn an_emptied_log_begins_again() {
        let (_folder, path) = scratch();
        let log = AuditFile::open(&path).unwrap();
        log.push(line("a"));
        drop(log);
        let log = AuditFile::open(&path).unwrap();
        fs::write(&path, "").unwrap();
        log.push(line("b"));
        drop(log);
        assert_eq!(verify_file(&path).unwrap().lines, 1);
    }

    #[test]
    fn lines_that_could_not_be_written_are_counted_in_the_log() {
        let (_folder, path) = scratch();
        let mut sink = AuditSink::open(open_or_create(&path).unwrap()).unwrap();
        let mut push = |tool: &str| {
            sink.write(line(tool), 0).unwrap();
            sink.flush().unwrap();
        };
        push("a");
        let whole = fs::read_to_string(&path).unwrap();
        // Content of another program: the chain cannot go on from there.
        append(&path, "notes\n");
        push("b");
        push("c");
        fs::write(&path, &whole).unwrap();
        push("d");
        assert_eq!(verify_file(&path).unwrap().lines, 3);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&whole));
        assert!(
            text[whole.len()..].contains(r#""event":"lost","lines":2,"#),
            "{text}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_cannot_grow_ends_with_a_whole_line_and_counts_the_others() {
        const NAME: &str = "audit_file::tests::a_file_that_cannot_grow_ends_with_a_whole_line_and_counts_the_others";
        const LIMITED: &str = "LINKSPAN_TEST_LIMITED";
        if std::env::var_os(LIMITED).is_none() {
            // The limit is for a whole process. As on a full disk, a write takes a part of its bytes and then fails.
            let script = r#"trap "" XFSZ; ulimit -f 8; exec "$0" --exact "$1""#;
            let program = std::env::current_exe().unwrap();
            let mut command = std::process::Command::new("sh");
            command.args(["-c", script]).arg(program).arg(NAME);
            let output = command.env(LIMITED, "1").output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && text.contains("1 passed"),
                "{text}"
            );
            return;
        }
        let (_folder, path) = scratch();
        let push = |count: usize| {
            for _ in 0..count {
                AuditFile::open(&path).unwrap().push(line(&"x".repeat(90)));
            }
        };
        push(100);
        let written = verify_file(&path).unwrap().lines;
        assert!((10..60).contains(&written), "{written}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.ends_with('\n'));
        let mut sink = AuditSink::open(open_or_create(&path).unwrap()).unwrap();
        for _ in 0..3 {
            sink.write(line(&"y".repeat(500)), 0).unwrap();
            sink.flush().unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        // Space is given back.
        let first = text.lines().next().unwrap();
        fs::write(&path, format!("{first}\n")).unwrap();
        sink.write(line("z"), 0).unwrap();
        sink.flush().unwrap();
        drop(sink);
        assert_eq!(verify_file(&path).unwrap().lines, 3);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(r#""event":"lost","lines":3,"#), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_refused() {
        let refused = AuditFile::open(Path::new("/dev/null"));
        assert!(matches!(refused, Err(AuditFileError::Io(_))));
    }
}
