//! Strings. They make up most of a manifest, so they are scanned 32 bytes at a time.

use std::io::Read;

use super::window::LOOK;
use super::{Json, Result, Syntax};
use crate::manifest::special::first_special;

impl<R: Read> Json<R> {
    /// Appends the decoded text of the next string.
    pub(in crate::manifest) fn text(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.expect(b'"', "a string")?;
        let start = out.len();
        loop {
            self.run(out);
            match self.byte()? {
                Some(b'"') => {
                    self.window.take(1);
                    break;
                }
                Some(b'\\') => self.escape(out)?,
                Some(byte) if byte < 0x20 => return Err(self.wrong(Syntax::Control(byte))),
                // The window ended inside the string.
                Some(_) => {}
                None => return Err(self.expected("the end of a string", None)),
            }
            // The window is small, so checking once per window is enough.
            if out.len() > self.limit {
                break;
            }
        }
        if out.len() > self.limit {
            return Err(self.wrong(Syntax::TooLong(self.limit)));
        }
        if simdutf8::basic::from_utf8(&out[start..]).is_err() {
            return Err(self.wrong(Syntax::Utf8));
        }
        Ok(())
    }

    /// Copies everything up to the next byte that needs handling, or the end of the window. One-letter
    /// escapes are decoded here: source code has one at the end of every line.
    #[inline]
    fn run(&mut self, out: &mut Vec<u8>) {
        let left = self.window.len();
        let ahead = self.window.ahead();
        let mut at = 0;
        // The padding quotes after the window stop this loop at the latest.
        while let Some(chunk) = ahead[at..].first_chunk::<LOOK>() {
            // Copies the whole chunk, then truncates: a copy of a fixed size is very cheap.
            out.extend_from_slice(chunk);
            let Some(length) = first_special(chunk) else {
                at += LOOK;
                continue;
            };
            out.truncate(out.len() - (LOOK - length));
            at += length;
            if at + 1 >= left || ahead[at] != b'\\' {
                break;
            }
            let meant = MEANT[usize::from(ahead[at + 1])];
            if meant == 0 {
                break;
            }
            out.push(meant);
            at += 2;
        }
        self.window.take(at);
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.window.take(1);
        let letter = match self.byte()? {
            Some(letter) => letter,
            None => return Err(self.expected("an escape", None)),
        };
        let meant = MEANT[usize::from(letter)];
        if meant != 0 {
            self.window.take(1);
            out.push(meant);
            return Ok(());
        }
        if letter != b'u' {
            return Err(self.wrong(Syntax::Escape(letter)));
        }
        self.window.take(1);
        let half = self.hex()?;
        let code = match half {
            0xD800..=0xDBFF => self.pair(half)?,
            _ => u32::from(half),
        };
        let Some(char) = char::from_u32(code) else {
            return Err(self.wrong(Syntax::LoneSurrogate(half)));
        };
        out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// Reads the second half of a surrogate pair; returns the code point.
    fn pair(&mut self, high: u16) -> Result<u32> {
        for byte in *b"\\u" {
            if self.byte()? != Some(byte) {
                return Err(self.wrong(Syntax::LoneSurrogate(high)));
            }
            self.window.take(1);
        }
        let low = self.hex()?;
        if !(0xDC00..=0xDFFF).contains(&low) {
            return Err(self.wrong(Syntax::LoneSurrogate(high)));
        }
        Ok(0x10000 + (u32::from(high - 0xD800) << 10) + u32::from(low - 0xDC00))
    }

    fn hex(&mut self) -> Result<u16> {
        let mut value = 0;
        for _ in 0..4 {
            let byte = self.byte()?;
            let Some(digit) = byte.and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(self.wrong(Syntax::Hex));
            };
            value = value << 4 | digit as u16;
            self.window.take(1);
        }
        Ok(value)
    }
}

/// The character that a one-letter escape stands for; zero if it is invalid or longer.
static MEANT: [u8; 256] = {
    let mut meant = [0; 256];
    meant[b'"' as usize] = b'"';
    meant[b'\\' as usize] = b'\\';
    meant[b'/' as usize] = b'/';
    meant[b'b' as usize] = 0x08;
    meant[b'f' as usize] = 0x0C;
    meant[b'n' as usize] = b'\n';
    meant[b'r' as usize] = b'\r';
    meant[b't' as usize] = b'\t';
    meant
};
