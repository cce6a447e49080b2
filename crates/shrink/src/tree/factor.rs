//! Chooses patterns that save tokens.

use std::collections::HashMap;

use super::common::{Common, STAR, cost, hash, is_part};
use super::entry::Entry;
use super::pattern::{LONGEST_RANGE, MOST_ENDINGS, Pattern, Range};
use crate::edge::is_same;

/// Chooses patterns that save tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factor<'e> {
    /// The extension that is omitted from names.
    pub(super) ending: Option<&'e str>,
    /// Whether one word may stand for several names.
    pub(super) expands: bool,
}

/// Words behind a pattern, or names without one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group<'e> {
    pub(super) pattern: Pattern<'e>,
    pub(super) words: Vec<Word<'e>>,
}

/// A word of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'e> {
    /// A name, verbatim, by its index.
    Whole(usize),
    /// The part of a name between prefix and suffix.
    Stem(&'e str),
    /// A range of numbers, with its first and last one.
    Numbers(&'e str, &'e str),
}

type Names<'n, 'e> = &'n [Option<&'e str>];

/// Names that share a prefix or suffix.
struct Class<'e> {
    common: Common<'e>,
    members: Vec<usize>,
}

/// The least number of names that share a pattern.
const FEWEST: usize = 2;

/// The least length of a range of numbers.
const SHORTEST_RANGE: usize = 4;

impl<'e> Factor<'e> {
    /// Groups names whose order is not significant. Names of folders are `None`; they and names without a pattern form
    /// the first group.
    pub(super) fn sorted(self, names: Names<'_, 'e>) -> Vec<Group<'e>> {
        let mut free: Vec<bool> = names.iter().map(Option::is_some).collect();
        let mut groups = Vec::new();
        if self.expands {
            take_numbers(names, &mut free, &mut groups);
            take_sets(names, &mut free, &mut groups);
        }
        let special = classes(names, &free, Common::specials);
        let usual = classes(names, &free, |name| [Common::ending(name), None, None]);
        self.take(&special, names, &mut free, &mut groups, true);
        self.take(&usual, names, &mut free, &mut groups, false);
        self.take(&special, names, &mut free, &mut groups, false);
        let plain = (0..names.len()).filter(|at| free[*at] || names[*at].is_none());
        let words: Vec<_> = plain.map(Word::Whole).collect();
        if !words.is_empty() {
            let pattern = Pattern::plain();
            groups.insert(0, Group { pattern, words });
        }
        groups
    }

    /// Groups adjacent names, keeping their order.
    pub(super) fn given(self, names: Names<'_, 'e>) -> Vec<Group<'e>> {
        let mut groups: Vec<Group<'e>> = Vec::new();
        let mut from = 0;
        while from < names.len() {
            let common = names[from].and_then(Common::ending);
            let same = |name: &&Option<&'e str>| name.and_then(Common::ending) == common;
            let len = names[from..].iter().take_while(same).count();
            let members: Vec<usize> = (from..from + len).collect();
            let worth = common.filter(|common| {
                // Minus the cost of ending the pattern behind them.
                self.gain(*common, &members, names, false) > STAR
            });
            let group = match worth {
                Some(common) => group(common, &members, names),
                None => Group {
                    pattern: Pattern::plain(),
                    words: members.into_iter().map(Word::Whole).collect(),
                },
            };
            match groups.last_mut() {
                Some(last) if last.pattern == group.pattern => last.words.extend(group.words),
                _ => groups.push(group),
            }
            from += len;
        }
        groups
    }

    /// Groups free names where that saves tokens; with `better`, where it saves more than their usual pattern. Groups
    /// that save most are first.
    fn take(
        self,
        classes: &[Class<'e>],
        names: Names<'_, 'e>,
        free: &mut [bool],
        groups: &mut Vec<Group<'e>>,
        better: bool,
    ) {
        let gains = classes.iter().map(|Class { common, members }| {
            let gain = self.gain(*common, members, names, better);
            (gain, *common, members)
        });
        let mut gains: Vec<_> = gains.filter(|(gain, ..)| *gain > 0).collect();
        gains.sort_by_key(|(gain, common, _)| (std::cmp::Reverse(*gain), *common));
        for (_, common, members) in gains {
            let members = members.iter().copied().filter(|at| free[*at]);
            let members: Vec<usize> = members.collect();
            if self.gain(common, &members, names, better) > 0 {
                members.iter().for_each(|at| free[*at] = false);
                groups.push(group(common, &members, names));
            }
        }
    }

    /// The number of tokens that a pattern saves; with `better`, compared with the usual pattern.
    fn gain(
        self,
        common: Common<'e>,
        members: &[usize],
        names: Names<'_, 'e>,
        better: bool,
    ) -> i64 {
        let usual = common.usual();
        let each = match usual {
            Some(usual) if better => common.tokens() - usual.tokens(),
            _ => common.tokens(),
        };
        let saved = each * members.len() as i64 - common.head();
        let Some(ending) = self.ending.filter(|_| !better) else {
            return saved;
        };
        // Names whose extension is omitted are short already.
        let own = usual.is_some_and(|usual| ending.ends_with(usual.behind));
        let short = members.iter().filter_map(|at| names[*at]);
        let short = short.filter(|name| own && has_usual_ending(name, ending));
        saved - cost(ending) * short.count() as i64
    }
}

