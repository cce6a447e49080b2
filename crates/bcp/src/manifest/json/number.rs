//! Numbers, kept as they are written: which of them fit is for those to say who want one.

use std::io::Read;

use super::{Json, Result, Syntax};

impl<R: Read> Json<R> {
    /// Appends the number that comes next, as it is written.
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
