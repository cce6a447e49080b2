//! What becomes of a sample, and of a row.

use linkspan_shrink::{Context, Kept, Thresholds, decode, shrink};

use crate::corpus::{Row, Sample};
use crate::faithful;

/// What became of a sample.
pub struct Measured {
    /// Its tokens.
    pub raw: u64,
    /// Tokens of what the model is given.
    pub ours: u64,
    /// What was found in it, or why it stays.
    pub how: String,
    /// Whether it comes back.
    pub lossless: bool,
}

impl Measured {
    /// Percent of the tokens that are saved.
    pub fn saved(&self) -> f64 {
        percent(self.raw, self.ours)
    }
}

/// Percent by which `after` is less than `before`.
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

/// Why a text stays; if it does because it is not worth it, by how much it was not.
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

/// What is wrong with a row, and the median of what its samples save. Without `goals` a row has none.
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
