//! Logs: the common parts of lines become templates; each line is then the letter of its template and the values of its
//! fields.

mod assign;
mod cells;
mod chain;
mod clock;
mod entries;
mod form;
mod index;
mod lines;
mod mark;
mod mine;
mod names;
mod plain;
mod read;
mod sheet;
mod split;
mod study;
mod template;
mod times;
mod weigh;
mod write;

#[cfg(test)]
mod tests;

use assign::assign;
use lines::Lines;
use mine::mine;
use read::read;
use write::{Techniques, write};

use crate::context::{Context, Level};
use crate::kind::Kind;
use crate::rendering::{Rendered, Rendering};

pub(crate) const RENDERING: Rendering = Rendering {
    word: "log",
    kinds: &[Kind::Log],
    encode,
    decode: read,
};

fn encode(text: &str, _kind: Kind, context: &Context) -> Vec<Rendered> {
    let rendered = Lines::new(text).and_then(|lines| match context.level {
        Level::Safe => plain::write(&lines, context),
        Level::Balanced | Level::Max => templated(&lines, context),
    });
    rendered.into_iter().collect()
}

fn templated(lines: &Lines<'_>, context: &Context) -> Option<Rendered> {
    let max = context.level == Level::Max;
    let index = mine(lines, &context.stop)?;
    let assigned = assign(lines, &index, &context.stop)?;
    let templates: Vec<_> = index
        .templates
        .iter()
        .map(template::Template::parts)
        .collect();
    let techniques = Techniques {
        names: max,
        chains: max,
        headings: true,
        runs: true,
    };
    let rendered = write(lines, &templates, &assigned, techniques, context)?;
    (rendered.body.len() < lines.text.len()).then_some(rendered)
}
