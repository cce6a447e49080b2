//! Values of members as texts, numbers, words and templates. What a value cannot be is reported, and read as absent.

use std::rc::Rc;
use std::time::Duration;

use linkspan_wire::{Json, JsonKind};

use super::error::Problem;
use super::reader::{Field, Fields, Reader};
use super::template::{Reference, Template};

/// The longest time that is accepted.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

impl<'a> Field<'a> {
    fn wrong<T>(&self, reader: &mut Reader<'a>, wanted: &'static str) -> Option<T> {
        let name = self.name.clone();
        reader.report(self.value, Problem::Kind { name, wanted });
        None
    }

    pub(super) fn object(&self, reader: &mut Reader<'a>) -> Option<Fields<'a>> {
        Fields::any(&self.name, self.value, reader)
    }

    /// An object that only we read.
    pub(super) fn only(&self, allowed: &[&str], reader: &mut Reader<'a>) -> Option<Fields<'a>> {
        Fields::only(&self.name, self.value, allowed, reader)
    }

    pub(super) fn text(&self, reader: &mut Reader<'a>) -> Option<String> {
        match self.value.as_str() {
            Some(text) => Some(text.into_owned()),
            None => self.wrong(reader, "a text"),
        }
    }

    pub(super) fn flag(&self, reader: &mut Reader<'a>) -> Option<bool> {
        match self.value.as_bool() {
            Some(flag) => Some(flag),
            None => self.wrong(reader, "true or false"),
        }
    }

    /// A whole number in a range.
    pub(super) fn count(
        &self,
        least: usize,
        most: usize,
        reader: &mut Reader<'a>,
    ) -> Option<usize> {
        if self.value.kind() != JsonKind::Number {
            return self.wrong(reader, "a number");
        }
        let count = self
            .value
            .as_i64()
            .and_then(|count| usize::try_from(count).ok());
        let count = count.filter(|count| (least..=most).contains(count));
        if count.is_none() {
            let name = self.name.clone();
            reader.report(self.value, Problem::Range { name, least, most });
        }
        count
    }

    /// A number of seconds, perhaps with a fraction.
    pub(super) fn seconds(&self, reader: &mut Reader<'a>) -> Option<Duration> {
        let seconds = self.value.text().parse::<f64>().ok();
        let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match duration.filter(|one| !one.is_zero() && *one <= LONGEST) {
            Some(duration) => Some(duration),
            None => self.wrong(reader, "a number of seconds above 0, at most 1000000000"),
        }
    }

    /// One of several words.
    pub(super) fn word<T: Copy>(&self, words: &[(&str, T)], reader: &mut Reader<'a>) -> Option<T> {
        let text = self.text(reader)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let problem = Problem::Word {
                name: self.name.clone(),
                found: text,
                allowed: words.iter().map(|(word, _)| (*word).to_owned()).collect(),
            };
            reader.report(self.value, problem);
        }
        found.map(|(_, value)| *value)
    }

    /// The elements of a list, each under the name of the list.
    pub(super) fn list(&self, reader: &mut Reader<'a>) -> Vec<Self> {
        if self.value.kind() != JsonKind::Array {
            return self.wrong(reader, "a list").unwrap_or_default();
        }
        let element = |value| Field {
            name: self.name.clone(),
            value,
        };
        self.value.elements().map(element).collect()
    }

    /// The elements of a list, or a text as the only one.
    pub(super) fn one_or_more(&self, reader: &mut Reader<'a>) -> Vec<Self> {
        match self.value.kind() {
            JsonKind::String => vec![self.clone()],
            JsonKind::Array => self.list(reader),
            _ => self
                .wrong(reader, "a text or a list of texts")
                .unwrap_or_default(),
        }
    }

    /// A text with references.
    pub(super) fn template(&self, reader: &mut Reader<'a>) -> Option<Template> {
        let text = self.text(reader)?;
        self.parsed(&text, reader)
    }

    /// The same; a number or `true` counts as its text.
    pub(super) fn scalar(&self, reader: &mut Reader<'a>) -> Option<Template> {
        match self.value.kind() {
            JsonKind::Number | JsonKind::Bool => Some(Template::plain(self.value.text())),
            JsonKind::String => self.template(reader),
            _ => self.wrong(reader, "a text"),
        }
    }

    fn parsed(&self, text: &str, reader: &mut Reader<'a>) -> Option<Template> {
        let template = match Template::parse(text) {
            Ok(template) => template,
            Err(error) => {
                let name = self.name.clone();
                reader.report(self.value, Problem::Template { name, error });
                return None;
            }
        };
        for reference in template.references() {
            if let Reference::Input(id) = reference
                && !reader.inputs.contains(id)
            {
                let allowed = Rc::clone(&reader.inputs);
                reader.report_with(self.value, || Problem::Input {
                    found: id.clone(),
                    allowed: allowed.iter().cloned().collect(),
                });
            }
        }
        Some(template)
    }

    /// Reports the first character that is not allowed in the text of a template.
    pub(super) fn check(
        &self,
        template: &Template,
        allowed: fn(char) -> bool,
        reader: &mut Reader<'a>,
    ) {
        if let Some(character) = template
            .text()
            .find_map(|text| text.chars().find(|c| !allowed(*c)))
        {
            let name = self.name.clone();
            reader.report(self.value, Problem::Character { name, character });
        }
    }

    pub(super) fn at(&self) -> Json<'a> {
        self.value
    }
}
