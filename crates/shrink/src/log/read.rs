//! Decodes the short form of a log.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use memchr::memrchr;

use super::mark::{Mark, Slot};
use super::template::WIDEST;
use crate::rendering::Malformed;

/// The longest text that this many bytes may decode to, because a few letters may stand for long templates.
pub(crate) fn most(bytes: usize) -> usize {
    bytes.saturating_mul(256).saturating_add(16 << 10)
}

/// Decodes to the original log.
pub(crate) fn read(head: &str, body: &str) -> Result<String, Malformed> {
    let mark = head.split(' ').next().and_then(Mark::parse);
    let mark = mark.ok_or_else(|| Malformed::new(0, "no field mark"))?;
    let (legend, data) = match body.strip_prefix('\n') {
        Some(data) => ("", data),
        None => body
            .split_once("\n\n")
            .ok_or_else(|| Malformed::new(1, "an unterminated legend"))?,
    };
    let mut reader = Reader {
        templates: HashMap::new(),
        time: None,
        heading: "",
        front: None,
        names: HashMap::new(),
        line_start: 0,
        last: None,
        out: String::with_capacity(body.len() * 2),
        most: most(head.len() + body.len()),
    };
    reader.legend(legend, mark)?;
    let above = legend.split('\n').count() + usize::from(!legend.is_empty());
    for (at, line) in data.split('\n').enumerate() {
        reader
            .line(line)
            .map_err(|why| Malformed::new(above + at + 1, why))?;
    }
    Ok(reader.out)
}

/// A template: texts and slots in turn.
struct Template<'a> {
    /// One more than there are slots.
    texts: Vec<Cow<'a, str>>,
    places: Vec<Slot>,
    fields: usize,
    /// The timestamp precedes everything else.
    leads: bool,
}

struct Reader<'a> {
    templates: HashMap<&'a str, Template<'a>>,
    /// The text before and after the timestamp.
    time: Option<(&'a str, &'a str)>,
    heading: &'a str,
    front: Option<&'a str>,
    names: HashMap<u32, Cow<'a, str>>,
    /// Where the current output line begins.
    line_start: usize,
    /// The range of the previous line.
    last: Option<Range<usize>>,
    out: String,
    most: usize,
}

type Why = &'static str;

