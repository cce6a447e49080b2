//! Assigns a template to each line.

use super::cells::{Cell, Role, skeleton};
use super::clock::Clock;
use super::lines::Lines;
use super::mine::{TemplateIndex, cut_apart, cut_line};
use crate::context::Stop;

/// No template.
pub(crate) const NONE: u32 = u32::MAX;

/// The template and field values of each line.
#[derive(Default)]
pub(crate) struct Assigned {
    /// The template of each line, or [`NONE`].
    pub(crate) template: Vec<u32>,
    /// The fields of all lines with a template, in order.
    pub(crate) fields: Vec<(u32, u32)>,
    /// The timestamps of all lines whose template has one, in order.
    pub(crate) clocks: Vec<Clock>,
    /// The number of lines of each template.
    pub(crate) uses: Vec<u32>,
}

/// Assigns all lines; `None` if `stop` is set.
pub(crate) fn assign(
    lines: &Lines<'_>,
    templates: &TemplateIndex,
    stop: &Stop,
) -> Option<Assigned> {
    let mut assigned = Assigned {
        template: Vec::with_capacity(lines.count()),
        uses: vec![0; templates.templates.len()],
        ..Assigned::default()
    };
    let mut matcher = Matcher::default();
    for line in 0..lines.count() {
        if line % 256 == 0 && stop.is_set() {
            return None;
        }
        let template = if lines.is_usual(line) {
            matcher.find(lines, line, templates, &mut assigned.fields)
        } else {
            NONE
        };
        assigned.template.push(template);
        let Some(uses) = assigned.uses.get_mut(template as usize) else {
            continue;
        };
        *uses += 1;
        if let Some(clock) = matcher.clock {
            assigned.clocks.push(clock);
        }
    }
    Some(assigned)
}

/// Finds the template of a line. Its buffers are reused for each line.
#[derive(Default)]
struct Matcher {
    cells: Vec<Cell>,
    apart: Vec<Cell>,
    room: Vec<(u32, u32)>,
    /// The timestamp of the line, if its template has one.
    clock: Option<Clock>,
}

impl Matcher {
    fn find(
        &mut self,
        lines: &Lines<'_>,
        line: usize,
        templates: &TemplateIndex,
        fields: &mut Vec<(u32, u32)>,
    ) -> u32 {
        let text = lines.text;
        let range = lines.range(line);
        self.clock = None;
        self.cells.clear();
        let clock = cut_line(lines, line, templates.clocks, &mut self.cells);
        let shapes = templates.shapes.get(&skeleton(&self.cells));
        for (exploded, index) in shapes.map_or(&[][..], Vec::as_slice) {
            let cells = match exploded {
                0 => &self.cells,
                mask => {
                    self.apart.clear();
                    cut_apart(text, &self.cells, *mask, &mut self.apart);
                    &self.apart
                }
            };
            for id in index.candidates(text, cells, &mut self.room) {
                let template = &templates.templates[*id as usize];
                if template.fields_of(text, cells, range.end, &mut self.room, fields) {
                    self.clock = clock;
                    return *id;
                }
            }
        }
        for id in templates.open.candidates(text, &self.cells, &mut self.room) {
            let template = &templates.templates[*id as usize];
            if template.fields_of(text, &self.cells, range.end, &mut self.room, fields) {
                // The timestamp may be in the part of the line that the template does not cover.
                let own = self.cells[..template.cells()]
                    .iter()
                    .any(|cell| cell.role == Role::Clock);
                self.clock = clock.filter(|_| own);
                return *id;
            }
        }
        NONE
    }
}
