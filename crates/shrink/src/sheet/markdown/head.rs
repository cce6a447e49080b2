//! The notation of a Markdown table in a head.

use super::{Dashes, Mark, Markdown, Padding};
use crate::sheet::align;
use crate::sheet::head::{Words, numbers, parse_numbers, parse_runs, runs};
use crate::sheet::measure::Measure;

impl Markdown {
    /// The words of the head.
    pub(in crate::sheet) fn head(&self) -> String {
        let mut head = "markdown".to_owned();
        let mut push = |words: &str| {
            head.push(' ');
            head.push_str(words);
        };
        if self.padding.is_some() {
            push("padded");
        }
        if self.marks.iter().any(|mark| *mark != Mark::None) {
            let same = self.marks.iter().all(|one| Some(one) == self.marks.first());
            let marks = if same {
                self.marks.get(..1).unwrap_or_default()
            } else {
                &self.marks
            };
            push(&marks.iter().map(|mark| mark.letter()).collect::<String>());
        }
        if self.indent > 0 {
            push(&format!("indent={}", self.indent));
        }
        match self.edges {
            (true, true) => {}
            (left, right) => push(&format!("edges={}{}", u8::from(left), u8::from(right))),
        }
        if !self.spaced {
            push("tight");
        }
        if self.thin {
            push("thin");
        }
        if self.apart {
            push("apart");
        }
        match &self.dashes {
            Dashes::Wide if self.padding.is_some() => {}
            Dashes::Each(3) if self.padding.is_none() => {}
            Dashes::Wide => push("dashes=wide"),
            Dashes::Each(dashes) => push(&format!("dashes={dashes}")),
            Dashes::All(all) => push(&format!("dashes=all{all}")),
            Dashes::Listed(list) => {
                let list: Vec<String> = list.iter().map(usize::to_string).collect();
                push(&format!("dashes={}", list.join(",")));
            }
        }
        if let Some(padding) = &self.padding {
            padding.write(push);
        }
        head
    }

    /// The inverse of [`Self::head`], for a table with this many columns.
    pub(in crate::sheet) fn parse(words: Words<'_>, columns: usize) -> Option<Self> {
        let mut markdown = Self::plain(columns);
        let mut dashes = None;
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match (key, value) {
                ("padded", "") => {
                    markdown.padding = Some(Padding {
                        floor: 3,
                        ..Padding::default()
                    });
                }
                ("indent", _) => markdown.indent = value.parse().ok()?,
                ("edges", _) => {
                    let (left, right) = value.split_at_checked(1)?;
                    markdown.edges = (left == "1", right == "1");
                }
                ("tight", "") => markdown.spaced = false,
                ("thin", "") => markdown.thin = true,
                ("apart", "") => markdown.apart = true,
                ("dashes", _) => dashes = Some(Dashes::parse(value)?),
                (letters, "") if letters.chars().all(|c| Mark::parse(c).is_some()) => {
                    markdown.marks = letters.chars().filter_map(Mark::parse).collect();
                    if let [one] = markdown.marks[..] {
                        markdown.marks = vec![one; columns];
                    }
                }
                _ => markdown.padding.as_mut()?.set_option(key, value, columns)?,
            }
        }
        markdown.dashes = match (dashes, &markdown.padding) {
            (Some(dashes), _) => dashes,
            (None, Some(_)) => Dashes::Wide,
            (None, None) => Dashes::Each(3),
        };
        Some(markdown)
    }
}

impl Dashes {
    fn parse(value: &str) -> Option<Self> {
        if value == "wide" {
            return Some(Self::Wide);
        }
        if let Some(all) = value.strip_prefix("all") {
            return Some(Self::All(all.parse().ok()?));
        }
        let list: Option<Vec<usize>> = value.split(',').map(|one| one.parse().ok()).collect();
        match list?.as_slice() {
            [one] => Some(Self::Each(*one)),
            list => Some(Self::Listed(list.to_vec())),
        }
    }
}

impl Padding {
    fn write(&self, mut push: impl FnMut(&str)) {
        if self.floor != 3 {
            push(&format!("floor={}", self.floor));
        }
        if !self.widths.is_empty() {
            push(&format!("width={}", numbers(&self.widths)));
        }
        if !self.loose.is_empty() {
            push(&format!("loose={}", runs(self.loose.iter().copied())));
        }
        if let Some(aligns) = &self.aligns {
            push(&format!("align={}", align::letters(aligns)));
        }
        if let Some(names) = &self.names {
            push(&format!("names={}", align::letters(names)));
        }
        if let Some(word) = self.measure.word() {
            push(word);
        }
    }

    fn set_option(&mut self, key: &str, value: &str, columns: usize) -> Option<()> {
        match key {
            "floor" => self.floor = value.parse().ok()?,
            "width" => self.widths = parse_numbers(value)?,
            "loose" => self.loose = parse_runs(value, columns)?,
            "align" => self.aligns = Some(align::parse_letters(value)?),
            "names" => self.names = Some(align::parse_letters(value)?),
            word => self.measure = Measure::parse(word)?,
        }
        Some(())
    }
}
