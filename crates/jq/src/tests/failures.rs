//! Programs and inputs that fail, and the limits of restricted mode.

use super::*;

#[test]
fn failures_have_jqs_exit_codes_and_words() {
    let cases: &[(&[&str], &str, u8, &str)] = &[
        (
            &[".a.b"],
            "{\"a\":1}\n",
            5,
            "jq: error (at <stdin>:1): Cannot index number with \"b\"\n",
        ),
        (
            &["-n", "1|.[]"],
            "",
            5,
            "jq: error (at <unknown>): Cannot iterate over number (1)\n",
        ),
        (
            &["-n", "{} + 1"],
            "",
            5,
            "object ({}) and number (1) cannot be added",
        ),
        (
            &["-n", "1 / 0"],
            "",
            5,
            "number (1) and number (0) cannot be divided because the divisor is zero",
        ),
        (&["-n", "\"a\"|keys"], "", 5, "string (\"a\") has no keys"),
        (
            &["-n", "[]|has(\"a\")"],
            "",
            5,
            "Cannot check whether array has a string key",
        ),
        (
            &["-n", "[]|.[\"a\"]"],
            "",
            5,
            "Cannot index array with \"a\"",
        ),
        (&["-n", "{}|.[0]"], "", 5, "Cannot index object with number"),
        (
            &["-n", "error({a:1})"],
            "",
            5,
            "jq: error (at <unknown>) (not a string): {\"a\":1}\n",
        ),
        (
            &["-n", "\"abc\"|fromjson"],
            "",
            5,
            "Invalid numeric literal at EOF at line 1, column 3 (while parsing 'abc')",
        ),
        (&["-n", "input"], "", 5, "No more inputs"),
        (&["-n", "\"x\"|test(\"(\")"], "", 5, "is not a valid regex"),
        (
            &["-n", "[{}]|@csv"],
            "",
            5,
            "object ({}) is not valid in a csv row",
        ),
        (&["-n", "\"bye\\n\"|halt_error"], "", 5, "bye\n"),
        (&["-n", "{a:1}|halt_error(3)"], "", 3, "{\"a\":1}\n"),
        (&["-n", "halt"], "", 0, ""),
        (
            &["."],
            "abc\n",
            2,
            "jq: parse error: Invalid numeric literal at line 2, column 0\n",
        ),
        (
            &["."],
            "[1,2",
            2,
            "jq: parse error: Unfinished JSON term at EOF at line 1, column 4\n",
        ),
        (
            &["."],
            "{\"a\" 1}\n",
            2,
            "Expected separator between values at line 1, column 7",
        ),
        (
            &["-c", "."],
            "{\"a\":1}}\n",
            2,
            "Unmatched '}' at line 1, column 8",
        ),
        (
            &["-n", "foo"],
            "",
            3,
            "jq: error: foo/0 is not defined at <top-level>, line 1:\nfoo\njq: 1 compile error\n",
        ),
        (&["-n", "$bar"], "", 3, "$bar is not defined"),
        (
            &["-n", "1 +"],
            "",
            3,
            "syntax error, unexpected end of file",
        ),
        (&["-n", ".a b"], "", 3, "syntax error, unexpected 'b'"),
        (&["--nope", "."], "", 2, "Unknown option: --nope"),
        (&["-nz", "."], "", 2, "Unknown option: -nz"),
        (&["-n", "--arg", "x"], "", 2, "--arg takes two parameters"),
        (
            &["-n", "--argjson", "x", "{", "$x"],
            "",
            2,
            "invalid JSON text passed to --argjson",
        ),
        (&[], "", 2, "Usage:"),
        (
            &[".", "/does/not/exist"],
            "",
            2,
            "Could not open /does/not/exist: No such file or directory",
        ),
        (&["-e", "."], "null", 1, ""),
        (&["-e", "empty"], "1", 4, ""),
        (&["-e", "."], "1", 0, ""),
    ];
    for (args, stdin, code, words) in cases {
        let outcome = jq(args, stdin);
        assert_eq!(outcome.code, *code, "jq {args:?}: {}", outcome.err);
        assert!(outcome.err.contains(words), "jq {args:?}: {}", outcome.err);
    }
}

#[test]
fn what_was_printed_before_an_error_stays_and_later_inputs_are_still_read() {
    let outcome = jq(&["-c", ".a"], "1\n{\"a\":2}\n");
    assert_eq!((outcome.out.as_str(), outcome.code), ("2\n", 0));
    let outcome = jq(&["-c", ".a"], "{\"a\":2}\n1\n");
    assert_eq!((outcome.out.as_str(), outcome.code), ("2\n", 5));
    assert!(outcome.err.starts_with("jq: error (at <stdin>:2): "));
    let outcome = jq(&["."], "1 2 x");
    assert_eq!((outcome.out.as_str(), outcome.code), ("1\n2\n", 2));
}

#[test]
fn messages_go_to_stderr() {
    let outcome = jq(&["-c", "debug, debug(\"m\") , stderr"], "[1]");
    assert_eq!(outcome.out, "[1]\n[1]\n[1]\n");
    assert_eq!(outcome.err, "[\"DEBUG:\",[1]]\n[\"DEBUG:\",\"m\"]\n[1]");
}

#[test]
fn a_restricted_program_sees_its_input_only() {
    let world = World {
        env: vec![("SECRET".to_owned(), "x".to_owned())],
        restricted: true,
    };
    let restricted = |args: &[&str]| jq_in(&world, args, b"{\"a\":1}");
    assert_eq!(restricted(&["-c", "."]).out, "{\"a\":1}\n");
    for program in ["env", "$ENV", "input_filename", "env.SECRET"] {
        assert_eq!(restricted(&[program]).code, 3, "{program}");
    }
    for args in [
        &[".", "/etc/passwd"][..],
        &["-f", "/etc/passwd"],
        &["-n", "--rawfile", "x", "/etc/passwd", "$x"],
        &["-n", "--slurpfile", "x", "/etc/passwd", "$x"],
    ] {
        let outcome = restricted(args);
        assert_eq!(outcome.code, 2, "{args:?}");
        assert!(
            outcome.err.contains("files cannot be read here"),
            "{args:?}"
        );
    }
    assert_eq!(restricted(&["import \"a\" as a; ."]).code, 3);
}

#[test]
fn no_input_or_program_panics() {
    let deep = "[".repeat(100_000);
    assert_eq!(jq(&["."], &deep).code, 2);
    for program in [
        "\"a\" * 1e12",
        "null|.[1e12]=1",
        "[.[1e300]]",
        "\"x\"[1e300:]",
        "[range(3)][-9e15]",
        "[1]|.[nan]",
        "\"\\(1;2)\"",
        "@foo \"x\"",
        "{",
        "\"",
        ")",
        "..[",
        "1 as [$",
        "-",
        "?//",
        "\u{0}",
        "é",
        "&",
    ] {
        let _ = jq(&["-n", program], "");
    }
    for input in [
        "\"\\u12\"",
        "\"\\x\"",
        "\"\\",
        "{\"a\":}",
        "[,]",
        "{,}",
        "nul",
        "-",
        "1e",
        ".5",
        "\u{1}",
        "}",
        ":",
        "[1}",
    ] {
        assert_eq!(jq(&["."], input).code, 2, "{input}");
    }
    let invalid = jq_in(&World::default(), &["."], b"\"\xff\xfe ok\"");
    assert_eq!(invalid.out, "\"\u{fffd}\u{fffd} ok\"\n");
}
