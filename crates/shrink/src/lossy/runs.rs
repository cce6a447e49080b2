//! Test runs without passing tests.
//!
//! Only lines that report exactly one passing test are omitted, and only in a run of a known tool. All other lines
//! stay: failures, output, warnings, summaries, and lines of unknown form. So no failure is lost, and nothing is stated
//! that the tool did not print.

use super::{mark, plural};

/// A test runner: how to recognise its run, and its lines of passing tests.
struct Tool {
    ran: fn(&str) -> bool,
    passed: fn(&str) -> bool,
}

const TOOLS: [Tool; 5] = [
    // cargo test
    Tool {
        ran: |line| {
            let count = line.strip_prefix("running ");
            count.is_some_and(|rest| rest.ends_with(" tests") || rest.ends_with(" test"))
        },
        passed: |line| line.starts_with("test ") && line.ends_with(" ... ok"),
    },
    // pytest -v
    Tool {
        ran: |line| line.starts_with("===") && line.contains(" test session starts "),
        passed: |line| {
            let line = match line
                .strip_suffix("%]")
                .and_then(|line| line.rsplit_once('['))
            {
                Some((line, share)) if is_number(share.trim()) => line.trim_end(),
                _ => line,
            };
            line.contains("::") && line.ends_with(" PASSED") && !line.starts_with(' ')
        },
    },
    // jest, vitest, mocha
    Tool {
        ran: |line| {
            let line = line.trim_start();
            (line.starts_with("Tests:")
                || line.starts_with("Tests ")
                || line.contains(" passing ("))
                && line.contains("pass")
        },
        passed: |line| line.trim_start().starts_with(['✓', '✔', '√']),
    },
    // go test -v
    Tool {
        ran: |line| line.starts_with("=== RUN "),
        passed: |line| line.trim_start().starts_with("--- PASS: "),
    },
    // The Test Anything Protocol
    Tool {
        ran: |line| line.starts_with("TAP version "),
        passed: |line| {
            let line = line.trim_start();
            line.starts_with("ok ") && !line.contains('#')
        },
    },
];

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The run without passing tests.
pub(super) fn failures(text: &str) -> Option<String> {
    let mut tools = TOOLS.iter();
    let tool = tools.find(|tool| text.lines().any(|line| (tool.ran)(line)))?;
    let mut out = String::with_capacity(text.len() / 2);
    let mut run = 0;
    let mut gone = 0;
    for line in text.split_inclusive('\n') {
        if (tool.passed)(line.trim_end_matches(['\n', '\r'])) {
            run += 1;
            continue;
        }
        gone += flush(&mut run, &mut out);
        out.push_str(line);
    }
    gone += flush(&mut run, &mut out);
    (gone > 0).then_some(out)
}

/// Marks where passing tests were omitted, with their number.
fn flush(run: &mut usize, out: &mut String) -> usize {
    let count = std::mem::take(run);
    if count > 0 {
        out.push_str(&mark(&plural(count, "passing test", "passing tests")));
        out.push('\n');
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_among_passing_tests_stays_with_its_output() {
        let text = "\
running 5 tests
test a ... ok
test b ... ok
test c ... FAILED
test d ... ignored
test e::with spaces (line 3) ... ok

failures:

---- c stdout ----
thread 'c' panicked at src/x.rs:1:1:
test z ... ok?

test result: FAILED. 3 passed; 1 failed; 1 ignored
";
        assert_eq!(
            failures(text).unwrap(),
            "\
running 5 tests
[linkspan: 2 passing tests left out]
test c ... FAILED
test d ... ignored
[linkspan: 1 passing test left out]

failures:

---- c stdout ----
thread 'c' panicked at src/x.rs:1:1:
test z ... ok?

test result: FAILED. 3 passed; 1 failed; 1 ignored
"
        );
    }

    #[test]
    fn a_passing_test_with_output_on_its_line_stays() {
        let text = "running 2 tests\ntest a ... printed something\nok\ntest b ... ok\n";
        let left = failures(text).unwrap();
        assert!(
            left.contains("test a ... printed something\nok\n"),
            "{left}"
        );
    }

    #[test]
    fn only_passing_tests_are_omitted_for_every_tool() {
        let pytest = "===== test session starts =====\nt.py::test_a PASSED   [ 50%]\nt.py::test_b[x-1] FAILED [100%]\nt.py::test_c XPASS\nt.py::test_d PASSED\n===== 1 failed, 2 passed in 0.1s =====\n";
        let left = failures(pytest).unwrap();
        assert!(left.contains("test_b[x-1] FAILED") && left.contains("XPASS"));
        assert!(!left.contains("PASSED") && left.contains("1 failed, 2 passed"));

        let jest = "  suite\n    ✓ adds (2 ms)\n    ✕ divides (1 ms)\n    ○ skipped later\n\nTests:       1 failed, 1 passed, 2 total\n";
        let left = failures(jest).unwrap();
        assert!(left.contains("✕ divides") && left.contains("○ skipped") && !left.contains("adds"));

        let go = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:5: bad\n--- FAIL: TestB (0.00s)\nFAIL\nexit status 1\n";
        let left = failures(go).unwrap();
        assert!(left.contains("--- FAIL: TestB") && left.contains("b_test.go:5: bad"));
        assert!(left.contains("exit status 1") && !left.contains("PASS"));

        let tap =
            "TAP version 13\n1..4\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP\nok 4 - d # TODO\n";
        let left = failures(tap).unwrap();
        assert!(left.contains("not ok 2") && left.contains("# SKIP") && left.contains("# TODO"));
        assert!(!left.contains("ok 1 - a"));
    }

    #[test]
    fn a_text_without_passing_tests_stays() {
        for text in [
            "test a ... ok\n",
            "running late for tests\n",
            "",
            "running 1 test\ntest a ... FAILED\n",
        ] {
            assert_eq!(failures(text), None, "{text}");
        }
    }
}
