//! Arithmetic series of numbers.

/// The first number and the step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Series {
    start: i64,
    step: i64,
    /// The least number of digits, if there are leading zeros; else 0.
    digits: usize,
}

impl Series {
    /// The series that these numbers form, if they do.
    pub(super) fn of<'a>(mut numbers: impl Iterator<Item = &'a str>) -> Option<Self> {
        let first = numbers.next()?;
        let second = numbers.next()?;
        let start = number(first)?;
        let step = number(second)?.checked_sub(start)?;
        let padded = first.starts_with('0') || second.starts_with('0');
        let digits = if padded && first.len() > 1 {
            first.len()
        } else {
            0
        };
        let series = Self {
            start,
            step,
            digits,
        };
        let mut spelled = String::new();
        let mut follows = |(row, number): (usize, &str)| {
            spelled.clear();
            series.write(row, &mut spelled).is_some() && spelled == number
        };
        let all = step != 0 && follows((0, first)) && follows((1, second));
        (all && numbers
            .enumerate()
            .all(|(row, one)| follows((row + 2, one))))
        .then_some(series)
    }

    /// Appends the number of a row.
    pub(super) fn write(&self, row: usize, out: &mut String) -> Option<()> {
        let steps = self.step.checked_mul(i64::try_from(row).ok()?)?;
        let number = self.start.checked_add(steps)?;
        if self.digits > 0 && number < 0 {
            return None;
        }
        // Faster than `write!`, which would dominate.
        let mut text = [b'0'; 20];
        let mut at = text.len();
        let mut rest = number.unsigned_abs();
        while rest > 0 || at == text.len() {
            at -= 1;
            text[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        let at = at.min(text.len() - self.digits.min(text.len()));
        out.push_str(if number < 0 { "-" } else { "" });
        out.push_str(std::str::from_utf8(&text[at..]).ok()?);
        Some(())
    }

    /// Writes `1..`, or `100,105..` if the step is not 1.
    pub(super) fn spell(&self, out: &mut String) {
        let _ = self.write(0, out);
        if self.step != 1 {
            out.push(',');
            let _ = self.write(1, out);
        }
        out.push_str("..");
    }

    /// The inverse of [`Self::spell`].
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.strip_suffix("..")?;
        let (first, second) = match text.split_once(',') {
            Some((first, second)) => (first, Some(second)),
            None => (text, None),
        };
        let start = number(first)?;
        let (step, padded) = match second {
            Some(second) => (number(second)?.checked_sub(start)?, second.starts_with('0')),
            None => (1, false),
        };
        let padded = (padded || first.starts_with('0')) && first.len() > 1;
        Some(Self {
            start,
            step,
            digits: if padded { first.len().min(20) } else { 0 },
        })
    }
}

fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = (1..=18).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(numbers: &[&str]) -> Option<String> {
        let series = Series::of(numbers.iter().copied())?;
        let mut out = String::new();
        series.spell(&mut out);
        let back = Series::parse(&out).unwrap();
        for (row, number) in numbers.iter().enumerate() {
            let mut out = String::new();
            back.write(row, &mut out).unwrap();
            assert_eq!(out, *number);
        }
        Some(out)
    }

    #[test]
    fn series_are_restored() {
        assert_eq!(spelled(&["1", "2", "3"]).as_deref(), Some("1.."));
        assert_eq!(spelled(&["0", "1", "2"]).as_deref(), Some("0.."));
        assert_eq!(spelled(&["8", "9", "10"]).as_deref(), Some("8.."));
        assert_eq!(spelled(&["008", "009", "010"]).as_deref(), Some("008.."));
        assert_eq!(spelled(&["10", "05", "00"]).as_deref(), Some("10,05.."));
        assert_eq!(spelled(&["5", "3", "1", "-1"]).as_deref(), Some("5,3.."));
        assert_eq!(spelled(&["1", "2", "4"]), None);
        assert_eq!(spelled(&["1", "02", "3"]), None);
        assert_eq!(spelled(&["9", "9", "9"]), None);
    }
}
