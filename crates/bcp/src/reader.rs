//! Reads a file from any input, one block at a time.
//!
//! Memory holds one stored body and one inflated body, whatever the size of the file.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use crate::bodies::{Bodies, Hash, Keep};
use crate::deflate::inflating;
use crate::error::{Error, Reason, Within};
use crate::frame::{Frame, HEADER, Head, Header, MAX_HEAD};
use crate::limits::Limits;
use crate::store::Store;

/// The number of bytes per read.
const CHUNK: usize = 32 << 10;

/// The number of bytes per read if only heads are wanted.
const HEADS: usize = 512;

/// Options for reading.
#[derive(Default)]
pub struct ReadOptions {
    /// Limits on the resources that the file can use.
    pub limits: Limits,
    /// The bodies to keep for later references.
    pub keep: Keep,
    /// A store to resolve references that the file does not contain.
    pub store: Option<Box<dyn Store>>,
}

/// Reads the blocks of a file.
pub struct Reader<R> {
    input: Input<R>,
    header: Header,
    limits: Limits,
    bodies: Bodies,
    /// The stored body.
    raw: Vec<u8>,
    /// The position, in bytes of the file with its payload inflated.
    offset: u64,
    /// The number of blocks started.
    count: u64,
    /// The head whose body is next, and its offset.
    pending: Option<(u64, Head)>,
    ended: bool,
}

enum Input<R> {
    Plain {
        input: BufReader<R>,
        /// For seekable input: the seek function, and the length of the file.
        seek: Option<(SeekBy<R>, u64)>,
    },
    Zstd(Box<BufReader<Inflating<R>>>),
}

type Inflating<R> = zstd::stream::read::Decoder<'static, BufReader<Steady<BufReader<R>>>>;

/// Fills the buffer on every read, unless the input ends. How much of a damaged zstd stream can be inflated
/// depends on the sizes of the reads; this makes them independent of the input.
struct Steady<R>(R);

impl<R: Read> Read for Steady<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        while done < into.len() {
            match self.0.read(&mut into[done..]) {
                Ok(0) => break,
                Ok(read) => done += read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                // The bytes read so far would be lost.
                Err(_) if done > 0 => break,
                Err(e) => return Err(e),
            }
        }
        Ok(done)
    }
}

type SeekBy<R> = fn(&mut BufReader<R>, i64) -> io::Result<()>;

impl<R: Read> Reader<R> {
    /// Reads the header.
    pub fn new(input: R, options: ReadOptions) -> Result<Self, Error> {
        Self::begin(input, options, None, CHUNK)
    }

    fn begin(
        input: R,
        options: ReadOptions,
        seek: Option<(SeekBy<R>, u64)>,
        chunk: usize,
    ) -> Result<Self, Error> {
        let mut input = BufReader::with_capacity(chunk, input);
        let mut bytes = Vec::with_capacity(HEADER);
        input.by_ref().take(HEADER as u64).read_to_end(&mut bytes)?;
        let header = Header::read(&bytes).map_err(|(reason, offset)| Error {
            reason,
            block: None,
            offset,
            within: Within::File,
            local: false,
        })?;
        let input = if header.is_compressed() {
            let steady = BufReader::with_capacity(CHUNK, Steady(input));
            let stream = inflating(steady)?;
            Input::Zstd(Box::new(BufReader::with_capacity(CHUNK, stream)))
        } else {
            Input::Plain { input, seek }
        };
        Ok(Self {
            input,
            header,
            limits: options.limits,
            bodies: Bodies::new(options.limits, options.keep, options.store),
            raw: Vec::new(),
            offset: HEADER as u64,
            count: 0,
            pending: None,
            ended: false,
        })
    }

    /// The header.
    pub fn header(&self) -> Header {
        self.header
    }

    /// The position, in bytes of the file with its payload inflated; after the last block, its length.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next block, or `None` after the last one.
    ///
    /// After a [local](Error::local) error the next call continues with the next block.
    #[allow(clippy::should_implement_trait)] // The frame borrows from the reader.
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, Error> {
        match self.next_head()? {
            Some(_) => self.open().map(Some),
            None => Ok(None),
        }
    }