fn group<'e>(common: Common<'e>, members: &[usize], names: Names<'_, 'e>) -> Group<'e> {
    let stem = |at: &usize| match names[*at].and_then(|name| common.stem(name)) {
        Some(stem) => Word::Stem(stem),
        None => Word::Whole(*at),
    };
    Group {
        pattern: common.pattern(),
        words: members.iter().map(stem).collect(),
    }
}

/// Groups stems that have the same set of extensions: `*.{c,h}: a b`.
fn take_sets<'e>(names: Names<'_, 'e>, free: &mut [bool], groups: &mut Vec<Group<'e>>) {
    let mut parts: Vec<(u64, Part<'e>)> = Vec::new();
    for (at, name) in names.iter().enumerate().filter(|(at, _)| free[*at]) {
        let cut = name.and_then(|name| Some((name, name.find('.').filter(|dot| *dot > 0)?)));
        if let Some((name, dot)) = cut.filter(|(name, dot)| is_part(&name[*dot..])) {
            let (stem, ending) = name.split_at(dot);
            parts.push((hash(stem, 0), Part { stem, ending, at }));
        }
    }
    parts.sort_unstable_by_key(|(hash, part)| (*hash, part.at));
    let stems = parts.chunk_by(|a, b| a.0 == b.0 && a.1.stem == b.1.stem);
    let mut sets: Vec<(u64, &[(u64, Part<'e>)])> = stems
        .filter(|stem| (2..=MOST_ENDINGS).contains(&stem.len()))
        .map(|stem| {
            (
                stem.iter()
                    .fold(0, |start, part| hash(part.1.ending, start)),
                stem,
            )
        })
        .collect();
    sets.sort_unstable_by_key(|(hash, stem)| (*hash, stem[0].1.at));
    for same in sets.chunk_by(|a, b| a.0 == b.0 && endings(a.1).eq(endings(b.1))) {
        let stems = same.len() as i64;
        let apart = endings(same[0].1).map(|behind| {
            let common = Common { before: "", behind };
            common.head().min(stems * cost(behind))
        });
        // Each stem is written once instead of once per extension, and so is each pattern.
        let saved = apart.sum::<i64>() + stems * (same[0].1.len() as i64 - 1);
        let head = STAR + 1 + endings(same[0].1).map(cost).sum::<i64>();
        if same.len() >= FEWEST && saved > head {
            let members = same.iter().flat_map(|(_, stem)| stem.iter());
            members.for_each(|(_, part)| free[part.at] = false);
            groups.push(Group {
                pattern: Pattern::new("", endings(same[0].1)),
                words: same
                    .iter()
                    .map(|(_, stem)| Word::Stem(stem[0].1.stem))
                    .collect(),
            });
        }
    }
}

fn endings<'e>(stem: &[(u64, Part<'e>)]) -> impl Iterator<Item = &'e str> {
    stem.iter().map(|part| part.1.ending)
}

