//! Combines templates whose lines always occur in the same sequence.

use super::assign::NONE;

/// The most lines of a combined template.
const LONGEST: usize = 64;

/// For each template, the chain that it begins: itself and the templates that always follow. Empty if it is inside
/// another chain.
pub(crate) fn chains(
    sequence: &[u32],
    count: usize,
    may_follow: impl Fn(usize) -> bool,
) -> Vec<Vec<u32>> {
    let mut next = vec![Neighbour::Unknown; count];
    let mut before = vec![Neighbour::Unknown; count];
    for at in 0..=sequence.len() {
        let one = at.checked_sub(1).map_or(NONE, |at| sequence[at]);
        let other = sequence.get(at).copied().unwrap_or(NONE);
        if let Some(next) = next.get_mut(one as usize) {
            next.is(other);
        }
        if let Some(before) = before.get_mut(other as usize) {
            before.is(one);
        }
    }
    let linked = |one: usize| match next[one] {
        Neighbour::Always(other) if other as usize != one => {
            let both = before.get(other as usize) == Some(&Neighbour::Always(one as u32));
            (both && may_follow(other as usize)).then_some(other as usize)
        }
        _ => None,
    };
    let mut chains: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut follows = vec![false; count];
    for one in 0..count {
        if let Some(other) = linked(one) {
            follows[other] = true;
        }
    }
    for first in (0..count).filter(|one| !follows[*one]) {
        let mut chain = vec![first as u32];
        let mut at = first;
        while let Some(other) = linked(at) {
            if chain.len() == LONGEST {
                let head = chain[0] as usize;
                chains[head] = std::mem::take(&mut chain);
            }
            chain.push(other as u32);
            at = other;
        }
        let head = chain[0] as usize;
        chains[head] = chain;
    }
    chains
}

/// The template of the neighbouring line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbour {
    Unknown,
    Always(u32),
    Different,
}

impl Neighbour {
    fn is(&mut self, neighbour: u32) {
        *self = match *self {
            Self::Unknown if neighbour != NONE => Self::Always(neighbour),
            Self::Always(known) if known == neighbour => *self,
            _ => Self::Different,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_a_fixed_sequence_form_a_chain() {
        let sequence = [0, 1, 2, 3, 0, 1, 2, NONE, 0, 1, 2];
        let chains = chains(&sequence, 4, |_| true);
        assert_eq!(chains, [vec![0, 1, 2], vec![], vec![], vec![3]]);
    }

    #[test]
    fn a_repeated_line_is_not_a_chain() {
        assert_eq!(chains(&[0, 0, 0], 1, |_| true), [vec![0]]);
        assert_eq!(chains(&[0, 1, 0, 1], 2, |_| true), [vec![0, 1], vec![]]);
    }
}
