mod languages;
mod mixed;
mod properties;
mod samples;
mod source;

use super::{Region, detect, line_numbers};
use crate::kind::Kind;

/// The kinds of the regions of a text, with the first and last line of each.
fn kinds(text: &str) -> Vec<(Kind, usize, usize)> {
    let regions = detect(text, 0.7);
    let numbers = line_numbers(text, &regions);
    let both = regions.iter().zip(numbers);
    both.map(|(region, (first, last))| (region.kind, first, last))
        .collect()
}

/// The kind of a text with a single region.
fn kind(text: &str) -> Kind {
    match kinds(text)[..] {
        [(kind, _, _)] => kind,
        ref several => panic!("{several:?} in\n{text}"),
    }
}

/// The only region of this kind.
fn only(text: &str, kind: Kind) -> Region {
    let regions = detect(text, 0.7);
    let mut found = regions.into_iter().filter(|region| region.kind == kind);
    let only = found.next().expect("there is one");
    assert_eq!(found.next(), None);
    only
}
