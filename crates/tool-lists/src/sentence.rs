//! The first sentence of a description.

/// A longer sentence is cut at the end of a word.
const LONGEST: usize = 240;
/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: [&str; 8] = ["e.g", "i.e", "etc", "vs", "cf", "approx", "no", "incl"];

/// The first sentence of a text, on one line. It ends with its punctuation, at a blank line, or in front of a list.
pub(crate) fn first_sentence(text: &str) -> String {
    let mut sentence = String::new();
    for line in text.trim().lines() {
        let line = line.trim();
        let is_list = line.starts_with(['-', '*', '•', '#', '|', '<']) || line.starts_with("```");
        if !sentence.is_empty() && (line.is_empty() || is_list) {
            break;
        }
        let separator = if sentence.is_empty() { "" } else { " " };
        let (part, is_last) = match end(line) {
            Some(end) => (&line[..end], true),
            None => (line, false),
        };
        sentence.push_str(separator);
        sentence.push_str(part);
        if is_last || sentence.len() > LONGEST {
            break;
        }
    }
    cut(sentence)
}

/// The offset behind the first sentence of a line.
fn end(line: &str) -> Option<usize> {
    let ends = line.char_indices().filter_map(|(at, c)| {
        let after = at + c.len_utf8();
        match c {
            '。' | '！' | '？' => Some(after),
            '.' | '!' | '?' => {
                let next = line[after..].chars().next();
                let word = line[..at].rsplit([' ', '(']).next().unwrap_or_default();
                let is_abbreviated =
                    c == '.' && ABBREVIATIONS.contains(&&*word.to_ascii_lowercase());
                (next.is_none_or(char::is_whitespace) && !is_abbreviated).then_some(after)
            }
            _ => None,
        }
    });
    ends.into_iter().next()
}

fn cut(sentence: String) -> String {
    if sentence.len() <= LONGEST {
        return sentence;
    }
    let end = sentence.floor_char_boundary(LONGEST - '…'.len_utf8());
    let end = sentence[..end].rfind(' ').unwrap_or(end);
    format!("{}…", sentence[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_sentence_ends_with_its_punctuation() {
        for (text, first) in [
            ("Reads a file. Then more.", "Reads a file."),
            (
                "Reads a.b files, e.g. x.txt. More",
                "Reads a.b files, e.g. x.txt.",
            ),
            ("What? Yes.", "What?"),
            ("読みます。次に", "読みます。"),
            ("Version 2.5 of it", "Version 2.5 of it"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), first, "{text}");
        }
    }

    #[test]
    fn a_sentence_ends_at_a_blank_line_and_before_a_list() {
        for (text, first) in [
            ("\n  Reads\n  a file\n\nArgs: x", "Reads a file"),
            ("Use it for:\n- this\n- that", "Use it for:"),
            ("# Heading\n\ntext", "# Heading"),
            ("Reads it\n<example>", "Reads it"),
        ] {
            assert_eq!(first_sentence(text), first, "{text}");
        }
    }

    #[test]
    fn a_long_sentence_is_cut_at_a_word() {
        let cut = first_sentence(&"word ".repeat(200));
        assert!(cut.len() <= LONGEST && cut.ends_with("word…"), "{cut}");
    }

    proptest! {
        #[test]
        fn a_sentence_is_one_short_line(text in "(?s).{0,400}") {
            let sentence = first_sentence(&text);
            prop_assert!(sentence.len() <= LONGEST && !sentence.contains('\n'), "{sentence:?}");
        }
    }
}
