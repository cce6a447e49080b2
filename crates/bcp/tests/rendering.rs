//! Rendered contents cannot imitate our markup and lose nothing, and budgets are kept.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Prioritised, block, blocks, prioritised, written};
use linkspan_bcp::render::{Form, Mode, Renderer};
use linkspan_bcp::{
    Block, Content, Document, Limits, Priority, Show, Tokenizer, WriteOptions, Writer,
};
use proptest::prelude::*;

fn renderer(mode: Mode) -> Renderer {
    Renderer {
        mode,
        compat: false,
    }
}

fn shown(block: &Block<'_>, mode: Mode) -> String {
    let mut out = String::new();
    renderer(mode).render(block, Form::Full, &mut out).unwrap();
    out
}

fn tool(content: &str) -> Block<'static> {
    Content::ToolResult {
        name: "rg".into(),
        status: linkspan_bcp::Status::Ok,
        content: content.as_bytes().to_vec().into(),
        schema_hint: None,
    }
    .into()
}

/// Reverses the escaping of a content in XML.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        for (name, c) in [("&lt;", '<'), ("&amp;", '&'), ("&", '&')] {
            if let Some(after) = rest.strip_prefix(name) {
                out.push(c);
                rest = after;
                break;
            }
        }
    }
    out + rest
}

proptest! {
    #[test]
    fn the_escaping_in_xml_is_reversible(text in common::text()) {
        let out = shown(&tool(&text), Mode::Xml);
        let (head, rest) = out.split_once(">\n").unwrap();
        let body = rest.strip_suffix("\n</tool>").unwrap();
        let body = match head.ends_with(" escaped=\"true\"") {
            true => unescaped(body),
            false => body.to_owned(),
        };
        prop_assert_eq!(body, text);
    }

    #[test]
    fn a_content_in_xml_has_no_tag_of_ours(text in common::text()) {
        let out = shown(&tool(&text), Mode::Xml).to_lowercase();
        let spaceless: String = out.chars().filter(|c| !c.is_whitespace()).collect();
        for (tag, times) in [("<toolname", 1), ("</tool>", 1), ("</code>", 0), ("<turnrole", 0), ("</context>", 0)] {
            prop_assert_eq!(spaceless.matches(tag).count(), times, "{} in {}", tag, out);
        }
    }

    #[test]
    fn the_escaping_in_minimal_is_reversible_and_leaves_no_header(text in common::text()) {
        let out = shown(&tool(&text), Mode::Minimal);
        let (head, body) = out.split_once('\n').unwrap();
        let headers = body.split(['\n', '\r']).filter(|line| {
            line.starts_with("[system] ") || (line.starts_with("--- ") && line.ends_with(" ---"))
        });
        prop_assert_eq!(headers.count(), 0, "{}", out);
        if head.contains("(escaped)") {
            prop_assert!(body.len() > text.len());
            prop_assert_eq!(body.replace('\\', ""), text.replace('\\', ""));
        } else {
            prop_assert_eq!(body, text);
        }
    }

    #[test]
    fn a_content_cannot_close_its_fence(text in common::text()) {
        let out = shown(&tool(&text), Mode::Markdown);
        let body = out.strip_prefix("### Tool: rg (ok)\n\n").unwrap();
        let Some(fenced) = body.strip_prefix("```") else {
            prop_assert_eq!(body, text);
            return Ok(());
        };
        let fence: String = body.chars().take_while(|c| *c == '`').collect();
        prop_assert!(!text.contains(&fence), "{}", out);
        let body = fenced.trim_start_matches('`').strip_prefix('\n').unwrap();
        prop_assert_eq!(body.strip_suffix(&format!("\n{fence}")).unwrap(), text);
    }

    #[test]
    fn a_header_has_one_line(block in block()) {
        for mode in Mode::ALL {
            let mut out = String::new();
            renderer(mode).render(&block, Form::Placeholder { tokens: 1 }, &mut out).unwrap();
            prop_assert_eq!(out.lines().count(), 1, "{}", out);
            let odd = out.contains(['\r', '\u{2028}', '\u{202e}']);
            prop_assert!(!odd, "an odd character");
        }
    }

    #[test]
    fn all_blocks_can_be_rendered(blocks in blocks()) {
        let file = written(&blocks, WriteOptions::default());
        let document = Document::new(file, Limits::default());
        for mode in Mode::ALL {
            let mut out = Vec::new();
            let _ = document.show(&Show::all(renderer(mode)), &mut out, &mut |_| true);
            prop_assert!(String::from_utf8(out).is_ok());
        }
    }
}