/// A name, cut at its first dot.
#[derive(Clone, Copy)]
struct Part<'e> {
    stem: &'e str,
    ending: &'e str,
    at: usize,
}

/// Groups consecutive numbers: `img_*.png: 001..300`.
fn take_numbers<'e>(names: Names<'_, 'e>, free: &mut [bool], groups: &mut Vec<Group<'e>>) {
    for Class { common, members } in classes(names, free, |name| [Common::number(name), None, None])
    {
        let mut numbers: Vec<(&'e str, usize)> = members
            .iter()
            .filter_map(|at| Some((common.stem(names[*at]?)?, *at)))
            .collect();
        // Sorts numbers without leading zeros by value.
        numbers.sort_unstable_by_key(|(number, _)| (number.len(), *number));
        let mut words = Vec::new();
        let runs = numbers.chunk_by(|a, b| Range::is_next(a.0, b.0));
        for run in runs.flat_map(|run| run.chunks(LONGEST_RANGE as usize)) {
            let (first, last) = (run[0].0, run[run.len() - 1].0);
            if run.len() < SHORTEST_RANGE || Range::new(first, last).is_none() {
                continue;
            }
            words.push(Word::Numbers(first, last));
            run.iter().for_each(|(_, at)| free[*at] = false);
        }
        if !words.is_empty() {
            let pattern = Pattern::new(common.before, [common.behind]);
            groups.push(Group { pattern, words });
        }
    }
}

/// Groups names by what they share, if several names share it.
fn classes<'e>(
    names: Names<'_, 'e>,
    free: &[bool],
    commons: impl Fn(&'e str) -> [Option<Common<'e>>; 3],
) -> Vec<Class<'e>> {
    let mut found: Vec<(u64, usize, Common<'e>)> = Vec::new();
    for (at, name) in names.iter().enumerate().filter(|(at, _)| free[*at]) {
        let commons = name.map(&commons).into_iter().flatten().flatten();
        found.extend(commons.map(|common| (common.hash(), at, common)));
    }
    found.sort_unstable_by_key(|(hash, at, _)| (*hash, *at));
    let same = found.chunk_by(|a, b| a.0 == b.0 && a.2 == b.2);
    same.filter(|same| same.len() >= FEWEST)
        .map(|same| Class {
            common: same[0].2,
            members: same.iter().map(|(_, at, _)| *at).collect(),
        })
        .collect()
}

fn has_usual_ending(name: &str, ending: &str) -> bool {
    let stem = name.strip_suffix(ending);
    stem.is_some_and(|stem| !stem.contains('.'))
}

/// The most common extension, if omitting it saves tokens.
pub(super) fn usual_ending<'e>(entries: &'e [Entry<'_>]) -> Option<&'e str> {
    let mut counts: HashMap<&'e str, usize> = HashMap::new();
    let mut without = 0;
    // Adjacent names mostly have the same extension, so runs are counted together.
    let mut run = ("", 0);
    for entry in entries.iter().filter(|entry| !entry.folder) {
        match memchr::memchr(b'.', entry.name.as_bytes()) {
            None => without += 1,
            Some(0) => {}
            Some(dot) if is_same(run.0, &entry.name[dot..]) => run.1 += 1,
            Some(dot) => {
                let (ending, count) = std::mem::replace(&mut run, (&entry.name[dot..], 1));
                *counts.entry(ending).or_default() += count;
            }
        }
    }
    *counts.entry(run.0).or_default() += run.1;
    counts.remove("");
    let counts = counts.into_iter();
    let (ending, count) = counts.max_by_key(|(ending, count)| (*count, *ending))?;
    (count > without * 2 && is_part(ending)).then_some(ending)
}