    /// The next head, or `None` after the last block. Skips the body of the previous head if it was not
    /// opened.
    pub fn next_head(&mut self) -> Result<Option<Head>, Error> {
        if self.ended {
            return Ok(None);
        }
        if let Some((_, head)) = self.pending.take() {
            self.skip(head)?;
        }
        let start = self.offset;
        let head = self.read_head()?;
        if head.is_end() {
            self.ended = true;
            return match self.input.buffer().map(<[u8]>::is_empty) {
                Ok(true) => Ok(None),
                Ok(false) => Err(self.fatal(Reason::AfterEnd, self.offset, None)),
                Err(e) => Err(self.io(&e)),
            };
        }
        if let Err(reason) = self.limits.admit(head, self.count) {
            return Err(self.fatal(reason, start, Some(self.count)));
        }
        self.count += 1;
        self.pending = Some((start, head));
        Ok(Some(head))
    }

    /// The block of the head that was read last. Its body must not have been read.
    pub fn open(&mut self) -> Result<Frame<'_>, Error> {
        let Some((at, head)) = self.pending.take() else {
            // An error of the caller, not of the file.
            let why = "the body was read, or no head was".to_owned();
            return Err(self.fatal(Reason::Io(io::ErrorKind::InvalidInput, why), 0, None));
        };
        let index = self.count - 1;
        let start = self.offset;
        self.raw.clear();
        // Reads at most the declared size; memory grows only with bytes that are actually there.
        match self.input.read_body(head.stored, &mut self.raw) {
            Ok(has) if has == head.stored => self.advance(has)?,
            Ok(has) => return Err(self.fatal(truncated_body(head, has), start, Some(index))),
            Err(e) => return Err(self.io(&e)),
        }
        let within = self.within();
        match self.bodies.open(head, &self.raw, start) {
            Ok(opened) => Ok(Frame::new(index, at, head, opened, start, within)),
            Err(closed) => {
                self.ended |= !closed.local;
                Err(closed.error(index, start, within))
            }
        }
    }

    /// The bodies that were kept for references.
    pub(crate) fn into_kept(self) -> HashMap<Hash, Vec<u8>> {
        self.bodies.into_kept()
    }

    fn read_head(&mut self) -> Result<Head, Error> {
        let at = self.offset;
        // Usually the buffer contains the whole head; otherwise it is assembled.
        let mut pieces = [0; MAX_HEAD];
        let mut have = 0;
        loop {
            let bytes = match self.input.buffer() {
                Ok(bytes) => bytes,
                Err(e) => return Err(self.io(&e)),
            };
            let more = bytes.len().min(MAX_HEAD - have);
            pieces[have..have + more].copy_from_slice(&bytes[..more]);
            match Head::read(&pieces[..have + more]) {
                Ok(Some((head, length))) => {
                    self.input.consume(length - have);
                    self.advance(length as u64)?;
                    return Ok(head);
                }
                Ok(None) if more > 0 => {
                    self.input.consume(more);
                    have += more;
                }
                Ok(None) if have == 0 => return Err(self.fatal(Reason::NoEnd, at, None)),
                Ok(None) => return Err(self.fatal(truncated_head(have), at, Some(self.count))),
                Err(reason) => return Err(self.fatal(reason, at, Some(self.count))),
            }
        }
    }

    fn skip(&mut self, head: Head) -> Result<(), Error> {
        let start = self.offset;
        match self.input.skip(start, head.stored) {
            Ok(has) if has == head.stored => self.advance(has),
            Ok(has) => Err(self.fatal(truncated_body(head, has), start, Some(self.count - 1))),
            Err(e) => Err(self.io(&e)),
        }
    }

    fn advance(&mut self, bytes: u64) -> Result<(), Error> {
        self.offset += bytes;
        let inflated = self.offset - HEADER as u64;
        if self.header.is_compressed() && inflated > self.limits.payload {
            let reason = Reason::TooLarge {
                what: "the inflated payload",
                limit: self.limits.payload,
            };
            return Err(self.fatal(reason, self.offset, None));
        }
        Ok(())
    }

    fn within(&self) -> Within {
        if self.header.is_compressed() {
            Within::Payload
        } else {
            Within::File
        }
    }

    /// An error after which nothing can be read.
    fn fatal(&mut self, reason: Reason, offset: u64, block: Option<u64>) -> Error {
        self.ended = true;
        Error {
            reason,
            block,
            offset,
            within: self.within(),
            local: false,
        }
    }

    fn io(&mut self, e: &io::Error) -> Error {
        use io::ErrorKind::{InvalidData, Other, UnexpectedEof};
        let reason = match e.kind() {
            // The kinds of errors that zstd reports for its stream.
            Other | UnexpectedEof | InvalidData if self.header.is_compressed() => {
                Reason::Zstd(e.to_string())
            }
            kind => Reason::Io(kind, e.to_string()),
        };
        self.fatal(reason, self.offset, None)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Like `new`, for seekable input: bodies that are not opened are not read.
    pub fn seeking(input: R, options: ReadOptions) -> Result<Self, Error> {
        Self::seeking_by(input, options, CHUNK)
    }

    /// Like `seeking`, for callers that open few bodies or none: reads fewer bytes at a time, because the
    /// bytes after a head are not needed.
    pub(crate) fn skimming(input: R, options: ReadOptions) -> Result<Self, Error> {
        Self::seeking_by(input, options, HEADS)
    }

    fn seeking_by(mut input: R, options: ReadOptions, chunk: usize) -> Result<Self, Error> {
        let start = input.stream_position()?;
        let length = input.seek(SeekFrom::End(0))?.saturating_sub(start);
        input.seek(SeekFrom::Start(start))?;
        Self::begin(
            input,
            options,
            Some((BufReader::seek_relative, length)),
            chunk,
        )
    }
}

