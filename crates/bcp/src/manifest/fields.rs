//! The members of a block, read before its type is known.
//!
//! `"type"` may be the last member, so all of them are stored. An error in a member is reported only if the
//! type uses it: the reference implementation ignores unused members, whatever their values. Strings are
//! stored in one buffer, from which the block borrows.

use std::io::Read;

use super::error::Problem;
use super::json::{Json, Result, Shape};
use super::values::int;
use super::{entries, hunks};
use crate::hunks::Hunks;

/// Members of blocks, with their aliases.
macro_rules! fields {
    ($($field:ident = $name:literal $(| $alias:literal)*;)*) => {
        /// A member that some type of block has.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Field { $($field,)* }

        impl Field {
            const COUNT: usize = [$(Field::$field),*].len();

            #[expect(non_upper_case_globals, reason = "one for each variant")]
            fn parse(key: &[u8]) -> Option<Self> {
                $(const $field: &[u8] = $name.as_bytes();)*
                match key {
                    $($field => Some(Self::$field),)*
                    _ => Self::parse_alias(key),
                }
            }

            fn parse_alias(key: &[u8]) -> Option<Self> {
                $($(if key == $alias.as_bytes() { return Some(Self::$field); })*)*
                None
            }

            /// The name in messages.
            pub(super) const fn name(self) -> &'static str {
                match self { $(Self::$field => $name,)* }
            }

            /// The quoted name.
            pub(super) const fn quoted(self) -> &'static str {
                match self { $(Self::$field => concat!("\"", $name, "\""),)* }
            }
        }
    };
}

fields! {
    Type = "type";
    Summary = "summary";
    Priority = "priority";
    Content = "content";
    ContentBase64 = "content_base64";
    ContentFile = "content_file" | "data_file";
    Lang = "lang";
    Path = "path";
    Lines = "lines";
    LineStart = "line_start";
    LineEnd = "line_end";
    Role = "role";
    ToolCallId = "tool_call_id";
    Root = "root" | "root_path";
    Entries = "entries";
    Name = "name" | "tool_name";
    Status = "status";
    SchemaHint = "schema_hint";
    Title = "title";
    Format = "format" | "format_hint";
    Schema = "schema";
    Hunks = "hunks";
    Target = "target" | "target_block_id";
    Kind = "kind";
    Value = "value";
    ValueBase64 = "value_base64";
    VectorId = "vector_id";
    SourceHash = "source_hash";
    SourceHashBase64 = "source_hash_base64";
    Model = "model";
    Media = "media" | "media_type";
    Alt = "alt" | "alt_text";
    Data = "data" | "data_base64";
    Namespace = "namespace" | "ns";
    TypeName = "type_name";
    Body = "body";
    BodyBase64 = "body_base64";
}

/// The value of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Missing or null.
    Absent,
    Text(Span),
    /// In its original spelling.
    Number(Span),
    /// `"lines": [10, 300]`
    Pair(u64, u64),
    /// `"entries"` and `"hunks"`, which are stored in [`Fields`].
    List,
    /// A value of a type that no member has.
    Other(&'static str),
    /// A duplicate, or an invalid value.
    Wrong(Box<Problem>),
}

/// A range of the text buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    start: usize,
    end: usize,
}

/// The members of a block.
pub(super) struct Fields {
    values: [Value; Field::COUNT],
    texts: Vec<u8>,
    /// The encoded entries of a tree.
    pub(super) tree: Vec<u8>,
    pub(super) hunks: Hunks<'static>,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            values: [const { Value::Absent }; Field::COUNT],
            texts: Vec::new(),
            tree: Vec::new(),
            hunks: Hunks::default(),
        }
    }
}

impl Fields {
    /// Reads the members of the open object, replacing those of the previous block.
    pub(super) fn read<R: Read>(&mut self, json: &mut Json<R>, key: &mut Vec<u8>) -> Result<()> {
        self.values.fill(Value::Absent);
        self.texts.clear();
        self.tree.clear();
        self.hunks = Hunks::default();
        while json.key(key)? {
            let Some(field) = Field::parse(key) else {
                json.skip()?;
                continue;
            };
            let value = if self.values[field as usize] == Value::Absent {
                let depth = json.depth();
                match self.value(json, field) {
                    Err(problem) if !problem.is_fatal() => {
                        json.close_to(depth)?;
                        Value::Wrong(Box::new(problem))
                    }
                    value => value?,
                }
            } else {
                json.skip()?;
                Value::Wrong(Box::new(Problem::Twice(field.name())))
            };
            self.values[field as usize] = value;
        }
        Ok(())
    }

    pub(super) fn value_of(&self, field: Field) -> &Value {
        &self.values[field as usize]
    }

    pub(super) fn bytes(&self, span: Span) -> &[u8] {
        &self.texts[span.start..span.end]
    }

    fn value<R: Read>(&mut self, json: &mut Json<R>, field: Field) -> Result<Value> {
        let start = self.texts.len();
        let shape = json.shape()?;
        match (shape, field) {
            (Shape::Text, _) => json.text(&mut self.texts)?,
            (Shape::Number, _) => json.number(&mut self.texts)?,
            (Shape::Null, _) => {
                json.skip()?;
                return Ok(Value::Absent);
            }
            (Shape::Array, Field::Lines) => return pair(json, &mut self.texts),
            (Shape::Array, Field::Entries) => {
                entries::read(json, &mut self.tree)?;
                return Ok(Value::List);
            }
            (Shape::Array, Field::Hunks) => {
                hunks::read(json, &mut self.hunks)?;
                return Ok(Value::List);
            }
            (other, _) => {
                json.skip()?;
                return Ok(Value::Other(other.name()));
            }
        }
        let span = Span {
            start,
            end: self.texts.len(),
        };
        Ok(match shape {
            Shape::Text => Value::Text(span),
            _ => Value::Number(span),
        })
    }
}

/// Reads an array of two numbers.
fn pair<R: Read>(json: &mut Json<R>, texts: &mut Vec<u8>) -> Result<Value> {
    let mut numbers = [0; 2];
    let mut count = 0;
    json.open_array()?;
    while json.item()? {
        let number = int(json, "a line of \"lines\"", u64::from(u32::MAX), texts)?;
        if let Some(slot) = numbers.get_mut(count) {
            *slot = number;
        }
        count += 1;
    }
    if count != 2 {
        return Err(Problem::Shape {
            field: "\"lines\"",
            must: "an array of the first and the last line",
            found: "an array of another length",
        });
    }
    Ok(Value::Pair(numbers[0], numbers[1]))
}
