//! Output of grep, ripgrep and compilers: a file once, then its lines.
//!
//! ```text
//! /home/me/app/src/main.rs:12:fn main() {      %grep file, then its lines; all below /home/me/app/src/
//! /home/me/app/src/main.rs:20:    run();    ►  main.rs
//! /home/me/app/src/run.rs:3:fn run() {         12⇥fn main() {
//!                                              20    run();
//!                                              run.rs
//!                                              3⇥fn run() {
//! ```
//!
//! The sign before a line number follows from the one behind it, and what precedes the number is the file. Any cut of a
//! line into file and rest therefore decodes to the same line; a bad cut only costs tokens. A line that cannot be cut
//! is copied after a `|`.

mod files;
mod head;
mod hit;
mod once;
mod read;
mod root;
mod separators;
mod split;
#[cfg(test)]
mod tests;
mod write;

use crate::context::Context;
use crate::kind::Kind;
use crate::rendering::{Malformed, Rendered, Rendering};
use head::Head;

pub(crate) const RENDERING: Rendering = Rendering {
    word: WORD,
    kinds: &[Kind::Search],
    encode,
    decode,
};

const WORD: &str = "grep";

/// Separates groups of adjacent lines.
const SEPARATOR: &str = "--";

/// Marks a line that is copied verbatim.
const LITERAL: char = '|';

fn encode(text: &str, _kind: Kind, context: &Context) -> Vec<Rendered> {
    let made = write::write(text, context);
    let made = made.filter(|(_, body)| text.len() <= limit(body));
    let rendered = made.map(|(head, body)| Rendered {
        word: WORD,
        head: head.to_string(),
        body,
    });
    rendered.into_iter().collect()
}

/// The longest text that a body may decode to: a file named once is repeated for many lines.
fn limit(body: &str) -> usize {
    body.len().saturating_mul(100).saturating_add(1 << 16)
}

fn decode(head: &str, body: &str) -> Result<String, Malformed> {
    read::read(&Head::parse(head)?, body, limit(body))
}
