//! Merges an old and a new line: `let x = [-a-]{+b+};`.

mod line;
mod merge;

use line::Line;
use merge::Merge;

use crate::context::Stop;

/// Up to this many pairs of lines, all pairs are compared.
const ALL: usize = 400;

/// With more pairs, how many new lines are compared with each old one.
const AHEAD: usize = 6;

/// The pairs of an old and a new line that are shorter when merged, in order, with the merged text. The lines still
/// have their signs.
pub(super) fn pairs(olds: &[&str], news: &[&str], stop: &Stop) -> Vec<(usize, usize, String)> {
    if olds.is_empty() || news.is_empty() {
        return Vec::new();
    }
    let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let mut merge = Merge::new(64 * (bytes(olds) + bytes(news)));
    let old: Vec<_> = olds.iter().map(|line| Line::new(line)).collect();
    let new: Vec<_> = news.iter().map(|line| Line::new(line)).collect();
    let chosen = if old.len() * new.len() <= ALL {
        best(&old, &new, &mut merge)
    } else {
        greedy(&old, &new, &mut merge, stop)
    };
    let pairs = chosen.into_iter().filter_map(|(one, other)| {
        let text = merge.text(&old[one], &new[other]);
        // The line itself may contain the markers of changes.
        let (was, is) = split(&text)?;
        let same = was == olds[one][1..] && is == news[other][1..];
        same.then_some((one, other, text))
    });
    pairs.collect()
}

/// The non-crossing pairs with the largest total gain.
fn best(old: &[Line<'_>], new: &[Line<'_>], merge: &mut Merge) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut gains = vec![0_usize; old.len() * new.len()];
    let mut most = vec![0_usize; (old.len() + 1) * width];
    for one in (0..old.len()).rev() {
        for other in (0..new.len()).rev() {
            let gain = merge.gain(&old[one], &new[other]);
            gains[one * new.len() + other] = gain;
            let apart = most[(one + 1) * width + other].max(most[one * width + other + 1]);
            let together = match gain {
                0 => 0,
                gain => gain + most[(one + 1) * width + other + 1],
            };
            most[one * width + other] = apart.max(together);
        }
    }
    let (mut one, mut other) = (0, 0);
    let mut chosen = Vec::new();
    while one < old.len() && other < new.len() {
        let here = most[one * width + other];
        let gain = gains[one * new.len() + other];
        if gain > 0 && here == gain + most[(one + 1) * width + other + 1] {
            chosen.push((one, other));
            one += 1;
            other += 1;
        } else if here == most[(one + 1) * width + other] {
            one += 1;
        } else {
            other += 1;
        }
    }
    chosen
}

/// Pairs each old line with the best of the next few new lines.
fn greedy(
    old: &[Line<'_>],
    new: &[Line<'_>],
    merge: &mut Merge,
    stop: &Stop,
) -> Vec<(usize, usize)> {
    let mut chosen = Vec::new();
    let mut from = 0;
    for (one, old) in old.iter().enumerate() {
        // The call was cancelled; the remaining pairs are not needed.
        if one % 256 == 0 && stop.is_set() {
            break;
        }
        let ahead = new.iter().enumerate().skip(from).take(AHEAD);
        let gains = ahead.map(|(other, new)| (merge.gain(old, new), other));
        // The first of equal gains.
        let best = gains.max_by_key(|(gain, other)| (*gain, usize::MAX - other));
        if let Some((1.., other)) = best {
            chosen.push((one, other));
            from = other + 1;
        }
    }
    chosen
}

/// Splits `let x = [-a-]{+b+};` into the old and the new line.
pub(super) fn split(text: &str) -> Option<(String, String)> {
    let (mut old, mut new) = (String::new(), String::new());
    let mut rest = text;
    loop {
        let at = memchr::memchr2_iter(b'[', b'{', rest.as_bytes())
            .find(|at| matches!(rest.get(*at..at + 2), Some("[-" | "{+")));
        let Some(at) = at else {
            old.push_str(rest);
            new.push_str(rest);
            return Some((old, new));
        };
        let (same, more) = rest.split_at(at);
        old.push_str(same);
        new.push_str(same);
        let (sign, more) = more.split_at(2);
        let (side, end) = match sign {
            "[-" => (&mut old, "-]"),
            _ => (&mut new, "+}"),
        };
        let (part, more) = more.split_once(end)?;
        side.push_str(part);
        rest = more;
    }
}
