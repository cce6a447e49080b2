//! Appends lines to an audit log that several processes may share.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

use linkspan_bridge::Sink;
use linkspan_gateway::audit::{AuditLine, Chain, LONGEST_LINE};

use crate::audit_file::{AuditFileError, now};
use crate::file::lock_within;

/// How long another process may take to append its lines.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the file is synchronised with the disk at most.
const SYNC: Duration = Duration::from_secs(1);
/// Bytes of lines that are written at once.
const BATCH: usize = 1 << 20;
/// How every line begins.
const BEGINNING: &[u8] = br#"{"time":"#;

/// The file, and the end of its chain as it was last seen.
pub(crate) struct AuditSink {
    file: File,
    end: u64,
    chain: Chain,
    /// The last line has no newline: the process that wrote it was stopped.
    is_torn: bool,
    waiting: Vec<AuditLine>,
    bytes: usize,
    lost: u64,
    is_failing: bool,
    synced: Instant,
}

impl AuditSink {
    pub(crate) fn open(file: File) -> Result<Self, AuditFileError> {
        let mut sink = Self {
            file,
            end: 0,
            chain: Chain::new(),
            is_torn: false,
            waiting: Vec::new(),
            bytes: 0,
            lost: 0,
            is_failing: false,
            synced: Instant::now(),
        };
        lock_within(&sink.file, PATIENCE)?;
        let found = sink.find_end();
        sink.file.unlock()?;
        found.map(|()| sink)
    }

    /// Reads the last line if the file has another length than before.
    fn find_end(&mut self) -> Result<(), AuditFileError> {
        let end = self.file.metadata()?.len();
        if end == self.end {
            return Ok(());
        }
        let (chain, is_torn) = match end {
            0 => (Chain::new(), false),
            _ => {
                let from = end.saturating_sub(LONGEST_LINE as u64 + 1);
                let mut bytes = Vec::new();
                self.file.seek(SeekFrom::Start(from))?;
                (&self.file).take(end - from).read_to_end(&mut bytes)?;
                let is_torn = bytes.pop_if(|last| *last == b'\n').is_none();
                let start = bytes.iter().rposition(|byte| *byte == b'\n');
                let last = &bytes[start.map_or(0, |at| at + 1)..];
                let is_whole = start.is_some() || from == 0;
                if !is_whole || !last.starts_with(BEGINNING) {
                    return Err(AuditFileError::NotALog);
                }
                (Chain::after(last), is_torn)
            }
        };
        (self.end, self.chain, self.is_torn) = (end, chain, is_torn);
        Ok(())
    }

    /// Appends what is waiting. If that fails, nothing of it is in the file.
    fn append(&mut self) -> Result<(), AuditFileError> {
        self.find_end()?;
        let mut chain = self.chain.clone();
        let mut text = String::with_capacity(self.bytes + 128 * (self.waiting.len() + 2));
        if self.is_torn {
            text.push('\n');
        }
        let lost = (self.lost > 0).then(|| AuditLine::lost(&now(), self.lost));
        for line in lost.into_iter().chain(self.waiting.iter().cloned()) {
            text.push_str(&chain.seal(line));
            text.push('\n');
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        if let Err(error) = self.file.write_all(text.as_bytes()) {
            // Half a line would break the chain.
            self.file.set_len(self.end)?;
            return Err(error.into());
        }
        self.end += text.len() as u64;
        self.chain = chain;
        self.is_torn = false;
        Ok(())
    }

    fn locked_append(&mut self) -> Result<(), AuditFileError> {
        lock_within(&self.file, PATIENCE)?;
        let appended = self.append();
        self.file.unlock()?;
        appended
    }
}

impl Sink<AuditLine> for AuditSink {
    fn write(&mut self, line: AuditLine, missed: u64) -> io::Result<()> {
        self.lost += missed;
        self.bytes += line.size();
        self.waiting.push(line);
        if self.bytes < BATCH {
            return Ok(());
        }
        self.flush()
    }

    /// A failure does not end the log: lines that cannot be written are counted, and the next line that can says so.
    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        match self.locked_append() {
            Ok(()) => {
                if std::mem::take(&mut self.is_failing) {
                    let lost = self.lost;
                    tracing::warn!("the audit log is written again; {lost} lines were lost");
                }
                self.lost = 0;
            }
            Err(error) => {
                self.lost += self.waiting.len() as u64;
                if !std::mem::replace(&mut self.is_failing, true) {
                    tracing::error!("the audit log is not complete: {error}");
                }
            }
        }
        self.waiting.clear();
        self.bytes = 0;
        if self.synced.elapsed() >= SYNC {
            self.synced = Instant::now();
            let _ = self.file.sync_data();
        }
        Ok(())
    }
}

impl Drop for AuditSink {
    fn drop(&mut self) {
        if self.lost > 0 {
            tracing::error!("{} lines of the audit log were lost", self.lost);
        }
        let _ = self.file.sync_data();
    }
}
