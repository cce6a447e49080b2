//! Collects the mistakes of a file, and reads objects member by member.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use linkspan_wire::{Json, JsonKind};

use super::error::{ConfigError, ConfigErrors, Problem};
use super::source::Source;

/// Mistakes that are listed.
const MOST_ERRORS: usize = 50;
/// Patterns of one file; a request may be compared with all of them.
const MOST_PATTERNS: usize = 10_000;

/// A file that is read, and its mistakes so far.
pub(super) struct Reader<'a> {
    pub(super) source: Source<'a>,
    /// The ids of the inputs of the file.
    pub(super) inputs: Rc<BTreeSet<String>>,
    /// Patterns so far.
    patterns: usize,
    errors: Vec<ConfigError>,
    omitted: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: Source<'a>) -> Self {
        Self {
            source,
            inputs: Rc::default(),
            patterns: 0,
            errors: Vec::new(),
            omitted: 0,
        }
    }

    /// A mistake at a value.
    pub(super) fn report(&mut self, value: Json<'a>, problem: Problem) {
        self.report_with(value, || problem);
    }

    /// A mistake at a value, for problems that are expensive to describe.
    pub(super) fn report_with(&mut self, value: Json<'a>, problem: impl FnOnce() -> Problem) {
        self.add(problem, |source| source.of(value));
    }

    /// A mistake at the name of a member.
    pub(super) fn report_name(&mut self, value: Json<'a>, problem: Problem) {
        self.add(|| problem, |source| source.of_name(value));
    }

    fn add(
        &mut self,
        problem: impl FnOnce() -> Problem,
        at: impl FnOnce(&Source<'a>) -> super::Position,
    ) {
        if self.errors.len() == MOST_ERRORS {
            self.omitted += 1;
            return;
        }
        let (at, problem) = (at(&self.source), problem());
        self.errors.push(ConfigError { at, problem });
    }

    /// Whether there may be one more pattern.
    pub(super) fn has_room(&mut self, pattern: &Field<'a>) -> bool {
        self.patterns += 1;
        if self.patterns == MOST_PATTERNS + 1 {
            let problem = Problem::Patterns(MOST_PATTERNS);
            self.report(pattern.value, problem);
        }
        self.patterns <= MOST_PATTERNS
    }

    /// All mistakes, if there are any.
    pub(super) fn finish(mut self, name: &str) -> Result<(), ConfigErrors> {
        if self.errors.is_empty() {
            return Ok(());
        }
        self.errors.sort_by_key(|error| error.at);
        Err(ConfigErrors {
            name: name.to_owned(),
            errors: self.errors,
            omitted: self.omitted,
        })
    }
}

/// The members of an object.
pub(super) struct Fields<'a> {
    /// The path of the object.
    pub(super) place: String,
    pub(super) value: Json<'a>,
    members: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Fields<'a> {
    /// Members of objects that only we read: an unknown one is a mistake.
    pub(super) fn only(
        place: &str,
        value: Json<'a>,
        allowed: &[&str],
        reader: &mut Reader<'a>,
    ) -> Option<Self> {
        let fields = Self::any(place, value, reader)?;
        for (name, value) in &fields.members {
            if !allowed.contains(&&**name) {
                let problem = Problem::Unknown {
                    name: name.to_string(),
                    place: place.to_owned(),
                    allowed: allowed.iter().map(|&name| name.to_owned()).collect(),
                };
                reader.report_name(*value, problem);
            }
        }
        Some(fields)
    }

    /// Members of any name.
    pub(super) fn any(place: &str, value: Json<'a>, reader: &mut Reader<'a>) -> Option<Self> {
        if value.kind() != JsonKind::Object {
            let problem = Problem::Kind {
                name: place.to_owned(),
                wanted: "an object",
            };
            reader.report(value, problem);
            return None;
        }
        let mut members: Vec<(Cow<'a, str>, Json<'a>)> = Vec::new();
        let mut known = HashSet::new();
        for (name, value) in value.members() {
            if known.insert(name.clone()) {
                members.push((name, value));
            } else {
                reader.report_name(value, Problem::Twice(name.into_owned()));
            }
        }
        Some(Self {
            place: place.to_owned(),
            value,
            members,
        })
    }

    /// A member; `null` counts as none.
    pub(super) fn get(&self, name: &str) -> Option<Field<'a>> {
        let (_, value) = self.members.iter().find(|(one, _)| one == name)?;
        (value.kind() != JsonKind::Null).then(|| self.field(name, *value))
    }

    /// All members, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Field<'a>)> {
        let members = self.members.iter();
        members.map(|(name, value)| (&**name, self.field(name, *value)))
    }

    fn field(&self, name: &str, value: Json<'a>) -> Field<'a> {
        Field {
            name: format!("{}.{name}", self.place),
            value,
        }
    }
}

/// A value and its path.
#[derive(Clone)]
pub(super) struct Field<'a> {
    pub(super) name: String,
    pub(super) value: Json<'a>,
}