impl<'a> Reader<'a> {
    fn legend(&mut self, legend: &'a str, mark: Mark) -> Result<(), Malformed> {
        let mut from = 0;
        let mut number = 1;
        while from < legend.len() {
            let rest = &legend[from..];
            // Indented lines continue the one above.
            let mut ends = rest.match_indices('\n').map(|(at, _)| at);
            let end = ends
                .find(|at| !rest[at + 1..].starts_with(' '))
                .unwrap_or(rest.len());
            let wrong = |why: Why| Malformed::new(number, why);
            let (key, template) = rest[..end]
                .split_once('=')
                .ok_or_else(|| wrong("no template"))?;
            if key == "time" {
                let time = template
                    .split_once(mark.field)
                    .ok_or_else(|| wrong("no timestamp"))?;
                self.time = Some(time);
            } else if key.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                let clocked = key.starts_with(|first: char| first.is_ascii_uppercase());
                let template = Template::parse(template, mark, clocked).map_err(wrong)?;
                self.templates.insert(key, template);
            } else {
                return Err(wrong("not a letter"));
            }
            number += rest[..end].matches('\n').count() + 1;
            from += end + 1;
        }
        Ok(())
    }

    fn line(&mut self, line: &'a str) -> Result<(), Why> {
        if let Some(heading) = line.strip_prefix('@') {
            self.heading = heading;
            return Ok(());
        }
        if let Some(times) = line.strip_prefix('×') {
            return self.repeat(times.parse().map_err(|_| "not a number of lines")?);
        }
        if self.last.is_some() {
            self.out.push('\n');
        }
        let start = self.out.len();
        self.line_start = start;
        match line.bytes().next() {
            None => {}
            Some(b' ') => {
                if self.templates.contains_key("") {
                    self.templated("", &line[1..])?
                } else {
                    self.out.push_str(&line[1..])
                }
            }
            Some(b'|') => self.out.push_str(&line[1..]),
            Some(_) => self.keyed(line)?,
        }
        self.last = Some(start..self.out.len());
        self.bounded()
    }

    fn keyed(&mut self, line: &'a str) -> Result<(), Why> {
        let mut rest = line;
        let timed = line.starts_with(|first: char| first.is_ascii_digit());
        if timed {
            let (front, below) = line.split_once(' ').ok_or("no template")?;
            self.front = Some(front);
            rest = below;
        }
        let end = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (key, rest) = rest.split_at(end);
        if key.is_empty() || (timed && !key.starts_with(|first: char| first.is_ascii_uppercase())) {
            return Err("no template");
        }
        self.templated(key, rest.strip_prefix(' ').unwrap_or(rest))
    }

    fn templated(&mut self, key: &str, mut rest: &'a str) -> Result<(), Why> {
        // Removed during use, because `fill` needs `self` mutably.
        let template = self.templates.remove_entry(key);
        let (key, template) = template.ok_or("an unknown template")?;
        let done = self.fill(&template, &mut rest);
        self.templates.insert(key, template);
        done?;
        if rest.is_empty() {
            Ok(())
        } else {
            Err("more fields than the template has")
        }
    }

    fn fill(&mut self, template: &Template<'a>, rest: &mut &'a str) -> Result<(), Why> {
        if template.leads {
            self.push_time()?;
        }
        let mut left = template.fields;
        for (at, text) in template.texts.iter().enumerate() {
            if let Some(last) = memrchr(b'\n', text.as_bytes()) {
                self.line_start = self.out.len() + last + 1;
            }
            self.out.push_str(text);
            match template.places.get(at) {
                None => {}
                Some(Slot::Clock) => self.push_time()?,
                Some(Slot::Tab(column)) => self.push_spaces(*column, self.column()),
                Some(place) => {
                    left -= 1;
                    let value = self.field(rest, left == 0)?;
                    if let Slot::Right(width) = place {
                        self.push_spaces(*width, value.chars().count());
                    }
                    self.out.push_str(&value);
                }
            }
            self.bounded()?;
        }
        Ok(())
    }

    fn push_time(&mut self) -> Result<(), Why> {
        let (before, after) = self.time.ok_or("no timestamp")?;
        let front = self.front.ok_or("no timestamp")?;
        for piece in [before, self.heading, front, after] {
            self.out.push_str(piece);
        }
        Ok(())
    }

    /// The width of the current line so far, up to `WIDEST`.
    fn column(&self) -> usize {
        let line = self.out.get(self.line_start..).unwrap_or_default();
        line.chars().take(WIDEST as usize).count()
    }

    fn push_spaces(&mut self, width: u32, taken: usize) {
        let spaces = (width as usize).saturating_sub(taken);
        self.out.extend(std::iter::repeat_n(' ', spaces));
    }

    /// Reads the next field and advances `rest` behind it.
    fn field(&mut self, rest: &mut &'a str, last: bool) -> Result<Cow<'a, str>, Why> {
        let Some(named) = rest.strip_prefix('$') else {
            return value(rest, last);
        };
        let end = named.bytes().take_while(u8::is_ascii_digit).count();
        let (number, below) = named.split_at(end);
        let number: u32 = number.parse().map_err(|_| "not a name")?;
        *rest = below;
        if let Some(below) = below.strip_prefix('=') {
            *rest = below;
            let value = value(rest, last)?;
            self.names.insert(number, value.clone());
            return Ok(value);
        }
        if !last {
            *rest = rest.strip_prefix(',').ok_or("too few fields")?;
        }
        self.names.get(&number).cloned().ok_or("an undefined name")
    }

    fn repeat(&mut self, times: usize) -> Result<(), Why> {
        let last = self.last.clone().ok_or("nothing to repeat")?;
        let more = times.checked_sub(1).ok_or("a repetition of zero lines")?;
        let room = self.most.saturating_sub(self.out.len());
        if more.saturating_mul(last.len() + 1) > room {
            return Err("the decoded text would exceed the size limit");
        }
        for _ in 0..more {
            self.out.push('\n');
            self.out.extend_from_within(last.clone());
        }
        Ok(())
    }

    fn bounded(&self) -> Result<(), Why> {
        if self.out.len() > self.most {
            Err("the decoded text would exceed the size limit")
        } else {
            Ok(())
        }
    }
}

/// Reads a value that is not a reference.
fn value<'a>(rest: &mut &'a str, last: bool) -> Result<Cow<'a, str>, Why> {
    let text = *rest;
    let Some(quoted) = text.strip_prefix('"') else {
        if last {
            *rest = "";
            return Ok(text.into());
        }
        let (value, below) = text.split_once(',').ok_or("too few fields")?;
        *rest = below;
        return Ok(value.into());
    };
    let mut from = 0;
    let end = loop {
        let at = from + quoted[from..].find('"').ok_or("an unterminated string")?;
        if quoted[at + 1..].starts_with('"') {
            from = at + 2
        } else {
            break at;
        }
    };
    let below = &quoted[end + 1..];
    *rest = if last {
        below
    } else {
        below.strip_prefix(',').ok_or("too few fields")?
    };
    let value = &quoted[..end];
    Ok(if value.contains('"') {
        value.replace("\"\"", "\"").into()
    } else {
        value.into()
    })
}

impl<'a> Template<'a> {
    fn parse(template: &'a str, mark: Mark, clocked: bool) -> Result<Self, Why> {
        let (texts, places) = mark.read(template);
        let has_clock = places.contains(&Slot::Clock);
        if has_clock && !clocked {
            return Err("a timestamp in a template with a lower-case letter");
        }
        let is_field = |place: &&Slot| matches!(place, Slot::Field | Slot::Right(_));
        Ok(Self {
            fields: places.iter().filter(is_field).count(),
            texts: texts.into_iter().map(unindent).collect(),
            places,
            leads: clocked && !has_clock,
        })
    }
}

/// Removes the indentation of the lines below the first one.
fn unindent(text: &str) -> Cow<'_, str> {
    if text.contains('\n') {
        text.replace("\n ", "\n").into()
    } else {
        text.into()
    }
}
