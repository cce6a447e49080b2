//! zstd with the parameters of the reference implementation, within limits.

use std::io::{self, Read, Write};

use zstd::stream::{read, write};
use zstd::zstd_safe::{CCtx, CParameter, DCtx, DParameter, get_error_name};

use crate::error::Reason;
use crate::limits::Limits;

/// The compression level of the reference implementation.
const LEVEL: i32 = 3;

/// Inflates one body after the other, with one shared context.
pub(crate) struct Inflater(DCtx<'static>);

/// Why a body could not be inflated.
pub(crate) enum Inflating {
    /// It is larger than the limit; its actual size is unknown.
    TooLarge,
    /// It is not a valid zstd stream.
    Broken(Reason),
}

impl Inflater {
    pub(crate) fn new() -> Self {
        let mut context = DCtx::create();
        // Fails only for a window size that zstd does not support.
        let _ = context.set_parameter(DParameter::WindowLogMax(Limits::WINDOW_LOG));
        Self(context)
    }

    /// Replaces `out` by the inflated `bytes`. Produces at most `limit` + 1 bytes.
    pub(crate) fn inflate(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        limit: u64,
    ) -> Result<(), Inflating> {
        out.clear();
        if bytes.is_empty() {
            return Err(Inflating::Broken(Reason::Zstd("it is empty".to_owned())));
        }
        let stream = read::Decoder::with_context(bytes, &mut self.0);
        stream
            .take(limit.saturating_add(1))
            .read_to_end(out)
            .map_err(|e| Inflating::Broken(Reason::Zstd(e.to_string())))?;
        if out.len() as u64 > limit {
            return Err(Inflating::TooLarge);
        }
        Ok(())
    }
}

/// A reader of a payload that is one zstd stream, or several concatenated ones.
pub(crate) fn inflating<R: io::BufRead>(input: R) -> io::Result<read::Decoder<'static, R>> {
    let mut stream = read::Decoder::with_buffer(input)?;
    stream.window_log_max(Limits::WINDOW_LOG)?;
    Ok(stream)
}

/// Compresses one body after the other, with one shared context.
pub(crate) struct Deflater(CCtx<'static>);

impl Deflater {
    pub(crate) fn new() -> io::Result<Self> {
        let mut context = CCtx::create();
        context
            .set_parameter(CParameter::CompressionLevel(LEVEL))
            .map_err(|code| io::Error::other(get_error_name(code)))?;
        Ok(Self(context))
    }

    /// Replaces `out` by a zstd stream of `bytes`.
    pub(crate) fn deflate(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        let mut stream = write::Encoder::with_context(&mut *out, &mut self.0);
        stream.write_all(bytes)?;
        stream.finish()?;
        Ok(())
    }
}

/// Compresses all of `input`; returns the compressed size in bytes.
pub(crate) fn deflate_all(input: &mut impl Read, out: impl Write) -> io::Result<u64> {
    let mut counted = Counted { out, bytes: 0 };
    let mut stream = write::Encoder::new(&mut counted, LEVEL)?;
    io::copy(input, &mut stream)?;
    stream.finish()?;
    Ok(counted.bytes)
}

struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
