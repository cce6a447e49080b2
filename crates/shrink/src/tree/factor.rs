//! Which patterns are worth their words.

use std::collections::HashMap;

use super::pattern::{LONGEST_PART, MOST_ENDINGS, Pattern, Range};
use crate::context::Context;

/// Finds patterns that are worth their words.
pub(super) struct Factor<'e, 'c> {
    context: &'c Context,
    /// What a name without a dot ends in.
    ending: Option<&'e str>,
    /// How many tokens the parts of patterns have, and patterns themselves.
    costs: HashMap<&'e str, i64>,
    heads: HashMap<Common<'e>, i64>,
}

/// Words with a pattern, or names with none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group<'e> {
    pub(super) pattern: Pattern<'e>,
    pub(super) words: Vec<Word<'e>>,
}

/// What stands in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'e> {
    /// One of the names, as it is.
    Whole(usize),
    /// What a pattern leaves of a name.
    Stem(&'e str),
    /// All numbers from one to another.
    Numbers(&'e str, &'e str),
}

/// What a name begins with and ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Common<'e> {
    before: &'e str,
    behind: &'e str,
}

type Names<'n, 'e> = &'n [Option<&'e str>];

/// Names that have something in common.
struct Class<'e> {
    common: Common<'e>,
    members: Vec<usize>,
}

/// Fewer names than this have nothing in common.
const FEWEST: usize = 2;

/// Fewer numbers than this are no range.
const SHORTEST_RANGE: usize = 4;

/// Tokens of ` *:`.
const END: i64 = 2;

impl<'e, 'c> Factor<'e, 'c> {
    pub(super) fn new(context: &'c Context, ending: Option<&'e str>) -> Self {
        Self {
            context,
            ending,
            costs: HashMap::new(),
            heads: HashMap::new(),
        }
    }

    /// Groups of names whose order does not matter. Those that are no files are `None`; they and what
    /// has no pattern come first.
    pub(super) fn sorted(&mut self, names: Names<'_, 'e>) -> Vec<Group<'e>> {
        let mut free: Vec<bool> = names.iter().map(Option::is_some).collect();
        let mut groups = Vec::new();
        take_numbers(names, &mut free, &mut groups);
        self.take_sets(names, &mut free, &mut groups);
        let special = classes(names, &free, specials);
        let usual = classes(names, &free, |name| [ending(name), None, None]);
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

    /// Groups of neighbours, in order.
    pub(super) fn given(&mut self, names: Names<'_, 'e>) -> Vec<Group<'e>> {
        let mut groups: Vec<Group<'e>> = Vec::new();
        let mut from = 0;
        while from < names.len() {
            let common = names[from].and_then(ending);
            let same = |name: &&Option<&'e str>| name.and_then(ending) == common;
            let len = names[from..].iter().take_while(same).count();
            let members: Vec<usize> = (from..from + len).collect();
            let worth = common.filter(|common| {
                // Behind them it has to be said that the pattern is over.
                self.gain(*common, &members, names, false) > END
            });
            let group = match worth {
                Some(common) => common.group(&members, names),
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

    /// Makes groups of those that are free, where that saves tokens; with `better`, more than their usual
    /// pattern does. Those that save most are first.
    fn take(
        &mut self,
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
                groups.push(common.group(&members, names));
            }
        }
    }

