//! Unified diffs: one line per file, hunks without counts, long runs without signs.
//!
//! ```text
//! diff --git a/src/main.rs b/src/main.rs        %diff === file; @@ +line; …
//! index 1c25178..53d1c4e 100644                 === 1c25178..53d1c4e src/main.rs
//! --- a/src/main.rs                             @@ +12 fn main() {
//! +++ b/src/main.rs                          ►      let a = 1;
//! @@ -12,3 +12,3 @@ fn main() {                 !    run(a, [-b-]{+c+}).expect("it runs");
//!      let a = 1;                                }
//! -    run(a, b).expect("it runs");
//! +    run(a, c).expect("it runs");
//!  }
//! ```
//!
//! The first character of a line tells whether it belongs to a hunk, so the counts can be computed. Lines outside hunks
//! are copied; one that could be misread is copied after a `|`.

mod file;
mod find;
mod head;
mod hunk;
mod learn;
mod read;
mod run;
#[cfg(test)]
mod tests;
mod words;
mod write;

use crate::context::Context;
use crate::kind::Kind;
use crate::rendering::{Malformed, Rendered, Rendering};
use head::Head;

pub(crate) const RENDERING: Rendering = Rendering {
    word: WORD,
    kinds: &[Kind::Diff],
    encode,
    decode,
};

const WORD: &str = "diff";

/// Begins the line of a file.
const FILE: &str = "=== ";

/// Begins a hunk.
const HUNK: &str = "@@ ";

/// Marks a line that is copied verbatim.
const LITERAL: char = '|';

fn encode(text: &str, _kind: Kind, context: &Context) -> Vec<Rendered> {
    encode_one(text, context).into_iter().collect()
}

fn encode_one(text: &str, context: &Context) -> Option<Rendered> {
    memchr::memmem::find(text.as_bytes(), b"@@ -")?;
    let lines: Vec<&str> = text.split('\n').collect();
    let form = learn::learn(&lines);
    let body = write::write(&lines, &form, context)?;
    let head = Head {
        level: context.level,
        form,
    };
    (text.len() <= limit(&body)).then(|| Rendered {
        word: WORD,
        head: head.to_string(),
        body,
    })
}

/// The longest text that a body may decode to: words of the head are repeated for many files.
fn limit(body: &str) -> usize {
    body.len().saturating_mul(50).saturating_add(1 << 16)
}

fn decode(head: &str, body: &str) -> Result<String, Malformed> {
    let Head { form, .. } = Head::parse(head)?;
    read::read(body, &form, limit(body))
}