impl<R: Read> Input<R> {
    fn buffer(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Plain { input, .. } => filled(input),
            Self::Zstd(input) => filled(input),
        }
    }

    fn consume(&mut self, bytes: usize) {
        match self {
            Self::Plain { input, .. } => input.consume(bytes),
            Self::Zstd(input) => input.consume(bytes),
        }
    }

    fn read_body(&mut self, bytes: u64, into: &mut Vec<u8>) -> io::Result<u64> {
        let read = match self {
            Self::Plain { input, .. } => input.take(bytes).read_to_end(into),
            Self::Zstd(input) => input.take(bytes).read_to_end(into),
        };
        Ok(read? as u64)
    }

    /// Skips that many bytes from `offset` on, or up to the end; returns the number of bytes skipped.
    fn skip(&mut self, offset: u64, bytes: u64) -> io::Result<u64> {
        match self {
            Self::Plain {
                input,
                seek: Some((seek, length)),
            } => {
                // At most the limit of a block, so the conversion cannot fail.
                let bytes = bytes.min(length.saturating_sub(offset));
                seek(input, i64::try_from(bytes).unwrap_or(i64::MAX))?;
                Ok(bytes)
            }
            Self::Plain { input, seek: None } => discard(input, bytes),
            Self::Zstd(input) => discard(input, bytes),
        }
    }
}

/// The buffered bytes; reads if there are none. Empty at the end only.
fn filled(input: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match input.fill_buf() {
            Ok(_) => break,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    // A second call, because the borrow in the loop cannot be returned; it is free.
    input.fill_buf()
}

fn discard(input: &mut impl BufRead, bytes: u64) -> io::Result<u64> {
    io::copy(&mut input.take(bytes), &mut io::sink())
}

pub(crate) fn truncated_body(head: Head, has: u64) -> Reason {
    Reason::Truncated {
        what: "a body",
        says: Some(head.stored),
        has,
    }
}

pub(crate) fn truncated_head(has: usize) -> Reason {
    Reason::Truncated {
        what: "the head of a block",
        says: None,
        has: has as u64,
    }
}
