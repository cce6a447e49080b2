//! Numbers, kept in their original spelling: the caller checks their range.

use std::io::Read;

use super::{Json, Result, Syntax};

impl<R: Read> Json<R> {
    /// Appends the next number in its original spelling.
    pub(in crate::manifest) fn number(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.peek()?;
        self.take_if(b"-", out)?;
        if !self.take_if(b"0", out)? {
            self.digits(out)?;
        }
        if self.take_if(b".", out)? {
            self.digits(out)?;
        }
        if self.take_if(b"eE", out)? {
            self.take_if(b"+-", out)?;
            self.digits(out)?;
        }
        Ok(())
    }

    fn digits(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.take_if(b"0123456789", out)? {
            let found = self.byte()?;
            return Err(self.expected("a digit", found));
        }
        while self.take_if(b"0123456789", out)? {}
        Ok(())
    }

    fn take_if(&mut self, these: &[u8], out: &mut Vec<u8>) -> Result<bool> {
        match self.byte()? {
            Some(byte) if these.contains(&byte) => {
                if out.len() >= self.limit {
                    return Err(self.wrong(Syntax::TooLong(self.limit)));
                }
                self.window.take(1);
                out.push(byte);
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
