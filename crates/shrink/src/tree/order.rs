//! The order of the entries in a folder.
//!
//! A line per folder lists the files first, and the subfolders below it. If the entries are sorted, the positions of
//! the subfolders among the files follow from the order.

use std::cmp::Ordering;

use super::entry::Entry;

/// How the entries of a folder are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) collation: Collation,
    pub(super) place: FolderOrder,
}

/// How two names are compared. Ties are broken by their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Collation {
    /// Byte by byte, as most programs do.
    Bytes,
    /// In lower case.
    Lower,
    /// In upper case: `_` sorts after the letters.
    Upper,
    /// As glibc does for most locales: letters and digits first, then their case.
    Locale,
    /// In lower case, with numbers by their value.
    Natural,
    /// As ICU does: punctuation, digits, letters; then case.
    Icu,
}

/// The position of folders among files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderOrder {
    /// By name.
    Mixed,
    /// By name with `/` appended, as in a sorted list of paths.
    Slash,
    /// Before the files.
    First,
    /// After the files.
    Last,
}

impl Collation {
    pub(super) const ALL: [Self; 6] = [
        Self::Bytes,
        Self::Lower,
        Self::Locale,
        Self::Icu,
        Self::Natural,
        Self::Upper,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Locale => "locale",
            Self::Natural => "natural",
            Self::Icu => "icu",
        }
    }

    fn compare(self, one: &str, other: &str) -> Ordering {
        let (a, b) = (one.as_bytes(), other.as_bytes());
        let first = match self {
            Self::Bytes => Ordering::Equal,
            Self::Lower => folded(a, b, |byte| byte.to_ascii_lowercase()),
            Self::Upper => folded(a, b, |byte| byte.to_ascii_uppercase()),
            Self::Locale => letters(a)
                .cmp(letters(b))
                .then_with(|| cases(a).cmp(cases(b))),
            Self::Natural => natural(a, b),
            Self::Icu => folded(a, b, weight).then_with(|| cases(a).cmp(cases(b))),
        };
        first.then_with(|| a.cmp(b))
    }
}

impl FolderOrder {
    const ALL: [Self; 4] = [Self::Mixed, Self::Slash, Self::First, Self::Last];

    /// Compares two entries without their names.
    fn compare(self, one: Key<'_>, other: Key<'_>) -> Ordering {
        match self {
            Self::Mixed => Ordering::Equal,
            Self::First => other.1.cmp(&one.1),
            Self::Last => one.1.cmp(&other.1),
            Self::Slash => slashed(one).cmp(slashed(other)),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Mixed => "",
            Self::Slash => "slash",
            Self::First => "folders-first",
            Self::Last => "folders-last",
        }
    }
}

impl Order {
    /// The words in the head: `locale folders-first`.
    pub(super) fn words(self) -> String {
        let mut words = self.collation.name().to_owned();
        if self.place != FolderOrder::Mixed {
            words.push(' ');
            words.push_str(self.place.name());
        }
        words
    }

    /// The inverse of [`Self::words`].
    pub(super) fn parse(words: &str) -> Option<Self> {
        let (collation, place) = words.split_once(' ').unwrap_or((words, ""));
        let mut collations = Collation::ALL.into_iter();
        let mut places = FolderOrder::ALL.into_iter();
        Some(Self {
            collation: collations.find(|one| one.name() == collation)?,
            place: places.find(|one| one.name() == place)?,
        })
    }

    /// Compares two entries.
    pub(super) fn compare(self, one: Key<'_>, other: Key<'_>) -> Ordering {
        let first = self.place.compare(one, other);
        first.then_with(|| self.collation.compare(one.0, other.0))
    }

    /// The order that most adjacent entries follow; `None` if too few do.
    pub(super) fn of(entries: &[Entry<'_>]) -> Option<Self> {
        let pairs = siblings(entries);
        let mut best: Option<(usize, Self)> = None;
        for collation in Collation::ALL {
            let most = best.map_or(usize::MAX, |(least, _)| least);
            for (place, wrong) in FolderOrder::ALL
                .into_iter()
                .zip(wrong(&pairs, collation, most))
            {
                if best.is_none_or(|(least, _)| wrong < least) {
                    best = Some((wrong, Self { collation, place }));
                }
            }
        }
        let (wrong, order) = best?;
        (wrong * 4 <= pairs.len()).then_some(order)
    }
}

/// For each folder order, the number of adjacent entries in the wrong order. Stops early once all counts reach `most`.
fn wrong(pairs: &[(Key<'_>, Key<'_>)], collation: Collation, most: usize) -> [usize; 4] {
    let mut wrong = [0; 4];
    // A sorted list of paths is sorted by bytes.
    let has_slash = collation == Collation::Bytes;
    if !has_slash {
        wrong[FolderOrder::Slash as usize] = usize::MAX;
    }
    for (one, other) in pairs {
        if wrong.iter().all(|wrong| *wrong >= most) {
            break;
        }
        let by_name = collation.compare(one.0, other.0);
        for place in FolderOrder::ALL {
            if place == FolderOrder::Slash && !has_slash {
                continue;
            }
            let order = place.compare(*one, *other).then(by_name);
            wrong[place as usize] += usize::from(order.is_gt());
        }
    }
    wrong
}

type Key<'a> = (&'a str, bool);