/// Counts like a model's tokenizer: words and single marks. Two joined texts may have fewer or more tokens
/// than their sum.
struct Words;

impl Tokenizer for Words {
    fn count(&self, text: &str) -> u64 {
        let mut count = 0;
        let mut before = ' ';
        for c in text.chars() {
            let inside =
                c.is_alphanumeric() && before.is_alphanumeric() || c == '\n' && before == '\n';
            count += u64::from(!inside);
            before = c;
        }
        // Long words cost more than their parts.
        count + count / 50
    }
}

fn file(blocks: &[Prioritised]) -> Document {
    let mut writer = Writer::new(Vec::new(), WriteOptions::default()).unwrap();
    for (block, priority) in blocks {
        match priority {
            Some(priority) => writer.add_with_priority(block, *priority).unwrap(),
            None => writer.add(block).unwrap(),
        };
    }
    Document::new(writer.finish().unwrap().0, Limits::default())
}

fn has_critical(blocks: &[Prioritised]) -> bool {
    // Annotations among the random blocks may assign priorities as well.
    blocks.iter().any(|(block, priority)| {
        *priority == Some(Priority::Critical)
            || matches!(block.content.priority(), Some((_, Priority::Critical)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_budget_is_kept(blocks in prioritised(), budget in 0..400_u64) {
        let document = file(&blocks);
        for mode in Mode::ALL {
            let show = Show::all(renderer(mode));
            let Ok((text, report)) = document.show_within(&show, budget, &Words, &mut |_| true)
            else {
                // Annotations alone render nothing.
                continue;
            };
            let tokens = Words.count(&text);
            prop_assert_eq!(report.tokens, Some(tokens));
            prop_assert!(tokens <= budget || report.over_budget);
            if !has_critical(&blocks) {
                prop_assert!(tokens <= budget, "{} > {}", tokens, budget);
            }
        }
    }

    #[test]
    fn blocks_that_are_left_out_are_counted_in_a_line(blocks in prioritised(), budget in 0..400_u64) {
        let document = file(&blocks);
        for mode in Mode::ALL {
            let show = Show {
                line_end: true,
                ..Show::all(renderer(mode))
            };
            let Ok((text, report)) = document.show_within(&show, budget, &Words, &mut |_| true) else {
                continue;
            };
            prop_assert!(text.is_empty() || text.ends_with('\n'));
            let mut note = mode.opening().to_owned();
            renderer(mode).left_out(report.left_out, 9_999_999, &mut note);
            note.push_str(mode.closing());
            note.push('\n');
            let has_room = !has_critical(&blocks) && Words.count(&note) + 3 <= budget;
            prop_assert!(report.left_out == 0 || report.noted || !has_room, "{}", text);
            prop_assert_eq!(report.noted, report.noted && text.contains(" more"));
        }
    }

    #[test]
    fn a_budget_that_fits_a_block_shows_a_block(blocks in prioritised(), budget in 0..400_u64) {
        let document = file(&blocks);
        for mode in Mode::ALL {
            let show = Show::all(renderer(mode));
            let Ok((text, _)) = document.show_within(&show, budget, &Words, &mut |_| true) else {
                continue;
            };
            for (block, _) in &blocks {
                if matches!(block.content, Content::Annotation { .. }) {
                    continue;
                }
                let alone = mode.opening().to_owned() + &shown(block, mode) + mode.closing();
                // Adds a separator, and the additional tokens of joined texts.
                let least = Words.count(&alone) + 3 + budget / 10;
                prop_assert!(!text.is_empty() || least > budget, "{} fits into {}", least, budget);
            }
        }
    }

    #[test]
    fn blocks_that_fit_are_shown_in_full_at_any_priority(blocks in prioritised()) {
        let document = file(&blocks);
        for mode in Mode::ALL {
            let show = Show::all(renderer(mode));
            let mut whole = Vec::new();
            if document.show(&show, &mut whole, &mut |_| true).is_err() {
                continue;
            }
            let whole = String::from_utf8(whole).unwrap();
            let budget = Words.count(&whole);
            let (text, report) = document.show_within(&show, budget, &Words, &mut |_| true).unwrap();
            prop_assert_eq!(text, whole);
            prop_assert_eq!((report.summaries, report.placeholders, report.left_out), (0, 0, 0));
        }
    }
}
