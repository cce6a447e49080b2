//! The fields of a body: `id`, wire type and length are varints, followed by the payload.

use crate::error::{Flaw, Reason};
use crate::varint;

const INT: u64 = 0;
const BYTES: u64 = 1;
const NESTED: u64 = 2;

/// Reads the fields of a body in their order.
#[derive(Debug, Clone)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

/// One field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) id: u64,
    /// Its offset, for errors.
    pub(crate) at: usize,
    value: Value<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Value<'a> {
    Int(u64),
    Bytes(&'a [u8]),
    Nested { bytes: &'a [u8], start: usize },
}

impl<'a> Fields<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self::part(bytes, 0, bytes.len())
    }

    /// The fields of a part of `bytes`; positions count from the start of `bytes`.
    pub(crate) fn part(bytes: &'a [u8], at: usize, end: usize) -> Self {
        Self { bytes, at, end }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Field<'a>>, Flaw> {
        if self.at >= self.end {
            return Ok(None);
        }
        let at = self.at;
        let id = self.varint()?;
        let wire_type = self.varint()?;
        let value = match wire_type {
            INT => Value::Int(self.varint()?),
            BYTES => Value::Bytes(self.bytes(at)?),
            NESTED => {
                let bytes = self.bytes(at)?;
                Value::Nested {
                    bytes,
                    start: self.at - bytes.len(),
                }
            }
            other => return Err(Reason::WireType(other).at(at)),
        };
        Ok(Some(Field { id, at, value }))
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..self.end]
    }

    fn varint(&mut self) -> Result<u64, Flaw> {
        match varint::read(self.rest()) {
            Ok(Some((value, used))) => {
                self.at += used;
                Ok(value)
            }
            Ok(None) => Err(Reason::Beyond {
                what: "a field",
                says: None,
                has: (self.end - self.at) as u64,
            }
            .at(self.at)),
            Err(reason) => Err(reason.at(self.at)),
        }
    }

    fn bytes(&mut self, at: usize) -> Result<&'a [u8], Flaw> {
        let says = self.varint()?;
        let rest = self.rest();
        let bytes = usize::try_from(says).ok().and_then(|len| rest.get(..len));
        let Some(bytes) = bytes else {
            return Err(Reason::Beyond {
                what: "a field",
                says: Some(says),
                has: rest.len() as u64,
            }
            .at(at));
        };
        self.at += bytes.len();
        Ok(bytes)
    }
}

impl<'a> Field<'a> {
    pub(crate) fn int(&self, name: &'static str) -> Result<u64, Flaw> {
        match self.value {
            Value::Int(value) => Ok(value),
            _ => Err(self.wrong(name)),
        }
    }

    pub(crate) fn u32(&self, name: &'static str) -> Result<u32, Flaw> {
        let value = self.int(name)?;
        u32::try_from(value).map_err(|_| Reason::Value { what: name, value }.at(self.at))
    }

    pub(crate) fn bytes(&self, name: &'static str) -> Result<&'a [u8], Flaw> {
        match self.value {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(self.wrong(name)),
        }
    }

    /// The start and the end of the fields inside this one.
    pub(crate) fn nested(&self, name: &'static str) -> Result<(usize, usize), Flaw> {
        match self.value {
            Value::Nested { bytes, start } => Ok((start, start + bytes.len())),
            _ => Err(self.wrong(name)),
        }
    }

    /// A value of a vocabulary.
    pub(crate) fn word<T>(
        &self,
        what: &'static str,
        from_byte: impl Fn(u8) -> Option<T>,
    ) -> Result<T, Flaw> {
        let value = self.int(what)?;
        u8::try_from(value)
            .ok()
            .and_then(from_byte)
            .ok_or_else(|| Reason::Value { what, value }.at(self.at))
    }

    fn wrong(&self, field: &'static str) -> Flaw {
        let got = match self.value {
            Value::Int(_) => INT,
            Value::Bytes(_) => BYTES,
            Value::Nested { .. } => NESTED,
        };
        Reason::WrongWireType { field, got }.at(self.at)
    }
}

/// Appends the fields with this id unchanged.
pub(crate) fn copy_fields(id: u64, from: &[u8], out: &mut Vec<u8>) {
    let mut fields = Fields::new(from);
    while let Ok(Some(field)) = fields.next() {
        if field.id == id {
            out.extend_from_slice(&from[field.at..fields.at]);
        }
    }
}

pub(crate) fn put_int(id: u64, value: u64, out: &mut Vec<u8>) {
    varint::write(id, out);
    varint::write(INT, out);
    varint::write(value, out);
}

pub(crate) fn put_bytes(id: u64, bytes: &[u8], out: &mut Vec<u8>) {
    put_run(id, BYTES, bytes, out);
}

pub(crate) fn put_nested(id: u64, bytes: &[u8], out: &mut Vec<u8>) {
    put_run(id, NESTED, bytes, out);
}

fn put_run(id: u64, wire_type: u64, bytes: &[u8], out: &mut Vec<u8>) {
    varint::write(id, out);
    varint::write(wire_type, out);
    varint::write(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_with_an_unknown_id_is_skipped() {
        let mut out = Vec::new();
        put_bytes(99, b"future", &mut out);
        put_int(1, 2, &mut out);
        let mut fields = Fields::new(&out);
        assert_eq!(fields.next().unwrap().unwrap().id, 99);
        let known = fields.next().unwrap().unwrap();
        assert_eq!(known.int("role"), Ok(2));
        assert!(fields.next().unwrap().is_none());
    }

    #[test]
    fn an_unknown_wire_type_is_refused_even_in_an_unknown_field() {
        let mut fields = Fields::new(&[9, 5, 0]);
        assert_eq!(fields.next().unwrap_err(), Reason::WireType(5).at(0));
    }

    #[test]
    fn a_length_beyond_the_body_is_refused() {
        let mut bytes = vec![3, 1];
        varint::write(u64::MAX, &mut bytes);
        let why = Fields::new(&bytes).next().unwrap_err();
        assert!(matches!(
            why.reason,
            Reason::Beyond {
                says: Some(u64::MAX),
                has: 0,
                ..
            }
        ));
    }

    #[test]
    fn a_known_field_must_have_its_wire_type() {
        let mut out = Vec::new();
        put_bytes(1, b"x", &mut out);
        let field = Fields::new(&out).next().unwrap().unwrap();
        assert_eq!(
            field.int("role").unwrap_err().reason,
            Reason::WrongWireType {
                field: "role",
                got: 1
            }
        );
    }
}
