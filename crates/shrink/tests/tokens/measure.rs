//! Measures samples and rows.

use linkspan_shrink::{Context, Kept, Thresholds, decode, shrink};

use crate::corpus::{Row, Sample};
use crate::faithful;

/// The measurements of a sample.
pub struct Measured {
    /// Its tokens.
    pub raw: u64,
    /// The tokens of its short form.
    pub ours: u64,
    /// Its kinds, or why it is not changed.
    pub how: String,
    /// Whether it is restored.
    pub lossless: bool,
}

impl Measured {
    /// The percentage of tokens saved.
    pub fn saved(&self) -> f64 {
        percent(self.raw, self.ours)
    }
}

/// The percentage by which `after` is less than `before`.
pub fn percent(before: u64, after: u64) -> f64 {
    match before {
        0 => 0.0,
        before => 100.0 * (before as f64 - after as f64) / before as f64,
    }
}

/// Shrinks a sample and decodes the result.
pub fn measure(sample: &Sample, context: &Context) -> Measured {
    let raw = context.tokens(&sample.text);
    match shrink(&sample.text, &Thresholds::default(), context) {
        Ok(shrunk) => {
            let kinds: Vec<&str> = shrunk.kinds.iter().map(|kind| kind.name()).collect();
            let back = decode(&shrunk.text);
            Measured {
                raw,
                ours: context.tokens(&shrunk.text),
                how: kinds.join(", "),
                lossless: back.is_ok_and(|back| faithful::same(&sample.text, &back)),
            }
        }
        Err(kept) => Measured {
            raw,
            ours: raw,
            how: why(kept, sample, raw, context),
            lossless: kept != Kept::Unfaithful,
        },
    }
}

/// Why a text is not changed; if the saving is too small, by how much.
fn why(kept: Kept, sample: &Sample, raw: u64, context: &Context) -> String {
    let any = Thresholds {
        short: 0,
        least: 1,
        percent: 0,
        ..Thresholds::default()
    };
    match kept {
        Kept::NotWorthIt => match shrink(&sample.text, &any, context) {
            Ok(less) => format!("kept: {:.1} % would be saved", percent(raw, less.after)),
            Err(_) => "kept: nothing would be saved".to_owned(),
        },
        Kept::Unfaithful => "kept: it would not come back".to_owned(),
        Kept::Short => "kept: short".to_owned(),
        Kept::Stopped => "kept: no time".to_owned(),
        Kept::Unknown => "kept: nothing in it is known".to_owned(),
    }
}

/// The failures of a row, and the median saving of its samples. Without `goals`, a row has no goal.
pub fn judge(row: &Row, measured: &[Measured], goals: bool) -> (f64, Vec<String>) {
    let mut wrong = Vec::new();
    for (sample, one) in row.samples.iter().zip(measured) {
        let name = format!("{}/{}", row.name, sample.name);
        if one.ours > one.raw {
            wrong.push(format!("{name} has gained {} tokens", one.ours - one.raw));
        }
        if !one.lossless {
            wrong.push(format!("{name} does not come back ({})", one.how));
        }
    }
    let median = median(measured.iter().map(Measured::saved).collect());
    if let Some(goal) = row.goal.filter(|goal| goals && median < *goal) {
        wrong.push(format!("{}: {median:.1} % saved, not {goal} %", row.name));
    }
    (median, wrong)
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    match (all.len() / 2, all.len() % 2) {
        (_, _) if all.is_empty() => 0.0,
        (middle, 1) => all[middle],
        (middle, _) => (all[middle - 1] + all[middle]) / 2.0,
    }
}
