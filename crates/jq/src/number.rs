//! Numbers in jq's spelling.
//!
//! jq calculates with doubles, but prints an unchanged number in its original spelling; otherwise an id of 19
//! digits would be altered.

use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

/// A double, with its original spelling if it was parsed from text.
#[derive(Clone, Debug)]
pub struct Num {
    value: f64,
    written: Option<Rc<str>>,
}

impl Num {
    /// Parses a number of the JSON grammar. A number with an exponent is printed in jq's form.
    pub fn parse(text: &str) -> Option<Self> {
        let value: f64 = text.parse().ok()?;
        let plain = !text.contains(['e', 'E', '+']) && !text.starts_with('.');
        // A double round-trips up to 15 digits, except for trailing zeros.
        let same = text.len() <= 15 && !text.contains('.') && text != "-0";
        let written = (plain && !same).then(|| Rc::from(text));
        Some(Self { value, written })
    }

    /// The double.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The number as an index, if it has no fraction and is not huge.
    pub fn as_isize(&self) -> Option<isize> {
        let whole = self.value.trunc();
        (whole == self.value && whole.abs() < 9.0e15).then_some(whole as isize)
    }
}

impl From<f64> for Num {
    fn from(value: f64) -> Self {
        Self {
            value,
            written: None,
        }
    }
}

impl PartialEq for Num {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Num {
    /// jq's order: nan is less than every number.
    pub fn order(&self, other: &Self) -> Ordering {
        self.value.partial_cmp(&other.value).unwrap_or_else(|| {
            if self.value.is_nan() {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        })
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written {
            Some(text) => f.write_str(text),
            None => f.write_str(&spell(self.value)),
        }
    }
}

/// The shortest digits that round-trip, in jq's notation.
fn spell(value: f64) -> String {
    if value.is_nan() {
        return "null".to_owned();
    }
    let value = value.clamp(f64::MIN, f64::MAX);
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let count = digits.len() as i32;
    let point = exponent + 1;
    if point <= -4 || point > count + 15 {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let mark = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{dot}{rest}e{mark}{:02}", exponent.abs());
    }
    if point <= 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(-point as usize));
    }
    if point >= count {
        return format!("{sign}{digits}{}", "0".repeat((point - count) as usize));
    }
    let (whole, fraction) = digits.split_at(point as usize);
    format!("{sign}{whole}.{fraction}")
}
