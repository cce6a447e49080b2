//! Lists of numbers in the words of a head.

/// The unread words of a head.
pub(super) type Words<'a> = std::str::SplitAsciiWhitespace<'a>;

/// Columns, each with a number: `3:10,5:20`. Columns are counted from 1.
pub(super) fn numbers(pairs: &[(usize, usize)]) -> String {
    let pairs = pairs.iter().map(|(i, n)| format!("{}:{n}", i + 1));
    pairs.collect::<Vec<_>>().join(",")
}

/// The inverse of [`numbers`].
pub(super) fn parse_numbers(text: &str) -> Option<Vec<(usize, usize)>> {
    let pairs = text.split(',').map(|pair| {
        let (i, n) = pair.split_once(':')?;
        let i: usize = i.parse().ok()?;
        Some((i.checked_sub(1)?, n.parse().ok()?))
    });
    pairs.collect()
}

/// Numbers from 1, with runs as ranges: `1-3,7`.
pub(super) fn runs(numbers: impl Iterator<Item = usize>) -> String {
    let mut out = String::new();
    let mut run: Option<(usize, usize)> = None;
    let mut push = |(from, to): (usize, usize)| {
        if !out.is_empty() {
            out.push(',');
        }
        out.push_str(&(from + 1).to_string());
        if from < to {
            out.push('-');
            out.push_str(&(to + 1).to_string());
        }
    };
    for number in numbers {
        run = match run {
            Some((from, to)) if to + 1 == number => Some((from, number)),
            other => {
                other.map(&mut push);
                Some((number, number))
            }
        };
    }
    run.map(&mut push);
    out
}

/// The inverse of [`runs`]; `None` for more than `most` numbers.
pub(super) fn parse_runs(text: &str, most: usize) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for run in text.split(',') {
        let (from, to) = run.split_once('-').unwrap_or((run, run));
        let (from, to): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
        if from < 1 || to < from || to - from >= most.checked_sub(numbers.len())? {
            return None;
        }
        numbers.extend(from - 1..to);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_numbers_are_restored() {
        let some = [0, 1, 2, 6, 9, 10];
        assert_eq!(runs(some.into_iter()), "1-3,7,10-11");
        assert_eq!(parse_runs("1-3,7,10-11", 6), Some(some.to_vec()));
        assert_eq!(parse_runs("1-999999999999", 6), None);
    }
}
