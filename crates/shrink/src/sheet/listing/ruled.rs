//! Lines of dashes in a listing.

use super::Rules;

/// The lines of a listing without its rules.
pub(super) struct Ruled<'a> {
    pub(super) rest: Vec<&'a str>,
    /// The line number of each remaining line.
    pub(super) places: Vec<usize>,
    /// The line numbers of the rules.
    pub(super) at: Vec<usize>,
    pub(super) rules: Option<Rules>,
    /// Where the runs of dashes in a rule begin.
    pub(super) starts: Option<Vec<usize>>,
}

impl<'a> Ruled<'a> {
    pub(super) fn of(lines: &[&'a str]) -> Self {
        let mut ruled = Self {
            rest: Vec::with_capacity(lines.len()),
            places: Vec::with_capacity(lines.len()),
            at: Vec::new(),
            rules: None,
            starts: None,
        };
        for (at, line) in lines.iter().enumerate() {
            match dashes(line) {
                Some(dash) => {
                    ruled.at.push(at);
                    ruled.rules.get_or_insert(Rules {
                        dash,
                        named: false,
                        places: [false; 3],
                    });
                    ruled.starts.get_or_insert_with(|| starts(line, dash));
                }
                None => {
                    ruled.rest.push(line);
                    ruled.places.push(at);
                }
            }
        }
        let above = ruled.at.first() == Some(&0);
        let expected: &[usize] = match (above, ruled.at.len()) {
            (true, 3) => &[0, 2],
            (true, 2) => &[0],
            (false, 2) => &[1],
            (false, 1) => &[1],
            _ => &[],
        };
        let ends = ruled.at.last() == Some(&lines.len().saturating_sub(1)) && ruled.at.len() > 1;
        let given = ruled.at.get(..expected.len()) == Some(expected) && !expected.is_empty();
        match &mut ruled.rules {
            Some(rules) if given => {
                rules.places = [above, expected.len() > usize::from(above), ends];
            }
            _ => ruled.rules = None,
        }
        ruled
    }
}

/// The dash of a line that consists of runs of one character such as `-`.
fn dashes(line: &str) -> Option<char> {
    let dash = line.trim_start_matches(' ').chars().next()?;
    let is_rule = matches!(dash, '-' | '=' | '─' | '━' | '═')
        && line.chars().all(|c| c == dash || c == ' ')
        && line.contains(' ')
        && line.chars().filter(|c| *c == dash).nth(2).is_some();
    is_rule.then_some(dash)
}

fn starts(line: &str, dash: char) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut before = ' ';
    for (at, c) in line.chars().enumerate() {
        if c == dash && before == ' ' {
            starts.push(at);
        }
        before = c;
    }
    starts
}
