//! Finds the common parts of the timestamps of a log, which are written once.

use super::clock::Clock;
use super::template::Part;
use super::weigh::weigh;

/// How much of a timestamp is written elsewhere; each level includes the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Nothing,
    Date,
    Hour,
    Minute,
    Second,
}

impl Level {
    const ALL: [Self; 5] = [
        Self::Nothing,
        Self::Date,
        Self::Hour,
        Self::Minute,
        Self::Second,
    ];

    /// Where this level ends in a timestamp.
    fn at(self, clock: Clock) -> u32 {
        match self {
            Self::Nothing => clock.start,
            Self::Date => clock.hour,
            Self::Hour => clock.hour + 3,
            Self::Minute => clock.hour + 6,
            Self::Second => clock.hour + 9,
        }
    }
}

/// The notation of timestamps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Times {
    /// The text before and after the varying part: `2025-11-02T` and `Z`.
    pub(crate) before: String,
    pub(crate) after: String,
    /// All lines with a timestamp begin with it, so templates need no slot for it.
    pub(crate) leads: bool,
    always: Level,
    heading: Level,
}

impl Times {
    /// Chooses the notation for these timestamps, in order, and the templates that have one. Text that moves into
    /// `before` and `after` is removed from the templates.
    pub(crate) fn of(
        text: &str,
        clocks: &[Clock],
        templates: &mut [&mut Vec<Part>],
        headings: bool,
    ) -> Option<Self> {
        let first = *clocks.first()?;
        let cut =
            |clock: Clock, level: Level| &text[clock.start as usize..level.at(clock) as usize];
        let fraction = clocks.iter().all(|clock| clock.end > clock.hour + 9);
        let mut levels = Level::ALL
            .into_iter()
            .filter(|level| *level < Level::Second);
        let shared = |level: &Level| {
            clocks
                .iter()
                .all(|clock| cut(*clock, *level) == cut(first, *level))
        };
        let always = levels.rfind(shared).unwrap_or(Level::Nothing);
        let mut best = (i64::MAX, always);
        for level in Level::ALL.into_iter().filter(|level| *level >= always) {
            let dated =
                level == Level::Nothing && clocks.iter().any(|clock| clock.start < clock.hour);
            // Dates contain letters and spaces, which have another meaning where a timestamp is expected.
            let allowed = level == always && !dated
                || (headings && level > always && (level < Level::Second || fraction))
                || (level == Level::Date && always == Level::Nothing);
            if !allowed {
                continue;
            }
            let mut last = None;
            let changes = if level == always {
                0
            } else {
                clocks
                    .iter()
                    .filter(|clock| last.replace(cut(**clock, level)) != Some(cut(**clock, level)))
                    .count()
            };
            let said = &text[always.at(first) as usize..level.at(first) as usize];
            let rest = &text[level.at(first) as usize..first.end as usize];
            let cost = changes as i64 * i64::from(weigh(said.as_bytes()) + 2)
                + clocks.len() as i64 * i64::from(weigh(rest.as_bytes()));
            if cost < best.0 {
                best = (cost, level);
            }
        }
        if best.0 == i64::MAX {
            return None;
        }
        let mut times = Self {
            before: cut(first, always).to_owned(),
            after: String::new(),
            leads: false,
            always,
            heading: best.1,
        };
        times.take_from(templates);
        Some(times)
    }

    /// The part of a timestamp that heading lines (`@`) write.
    pub(crate) fn heading<'a>(&self, text: &'a str, clock: Clock) -> &'a str {
        &text[self.always.at(clock) as usize..self.heading.at(clock) as usize]
    }

    /// The part of a timestamp that each line writes.
    pub(crate) fn front<'a>(&self, text: &'a str, clock: Clock) -> &'a str {
        &text[self.heading.at(clock) as usize..clock.end as usize]
    }

    pub(crate) fn has_headings(&self) -> bool {
        self.heading > self.always
    }

    fn take_from(&mut self, templates: &mut [&mut Vec<Part>]) {
        let before = |parts: &Vec<Part>| match &parts[..] {
            [Part::Clock, ..] => Some(String::new()),
            [Part::Text(text), Part::Clock, ..] => Some(text.clone()),
            _ => None,
        };
        let lead = templates.first().and_then(|parts| before(parts));
        self.leads = lead.is_some() && templates.iter().all(|parts| before(parts) == lead);
        let after = |parts: &Vec<Part>| {
            let at = parts.iter().position(|part| *part == Part::Clock);
            match at.and_then(|at| parts.get(at + 1)) {
                Some(Part::Text(text)) => text.clone(),
                _ => String::new(),
            }
        };
        let mut common: Option<String> = None;
        for parts in templates.iter() {
            let after = after(parts);
            let common = common.get_or_insert_with(|| after.clone());
            let same = common
                .chars()
                .zip(after.chars())
                .take_while(|(one, other)| one == other);
            let length = same.map(|(one, _)| one.len_utf8()).sum();
            common.truncate(length);
        }
        let mut common = common.unwrap_or_default();
        // Only whole words, and no trailing space, which would be invisible.
        let whole = |text: &str| !text.ends_with(|last: char| last.is_alphanumeric());
        if templates.len() > 1
            && !whole(&common)
            && !templates
                .iter()
                .all(|parts| ends_here(&after(parts), common.len()))
        {
            let length = common.trim_end_matches(char::is_alphanumeric).len();
            common.truncate(length);
        }
        if !self.leads || templates.len() == 1 {
            let length = common.find([' ', '\t']).unwrap_or(common.len());
            common.truncate(length);
        }
        common.truncate(common.trim_end_matches([' ', '\t']).len());
        for parts in templates.iter_mut() {
            let Some(at) = parts.iter().position(|part| *part == Part::Clock) else {
                continue;
            };
            if let Some(Part::Text(text)) = parts.get_mut(at + 1) {
                text.drain(..common.len().min(text.len()));
                if text.is_empty() {
                    parts.remove(at + 1);
                }
            }
            if self.leads {
                parts.drain(..=at);
            }
        }
        if self.leads {
            self.before.insert_str(0, &lead.unwrap_or_default());
        }
        self.after = common;
    }
}

/// Whether no word continues at this offset.
fn ends_here(text: &str, at: usize) -> bool {
    !text
        .get(at..)
        .is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}