    /// Makes groups of stems that have the same endings: `*.{c,h}: a b`.
    fn take_sets(&mut self, names: Names<'_, 'e>, free: &mut [bool], groups: &mut Vec<Group<'e>>) {
        /// Stem, ending, place.
        type Part<'e> = (&'e str, &'e str, usize);
        let mut parts: Vec<Part<'e>> = Vec::new();
        for (at, name) in names.iter().enumerate().filter(|(at, _)| free[*at]) {
            let cut = name.and_then(|name| Some((name, name.find('.').filter(|dot| *dot > 0)?)));
            if let Some((name, dot)) = cut.filter(|(name, dot)| is_part(&name[*dot..])) {
                parts.push((&name[..dot], &name[dot..], at));
            }
        }
        parts.sort_unstable();
        let stems = parts.chunk_by(|a, b| a.0 == b.0);
        let mut sets: Vec<(Vec<&'e str>, &[Part<'e>])> = stems
            .filter(|stem| (2..=MOST_ENDINGS).contains(&stem.len()))
            .map(|stem| (stem.iter().map(|part| part.1).collect(), stem))
            .collect();
        sets.sort_unstable();
        for same in sets.chunk_by(|a, b| a.0 == b.0) {
            let endings = &same[0].0;
            let words = same.iter().map(|(_, stem)| Word::Stem(stem[0].0)).collect();
            let pattern = Pattern::new("", endings.iter().copied());
            // Every stem is said once instead of once for each ending; so is every pattern.
            let (stems, endings) = (same.len() as i64, endings.iter().copied());
            let apart: i64 = endings
                .clone()
                .map(|behind| {
                    let common = Common { before: "", behind };
                    self.head(common).min(stems * self.cost(behind))
                })
                .sum();
            let saved = apart + stems * (endings.count() as i64 - 1);
            if same.len() >= FEWEST && saved > self.words(&pattern) {
                let members = same.iter().flat_map(|(_, stem)| stem.iter());
                members.for_each(|part| free[part.2] = false);
                groups.push(Group { pattern, words });
            }
        }
    }

    /// How many tokens a pattern saves these names; with `better`, more than their usual one does.
    fn gain(
        &mut self,
        common: Common<'e>,
        members: &[usize],
        names: Names<'_, 'e>,
        better: bool,
    ) -> i64 {
        let saved = members.iter().filter_map(|at| names[*at]).map(|name| {
            let usual = ending(name).filter(|_| better);
            self.saved(common, name) - usual.map_or(0, |usual| self.saved(usual, name))
        });
        saved.sum::<i64>() - self.head(common)
    }

    /// How many tokens a name is shorter if the pattern is said elsewhere.
    fn saved(&mut self, common: Common<'e>, name: &str) -> i64 {
        let whole = self.cost(common.before) + self.cost(common.behind);
        match self.ending {
            Some(ending) if has_usual_ending(name, ending) => whole - self.cost(ending),
            _ => whole,
        }
    }

    fn cost(&mut self, part: &'e str) -> i64 {
        let context = self.context;
        let count = || context.tokens(part) as i64;
        *self.costs.entry(part).or_insert_with(count)
    }

    fn head(&mut self, common: Common<'e>) -> i64 {
        if let Some(cost) = self.heads.get(&common) {
            return *cost;
        }
        let cost = self.words(&Pattern::new(common.before, [common.behind]));
        self.heads.insert(common, cost);
        cost
    }

    fn words(&self, pattern: &Pattern<'_>) -> i64 {
        let mut word = String::from(" ");
        pattern.write(&mut word);
        self.context.tokens(&word) as i64
    }
}

impl<'e> Common<'e> {
    fn group(self, members: &[usize], names: Names<'_, 'e>) -> Group<'e> {
        let stem = |at: &usize| match names[*at].and_then(|name| self.stem(name)) {
            Some(stem) => Word::Stem(stem),
            None => Word::Whole(*at),
        };
        Group {
            pattern: Pattern::new(self.before, [self.behind]),
            words: members.iter().map(stem).collect(),
        }
    }

    fn stem(self, name: &'e str) -> Option<&'e str> {
        name.strip_prefix(self.before)?.strip_suffix(self.behind)
    }
}

