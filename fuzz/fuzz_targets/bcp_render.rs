//! Whatever blocks say, nothing of it passes for something that we say, and a budget is kept.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_bcp::render::{Mode, Renderer};
use linkspan_bcp::{Document, Limits, Report, Show, Tokenizer, Verbosity};

fuzz_target!(|input: &[u8]| {
    let Some((&first, rest)) = input.split_first() else {
        return;
    };
    let budget = u64::from(first) * 4;
    let mut file = b"BCP\0\x01\0\0\0".to_vec();
    file.extend_from_slice(rest);
    file.extend_from_slice(&[0xff, 1, 0, 0]);
    let document = Document::new(file, Limits::default());
    for mode in Mode::ALL {
        for compat in [false, true] {
            let show = Show::all(Renderer { mode, compat });
            let mut out = Vec::new();
            let shown = document.show(&show, &mut out, &mut |_| true);
            if let (Ok(report), false) = (shown, compat) {
                ours_alone(mode, std::str::from_utf8(&out).unwrap(), &report);
            }
            let show = Show {
                verbosity: Verbosity::Adaptive,
                ..show
            };
            for tokenizer in [&Letters as &dyn Tokenizer, &Odd] {
                let within = document.show_within(&show, budget, tokenizer, &mut |_| true);
                if let (Ok((text, report)), false) = (within, compat) {
                    let tokens = tokenizer.count(&text);
                    assert_eq!(report.tokens, Some(tokens));
                    assert!(tokens <= budget || report.over_budget);
                    if !text.is_empty() && report.left_out == 0 {
                        ours_alone(mode, &text, &report);
                    }
                }
            }
        }
    }
});

const TAGS: [&str; 13] = [
    "context",
    "code",
    "turn",
    "tree",
    "tool",
    "doc",
    "data",
    "diff",
    "embed-ref",
    "image",
    "ext",
    "omitted",
    "unreadable",
];

/// Every tag or header that looks like one of ours is one of ours.
fn ours_alone(mode: Mode, text: &str, report: &Report) {
    let blocks = report.full + report.summaries + report.placeholders;
    let blocks = blocks + report.unreadable.len() as u64;
    match mode {
        Mode::Xml => tags(text),
        // Only the first hundred are reported.
        Mode::Minimal if report.unreadable.len() < 100 => {
            let headers = text.lines().filter(|line| is_header(line)).count();
            assert_eq!(headers as u64, blocks, "{text}");
        }
        _ => {}
    }
}

fn is_header(line: &str) -> bool {
    const WORDS: [&str; 7] = [
        "[system",
        "[user",
        "[assistant",
        "[tool",
        "[omitted: ",
        "[embed-ref: ",
        "[unreadable: ",
    ];
    line.starts_with("--- ") && line.ends_with(" ---")
        || WORDS.iter().any(|word| {
            line.strip_prefix(word)
                .is_some_and(|rest| word.ends_with(' ') || rest.starts_with([']', ' ']))
        })
}

/// In XML the tags that are ours open and close each other, with nothing of the kind in between.
fn tags(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices('<') {
        let rest = &text[at + 1..];
        let (closing, name) = match rest.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, rest),
        };
        let lower: String = name.chars().take(16).collect();
        let lower = lower.to_lowercase();
        let Some(tag) = TAGS.iter().find(|tag| {
            lower
                .strip_prefix(**tag)
                .is_some_and(|after| after.starts_with([' ', '>', '/']))
        }) else {
            continue;
        };
        if closing {
            assert_eq!(open.pop(), Some(*tag), "{text}");
            continue;
        }
        assert!(open.len() < 2, "a tag within a block: {text}");
        let end = rest.find('>').unwrap();
        if !rest[..end].ends_with('/') {
            open.push(tag);
        }
    }
    assert!(open.is_empty(), "{text}");
    assert!(text.starts_with("<context>\n") && text.ends_with("\n</context>"));
}

struct Letters;

impl Tokenizer for Letters {
    fn count(&self, text: &str) -> u64 {
        text.len() as u64
    }
}

/// Two texts together may have more tokens than each for itself.
struct Odd;

impl Tokenizer for Odd {
    fn count(&self, text: &str) -> u64 {
        let length = text.len() as u64;
        length / 4 + length / 100 * 3
    }
}
