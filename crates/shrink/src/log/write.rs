//! Encodes a log: a legend of templates, then a line per log line.

use std::fmt::Write;

use super::assign::Assigned;
use super::clock::Clock;
use super::entries::{Entry, assign_letters, entries};
use super::lines::Lines;
use super::mark::Mark;
use super::names::{Names, Naming};
use super::read::most;
use super::template::{Part, add};
use super::times::Times;
use crate::context::Context;
use crate::rendering::Rendered;

/// The techniques that may be used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Techniques {
    /// Number repeated long values.
    pub(crate) names: bool,
    /// Combine templates of lines in a fixed sequence.
    pub(crate) chains: bool,
    /// Write the common part of neighbouring timestamps on a line of its own.
    pub(crate) headings: bool,
    /// Write a line that occurs several times in a row once, with a count.
    pub(crate) runs: bool,
}

/// `None` if no notation fits, or if `stop` is set.
pub(crate) fn write(
    lines: &Lines<'_>,
    templates: &[Vec<Part>],
    assigned: &Assigned,
    techniques: Techniques,
    context: &Context,
) -> Option<Rendered> {
    let text = lines.text;
    let mut entries = entries(templates, assigned, techniques.chains);
    let is_left = |(line, id): &(usize, &u32)| {
        let entry = entries.get(**id as usize);
        entry.is_none_or(|entry| entry.uses == 0) && !lines.line(*line).is_empty()
    };
    let left = assigned.template.iter().enumerate().filter(is_left).count();
    let clocks = used_clocks(&entries, assigned);
    let dated = !dates_into_templates(text, &clocks, &mut entries);
    let clocks: Vec<Clock> = clocks
        .into_iter()
        .map(|(_, clock)| clock.with_date(dated))
        .collect();
    let mut timed: Vec<&mut Vec<Part>> = Vec::new();
    for entry in entries
        .iter_mut()
        .filter(|entry| entry.is_written() && entry.clocked)
    {
        timed.push(&mut entry.parts);
    }
    let times = if timed.is_empty() {
        None
    } else {
        Some(Times::of(text, &clocks, &mut timed, techniques.headings)?)
    };
    assign_letters(&mut entries, assigned, u32::try_from(left).ok()?);
    let mut names = Names::default();
    if techniques.names {
        for (start, end) in &assigned.fields {
            names.see(&text[*start as usize..*end as usize]);
        }
    }
    let mut writer = Writer {
        lines,
        assigned,
        techniques,
        context,
        spare: entries
            .iter()
            .any(|entry| entry.is_written() && entry.key.is_empty()),
        entries: &entries,
        times: times.as_ref(),
        dated,
        names,
        repeated: false,
        heading: None,
        clock: None,
        next_field: 0,
        next_clock: 0,
        out: String::with_capacity(text.len() / 2),
    };
    let mark = writer.legend()?;
    writer.body()?;
    let head = writer.head(mark, left);
    let body = writer.out;
    (text.len() <= most(head.len() + body.len())).then_some(Rendered {
        word: "log",
        head,
        body,
    })
}

/// The timestamps that will be written, in order, each with its entry.
fn used_clocks(entries: &[Entry], assigned: &Assigned) -> Vec<(u32, Clock)> {
    let mut clocks = assigned.clocks.iter();
    let with_time = assigned.template.iter().filter_map(|id| {
        let entry = entries.get(*id as usize).filter(|entry| entry.clocked)?;
        let clock = clocks.next()?;
        (entry.uses > 0).then_some((*id, *clock))
    });
    with_time.collect()
}

/// If templates write the same date in different ways, moves each date into its template; returns whether it did.
fn dates_into_templates(text: &str, clocks: &[(u32, Clock)], entries: &mut [Entry]) -> bool {
    let mut dates: Vec<Option<&str>> = vec![None; entries.len()];
    let mut differ = false;
    let first = clocks.first().map(|(_, clock)| clock.date(text));
    for (id, clock) in clocks {
        let date = clock.date(text);
        differ |= first != Some(date);
        if *dates[*id as usize].get_or_insert(date) != date {
            return false;
        }
    }
    if !differ {
        return false;
    }
    for (entry, date) in entries.iter_mut().zip(dates) {
        let Some(date) = date else {
            continue;
        };
        let parts = std::mem::take(&mut entry.parts);
        for part in parts {
            if part == Part::Clock {
                add(&mut entry.parts, Part::Text(date.to_owned()));
            }
            add(&mut entry.parts, part);
        }
    }
    true
}

struct Writer<'a> {
    lines: &'a Lines<'a>,
    assigned: &'a Assigned,
    techniques: Techniques,
    context: &'a Context,
    entries: &'a [Entry],
    times: Option<&'a Times>,
    /// Whether timestamps include the date.
    dated: bool,
    /// Whether a line that begins with a space has a template.
    spare: bool,
    names: Names<'a>,
    repeated: bool,
    /// The heading and timestamp of the last line with a timestamp.
    heading: Option<&'a str>,
    clock: Option<&'a str>,
    next_field: usize,
    next_clock: usize,
    out: String,
}