/// Makes groups of numbers that follow each other: `img_*.png: 001..300`.
fn take_numbers<'e>(names: Names<'_, 'e>, free: &mut [bool], groups: &mut Vec<Group<'e>>) {
    for Class { common, members } in classes(names, free, |name| [number(name), None, None]) {
        let mut numbers: Vec<(&'e str, usize)> = members
            .iter()
            .filter_map(|at| Some((common.stem(names[*at]?)?, *at)))
            .collect();
        // Numbers without leading zeros are sorted by their length first.
        numbers.sort_unstable_by_key(|(number, _)| (number.len(), *number));
        let mut words = Vec::new();
        for run in numbers.chunk_by(|a, b| Range::is_next(a.0, b.0)) {
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

/// Names by what they have in common; only what several have.
fn classes<'e>(
    names: Names<'_, 'e>,
    free: &[bool],
    commons: impl Fn(&'e str) -> [Option<Common<'e>>; 3],
) -> Vec<Class<'e>> {
    let mut found: Vec<(Common<'e>, usize)> = Vec::new();
    for (at, name) in names.iter().enumerate().filter(|(at, _)| free[*at]) {
        let commons = name.map(&commons).into_iter().flatten().flatten();
        found.extend(commons.map(|common| (common, at)));
    }
    found.sort_unstable();
    let same = found.chunk_by(|a, b| a.0 == b.0);
    same.filter(|same| same.len() >= FEWEST)
        .map(|same| Class {
            common: same[0].0,
            members: same.iter().map(|(_, at)| *at).collect(),
        })
        .collect()
}

/// `*.rs` for `main.rs`.
fn ending(name: &str) -> Option<Common<'_>> {
    let dot = name.rfind('.').filter(|dot| *dot > 0)?;
    Common::checked("", &name[dot..])
}

/// `*_test.d.ts`, `*.d.ts` and `wire_*.ts` for `wire_frame_test.d.ts`.
fn specials(name: &str) -> [Option<Common<'_>>; 3] {
    let usual = ending(name).map_or("", |usual| usual.behind);
    let stem = &name[..name.len() - usual.len()];
    let seam = stem.rfind(SEAMS).filter(|seam| *seam > 0);
    let dot = stem.find('.').filter(|dot| *dot > 0 && Some(*dot) != seam);
    let first = stem.get(1..).and_then(|rest| rest.find(SEAMS));
    let before = first.map(|seam| &stem[..seam + 2]);
    [
        seam.and_then(|seam| Common::checked("", &name[seam..])),
        dot.and_then(|dot| Common::checked("", &name[dot..])),
        before
            .filter(|before| before.len() < stem.len())
            .and_then(|before| Common::checked(before, usual)),
    ]
}

/// `img_*.png` for `img_001.png`: what is around its last number.
fn number(name: &str) -> Option<Common<'_>> {
    let stem = &name[..name.len() - ending(name).map_or(0, |usual| usual.behind.len())];
    let end = stem.rfind(|c: char| c.is_ascii_digit())? + 1;
    let digits = stem[..end].bytes().rev().take_while(u8::is_ascii_digit);
    let start = end - digits.count();
    Common::checked(&name[..start], &name[end..])
}

impl<'e> Common<'e> {
    /// If nothing in it can be mistaken, and it is something.
    fn checked(before: &'e str, behind: &'e str) -> Option<Self> {
        let some = !before.is_empty() || !behind.is_empty();
        let checked = some && is_part(before) && is_part(behind);
        checked.then_some(Self { before, behind })
    }
}

/// Where names are put together.
const SEAMS: [char; 3] = ['.', '_', '-'];

/// Whether nothing in a part of a pattern, or of a list in braces, can be mistaken.
pub(super) fn is_part(part: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte);
    part.len() <= LONGEST_PART && part.bytes().all(is_plain)
}

fn has_usual_ending(name: &str, ending: &str) -> bool {
    let stem = name.strip_suffix(ending);
    stem.is_some_and(|stem| !stem.contains('.'))
}

/// What most files end in, if that is worth saying for all of them.
pub(super) fn usual_ending<'e>(entries: &'e [super::entry::Entry<'_>]) -> Option<&'e str> {
    let mut counts: HashMap<&'e str, usize> = HashMap::new();
    let mut without = 0;
    for entry in entries.iter().filter(|entry| !entry.folder) {
        match entry.name.split_once('.') {
            None => without += 1,
            Some(("", _)) => {}
            Some((stem, _)) => *counts.entry(&entry.name[stem.len()..]).or_default() += 1,
        }
    }
    let counts = counts.into_iter();
    let (ending, count) = counts.max_by_key(|(ending, count)| (*count, *ending))?;
    (count > without * 2 && is_part(ending)).then_some(ending)
}
