//! The difference between two texts that differ in one place.

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 3;

/// The changed lines, marked by `-` and `+`, with some lines around them. What is the same at both ends of the texts is
/// not compared further, because an edit changes one place.
pub(crate) fn diff(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(old, new)| old == new).count()
    };
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    let first = head.saturating_sub(CONTEXT);
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let last = (old_end + CONTEXT).min(old.len());
    let context =
        |lines: &[&str]| -> Vec<String> { lines.iter().map(|line| format!("  {line}")).collect() };
    let mut lines = context(&old[first..head]);
    lines.extend(old[head..old_end].iter().map(|line| format!("- {line}")));
    lines.extend(new[head..new_end].iter().map(|line| format!("+ {line}")));
    lines.extend(context(&old[old_end..last]));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changed_lines_have_some_lines_around_them() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let after = "1\n2\n3\n4\nx\ny\n6\n7\n8\n";
        assert_eq!(
            diff(before, after),
            [
                "  2", "  3", "  4", "- 5", "+ x", "+ y", "  6", "  7", "  8"
            ]
        );
        assert_eq!(diff("", "a\n"), ["+ a"]);
        assert_eq!(diff("a\na\n", "a\n"), ["  a", "- a"]);
        assert_eq!(diff("a", "a"), ["  a"]);
    }
}
