//! Encodes search results.

use std::collections::HashMap;

use super::files::{self, Files};
use super::head::{Column, Head, Style};
use super::separators::Separators;
use super::split::{Cut, Cutter};
use super::{LITERAL, SEPARATOR, hit, once, root};
use crate::context::{Context, Level};

/// The head and the body, if most lines can be cut.
pub(super) fn write(text: &str, context: &Context) -> Option<(Head, String)> {
    let mut cutter = Cutter::learn(text, context)?;
    let style = cutter.style;
    let mut cuts = cut_all(text, &mut cutter, context)?;
    let (head, texts) = plan(text, &mut cuts, style, context.level);
    let indices: HashMap<&str, usize> = texts.iter().copied().zip(0..).collect();
    let mut files = Files::new(&head);
    let mut body = String::with_capacity(text.len() / 2);
    let mut current = None;
    let mut begun = false;
    for (index, text) in texts.iter().enumerate() {
        if begun {
            body.push('\n');
        }
        begun = true;
        body.extend(["$", &(index + 1).to_string(), "\t", text]);
    }
    for (at, (cut, line)) in cuts.iter().zip(text.split('\n')).enumerate() {
        if at % 512 == 0 && context.stop.is_set() {
            return None;
        }
        if line == SEPARATOR && head.implied_separators {
            continue;
        }
        if begun {
            body.push('\n');
        }
        begun = true;
        let Some(Cut { path, rest }) = cut else {
            let plain = line == SEPARATOR || line.is_empty() && style == Style::Numbered;
            if !plain {
                body.push(LITERAL);
            }
            body.push_str(line);
            continue;
        };
        if current != Some(path) {
            current = Some(path);
            if style == Style::Text {
                body.push('>');
            }
            files.write(path, &mut body);
            body.push('\n');
        }
        if context.level < Level::Max || style == Style::Text {
            body.push_str(rest);
            continue;
        }
        hit::write(rest, &head, |text| indices.get(text).copied(), &mut body);
    }
    // An empty last line could be mistaken for the line end above it.
    if body.ends_with('\n') {
        body.push(LITERAL);
    }
    Some((head, body))
}

/// The cuts of all lines; `None` for lines that cannot be cut.
fn cut_all<'a>(
    text: &'a str,
    cutter: &mut Cutter<'a>,
    context: &Context,
) -> Option<Vec<Option<Cut<'a>>>> {
    let mut cuts = Vec::new();
    let (mut hits, mut others) = (0_usize, 0_usize);
    for (index, line) in text.split('\n').enumerate() {
        if index % 512 == 0 && context.stop.is_set() {
            return None;
        }
        let cut = cutter.cut(line);
        match cut {
            Some(_) => hits += 1,
            None if line.is_empty() || line == SEPARATOR => {}
            None => others += 1,
        }
        cuts.push(cut);
    }
    (hits >= 3 && hits >= others).then_some(cuts)
}

/// The head, and the repeated texts.
fn plan<'a>(
    text: &str,
    cuts: &mut [Option<Cut<'a>>],
    style: Style,
    level: Level,
) -> (Head, Vec<&'a str>) {
    let mut stated: Vec<&str> = Vec::new();
    for cut in cuts.iter().flatten() {
        if stated.last() != Some(&cut.path) {
            stated.push(cut.path);
        }
    }
    let mut head = Head::plain(style);
    let mut texts = Vec::new();
    if level == Level::Safe {
        return (head, texts);
    }
    root::common(&stated).clone_into(&mut head.root);
    if level == Level::Max {
        head.bare = files::bare_pays(&stated, &head.root);
        head.ending = files::ending(&stated);
        if style == Style::Numbered {
            head.column = once::column(cuts.iter().flatten().map(|cut| cut.rest));
            let columns = head.column != Column::None;
            // Decoding would give a hit without a column a derived one, so it is copied verbatim.
            let irregular = |cut: &Cut<'_>| columns && hit::lacks_column(cut.rest);
            cuts.iter_mut()
                .filter(|cut| cut.is_some_and(|cut| irregular(&cut)))
                .for_each(|cut| *cut = None);
            let rests = || cuts.iter().flatten().map(|cut| cut.rest);
            head.indent = once::indent(rests(), columns);
            texts = once::repeated(rests(), columns);
            head.texts = texts.len();
            head.implied_separators = Separators::pays(text.split('\n').zip(&*cuts));
        }
    }
    (head, texts)
}