impl<'a> Writer<'a> {
    fn legend(&mut self) -> Option<Mark> {
        let mut entries: Vec<&Entry> = self
            .entries
            .iter()
            .filter(|entry| entry.is_written())
            .collect();
        entries.sort_by(|one, other| (one.key.len(), &one.key).cmp(&(other.key.len(), &other.key)));
        let parts: Vec<&[Part]> = entries.iter().map(|entry| &entry.parts[..]).collect();
        let mark = Mark::for_templates(&parts, self.times)?;
        if let Some(times) = self.times {
            let _ = writeln!(
                self.out,
                "time={}{}{}",
                times.before, mark.field, times.after
            );
        }
        let mut template = String::new();
        for entry in entries {
            template.clear();
            mark.write(&entry.parts, &mut template);
            // Lines of a template below the first one are indented.
            let _ = writeln!(self.out, "{}={}", entry.key, template.replace('\n', "\n "));
        }
        Some(mark)
    }

    fn head(&self, mark: Mark, left: usize) -> String {
        let mut head = format!("{} = field; line: ", mark.field);
        if self.times.is_some() {
            head.push_str("time, ");
        }
        head.push_str("template, fields");
        if self.times.is_some_and(Times::has_headings) {
            head.push_str("; @ begins the times below");
        }
        if !self.names.is_empty() {
            head.push_str("; $n = value named earlier");
        }
        if self.repeated {
            head.push_str("; ×n = n times");
        }
        if left > 0 {
            head.push_str(if self.spare {
                "; | = as is"
            } else {
                "; indented = as is"
            });
        }
        head
    }

    fn body(&mut self) -> Option<()> {
        let count = self.lines.count();
        let mut at = 0;
        while at < count {
            if at % 256 == 0 && self.context.stop.is_set() {
                return None;
            }
            self.out.push('\n');
            let start = self.out.len();
            let entry = self.entries.get(self.assigned.template[at] as usize);
            let step = match entry {
                Some(entry) if entry.is_written() => {
                    self.templated(entry);
                    entry.lines
                }
                // Always a line without a template: the first line of a chain precedes its others, so they are skipped
                // together.
                _ => {
                    self.pass_by(entry, 1);
                    self.literal(self.lines.line(at));
                    1
                }
            };
            at += step;
            if step == 1 && self.techniques.runs {
                at += self.repeats(at - 1, start);
            }
        }
        Some(())
    }

    /// Skips the fields of lines that are written in another way.
    fn pass_by(&mut self, entry: Option<&Entry>, lines: usize) {
        if let Some(entry) = entry {
            self.next_field += entry.fields * lines;
            self.next_clock += usize::from(entry.clocked) * lines;
        }
    }

    fn literal(&mut self, line: &str) {
        if !line.is_empty() {
            self.out.push(if self.spare { '|' } else { ' ' });
            self.out.push_str(line);
        }
    }

    /// Writes how often a line is repeated directly below, and returns the number of repetitions, which is limited to
    /// what decoding accepts.
    fn repeats(&mut self, line: usize, start: usize) -> usize {
        let text = self.lines.line(line);
        let read = self.lines.range(line).end as usize;
        let room = most(self.out.len()).saturating_sub(read) / (text.len() + 1);
        let below = line + 1..self.lines.count();
        let below = below.take(room);
        let same = below
            .take_while(|next| self.lines.line(*next) == text)
            .count();
        if same * (self.out.len() - start + 1) < 8 {
            return 0;
        }
        let entry = self.entries.get(self.assigned.template[line] as usize);
        self.pass_by(entry, same);
        let _ = write!(self.out, "\n×{}", same + 1);
        self.repeated = true;
        same
    }

    fn templated(&mut self, entry: &Entry) {
        let text = self.lines.text;
        if let Some((times, clock)) = self.time_of(entry) {
            let whole = &text[clock.start as usize..clock.end as usize];
            let heading = times.heading(text, clock);
            if times.has_headings() && self.heading != Some(heading) {
                let _ = writeln!(self.out, "@{heading}");
                self.heading = Some(heading);
            }
            if self.clock != Some(whole) {
                self.out.push_str(times.front(text, clock));
                self.out.push(' ');
                self.clock = Some(whole);
            }
        }
        self.out.push_str(if entry.key.is_empty() {
            " "
        } else {
            &entry.key
        });
        let fields = &self.assigned.fields[self.next_field..self.next_field + entry.fields];
        self.next_field += entry.fields;
        for (at, (from, to)) in fields.iter().enumerate() {
            let value = &text[*from as usize..*to as usize];
            let last = at + 1 == fields.len();
            let naming = if self.techniques.names {
                self.names.name(value)
            } else {
                Naming::Plain
            };
            match at {
                0 => {
                    let apart =
                        |first: u8| first.is_ascii_alphabetic() || matches!(first, b' ' | b'=');
                    let begins = naming == Naming::Plain && value.bytes().next().is_some_and(apart);
                    if begins && !entry.key.is_empty() {
                        self.out.push(' ');
                    }
                }
                _ => self.out.push(','),
            }
            self.field(value, last, naming);
        }
    }

    fn time_of(&mut self, entry: &Entry) -> Option<(&'a Times, Clock)> {
        let times = self.times.filter(|_| entry.clocked)?;
        let clock = *self.assigned.clocks.get(self.next_clock)?;
        self.next_clock += 1;
        Some((times, clock.with_date(self.dated)))
    }

    fn field(&mut self, value: &str, last: bool, naming: Naming) {
        match naming {
            Naming::Plain => {}
            Naming::First(number) => {
                let _ = write!(self.out, "${number}=");
            }
            Naming::Again(number) => {
                let _ = write!(self.out, "${number}");
                return;
            }
        }
        if value.starts_with(['"', '$']) || (!last && value.contains(',')) {
            self.out.push('"');
            self.out.push_str(&value.replace('"', "\"\""));
            self.out.push('"');
        } else {
            self.out.push_str(value);
        }
    }
}