/// Pairs of adjacent entries of a folder. A few thousand are enough to infer an order.
fn siblings<'a>(entries: &'a [Entry<'_>]) -> Vec<(Key<'a>, Key<'a>)> {
    const ENOUGH: usize = 2_000;
    let mut pairs = Vec::new();
    let mut last: Vec<Option<Key<'a>>> = Vec::new();
    for entry in entries {
        last.resize(entry.depth() + 1, None);
        let key = (&*entry.name, entry.folder);
        if let Some(before) = last[entry.depth()].replace(key) {
            pairs.push((before, key));
        }
        if pairs.len() == ENOUGH {
            break;
        }
    }
    pairs
}

fn slashed((name, folder): Key<'_>) -> impl Iterator<Item = u8> + '_ {
    name.bytes().chain(folder.then_some(b'/'))
}

fn folded(one: &[u8], other: &[u8], fold: impl Fn(u8) -> u8 + Copy) -> Ordering {
    let (one, other) = (one.iter().copied(), other.iter().copied());
    one.map(fold).cmp(other.map(fold))
}

/// The letters and digits in lower case; characters outside of ASCII count as letters.
fn letters(name: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let letters = name.iter().filter(|byte| is_letter(**byte));
    letters.map(u8::to_ascii_lowercase)
}

/// The case of each letter; lower case sorts first.
fn cases(name: &[u8]) -> impl Iterator<Item = bool> + '_ {
    let letters = name.iter().filter(|byte| is_letter(**byte));
    letters.map(u8::is_ascii_uppercase)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// The primary weight of an ASCII character in ICU.
fn weight(byte: u8) -> u8 {
    const MARKS: &[u8] = b" _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
    match MARKS.iter().position(|mark| *mark == byte) {
        Some(at) => at as u8,
        None => byte.to_ascii_lowercase().max(MARKS.len() as u8),
    }
}

/// Compares in lower case, with numbers by their value.
fn natural(mut one: &[u8], mut other: &[u8]) -> Ordering {
    loop {
        let (a, b) = match (one.first(), other.first()) {
            (Some(a), Some(b)) => (a.to_ascii_lowercase(), b.to_ascii_lowercase()),
            (a, b) => return a.is_some().cmp(&b.is_some()),
        };
        if a.is_ascii_digit() && b.is_ascii_digit() {
            let (x, rest) = digits(one);
            let (y, other_rest) = digits(other);
            match x.len().cmp(&y.len()).then_with(|| x.cmp(y)) {
                Ordering::Equal => (one, other) = (rest, other_rest),
                unequal => return unequal,
            }
        } else if a == b {
            (one, other) = (&one[1..], &other[1..]);
        } else {
            return a.cmp(&b);
        }
    }
}

/// The leading digits without leading zeros, and the rest.
fn digits(name: &[u8]) -> (&[u8], &[u8]) {
    let end = name.iter().position(|byte| !byte.is_ascii_digit());
    let (digits, rest) = name.split_at(end.unwrap_or(name.len()));
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    (&digits[zeros..], rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that these names are in order; a `/` marks folders.
    fn in_order(order: &str, names: &str) {
        let order = Order::parse(order).unwrap();
        let keys: Vec<_> = names
            .split(' ')
            .map(|name| (name.trim_end_matches('/'), name.ends_with('/')))
            .collect();
        for pair in keys.windows(2) {
            assert_eq!(order.compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(order.compare(pair[1], pair[0]), Ordering::Greater);
        }
    }

    #[test]
    fn collations_order_names_as_their_programs_do() {
        in_order("bytes", "A B _ a a-b a.b a_b ab b");
        in_order("lower", "_x A a ab B b");
        in_order("upper", "A a ab B b _x");
        // As `LC_ALL=en_US.UTF-8 sort` sorts.
        in_order(
            "locale",
            "1 10 2 -a __a _a a a- a_ A a-1 a1 A1 a-b a.b a_b ab aB a_bc ab_c abc b B cargo CARGO \
             Cargo.lock cargo.toml lib lib-a lib.d lib.rs .x _x x-1 x1 x-10 x2 xa.rs x.rs xy x_y.rs z",
        );
        in_order("natural", "a1 a2 a10 B1 b2 b010 b11");
        // As `localeCompare` sorts.
        in_order("icu", "_x .x 1 10 2 a_b a-b a.b ab b B z");
    }

    #[test]
    fn misplaced_neighbours_are_counted_for_every_order() {
        let names = ["a", "B/", "b-c", "b/", "_x", "a10", "a2/", "C", "a2", "B"];
        let keys = names.map(|name| (name.trim_end_matches('/'), name.ends_with('/')));
        let pairs: Vec<_> = keys.windows(2).map(|pair| (pair[0], pair[1])).collect();
        for collation in Collation::ALL {
            let counts = wrong(&pairs, collation, usize::MAX);
            for (place, count) in FolderOrder::ALL.into_iter().zip(counts) {
                let order = Order { collation, place };
                let found = pairs.iter().filter(|(a, b)| order.compare(*a, *b).is_gt());
                let known = place != FolderOrder::Slash || collation == Collation::Bytes;
                let expected = if known { found.count() } else { usize::MAX };
                assert_eq!(count, expected, "{}", order.words());
            }
        }
    }

    #[test]
    fn folders_are_placed_by_the_folder_order() {
        in_order("bytes", "a b/ c");
        in_order("bytes slash", "a-b/ a.txt a/ a0");
        in_order("bytes folders-first", "b/ d/ a c");
        in_order("lower folders-last", "a C b/ D/");
        assert_eq!(Order::parse("bytes upside-down"), None);
    }
}
