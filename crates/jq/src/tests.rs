//! The command line and the language. Where jq 1.6 and 1.7 differ, 1.7 is the reference.

mod failures;
mod language;

use super::*;

struct Outcome {
    out: String,
    err: String,
    code: u8,
}

fn jq_in(world: &World, args: &[&str], stdin: &[u8]) -> Outcome {
    let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run(&args, world, &mut &*stdin, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("jq prints UTF-8");
    Outcome {
        out: text(out),
        err: text(err),
        code,
    }
}

fn jq(args: &[&str], stdin: &str) -> Outcome {
    let env = vec![("HOME".to_owned(), "/home/me".to_owned())];
    jq_in(
        &World {
            env,
            restricted: false,
        },
        args,
        stdin.as_bytes(),
    )
}

/// Checks many programs with `-c`; each row is program, input, outputs.
fn table(rows: &[(&str, &str, &[&str])]) {
    for (program, input, expected) in rows {
        let outcome = jq(&["-c", program], input);
        let lines: Vec<&str> = outcome.out.lines().collect();
        assert_eq!(
            lines, *expected,
            "jq '{program}' <<< '{input}': {}",
            outcome.err
        );
        assert_eq!(
            outcome.code, 0,
            "jq '{program}' <<< '{input}': {}",
            outcome.err
        );
    }
}

#[test]
fn values_round_trip() {
    table(&[
        (
            ".",
            r#"{"b":1,"a":[true,null,"x"]}"#,
            &[r#"{"b":1,"a":[true,null,"x"]}"#],
        ),
        (".", "1 2\n[3]", &["1", "2", "[3]"]),
        (".", "12345678901234567890", &["12345678901234567890"]),
        (
            ".",
            "[1.10,3.0,-0,0.1,1E2,1e1000]",
            &["[1.10,3.0,-0,0.1,100,1.7976931348623157e+308]"],
        ),
        (
            "map(.+0)",
            "[3.0,1.10,123456789012345678,1e15,1e16,1e17,3.14159e20]",
            &["[3,1.1,123456789012345680,1000000000000000,1e+16,1e+17,314159000000000000000]"],
        ),
        (
            "map(.+0)",
            "[1e-4,1e-5,1.5e-5,1e-10,4.5e-310]",
            &["[0.0001,1e-05,1.5e-05,1e-10,4.5e-310]"],
        ),
        (
            ".",
            r#""a\u007f\u0000\u001f\ud83d\ude00é\/<>""#,
            &[r#""a\u007f\u0000\u001f😀é/<>""#],
        ),
        (".", r#""\ud83d""#, &["\"\u{fffd}\""]),
        ("[nan]|tojson", "null", &[r#""[null]""#]),
        (
            "infinite,-infinite",
            "null",
            &["1.7976931348623157e+308", "-1.7976931348623157e+308"],
        ),
        (".", "\u{feff}{\"bom\":1}", &[r#"{"bom":1}"#]),
    ]);
}

#[test]
fn options_work_alone_and_together() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&["-r", ".a"], r#"{"a":"x\ny"}"#, "x\ny\n"),
        (&["-rc", ".[]"], r#"["x",[1]]"#, "x\n[1]\n"),
        (&["-nr", "\"x\""], "", "x\n"),
        (&["-j", ".[]"], r#"[1,"a",[2]]"#, "1a[\n  2\n]"),
        (&["--raw-output0", ".[]"], r#"["a","b"]"#, "a\0b\0"),
        (&["-a", "."], r#""é😀""#, "\"\\u00e9\\ud83d\\ude00\"\n"),
        (
            &["-S", "-c", "."],
            r#"{"b":1,"a":{"d":1,"c":2}}"#,
            "{\"a\":{\"c\":2,\"d\":1},\"b\":1}\n",
        ),
        (
            &["--tab", "."],
            r#"{"a":[1]}"#,
            "{\n\t\"a\": [\n\t\t1\n\t]\n}\n",
        ),
        (&["--indent", "1", "."], r#"{"a":[]}"#, "{\n \"a\": []\n}\n"),
        (&["--indent", "0", "."], "[1]", "[1]\n"),
        (&["-s", "-c", "."], "1 2", "[1,2]\n"),
        (&["-s", "-c", "."], "", "[]\n"),
        (&["-R", "."], "a\nb", "\"a\"\n\"b\"\n"),
        (&["-Rs", "."], "a\nb\n", "\"a\\nb\\n\"\n"),
        (&["-Rn", "[inputs]", "-c"], "a\nb\n", "[\"a\",\"b\"]\n"),
        (
            &[
                "-n",
                "--arg",
                "x",
                "1",
                "--argjson",
                "y",
                "{\"z\":2}",
                "-c",
                "[$x,$y,$ARGS.named]",
            ],
            "",
            "[\"1\",{\"z\":2},{\"x\":\"1\",\"y\":{\"z\":2}}]\n",
        ),
        (
            &["-nc", "$ARGS.positional", "--args", "a", "1"],
            "",
            "[\"a\",\"1\"]\n",
        ),
        (
            &["-nc", "--jsonargs", "$ARGS.positional", "1", "{\"a\":2}"],
            "",
            "[1,{\"a\":2}]\n",
        ),
        (
            &["-nc", "[$ARGS.positional[]]", "--args", "--", "-x"],
            "",
            "[\"-x\"]\n",
        ),
        (
            &["--stream", "-c", "."],
            r#"{"a":[1,{"b":2}]}"#,
            "[[\"a\",0],1]\n[[\"a\",1,\"b\"],2]\n[[\"a\",1,\"b\"]]\n[[\"a\",1]]\n[[\"a\"]]\n",
        ),
        (&["--seq", "-c", "."], "1", "\u{1e}1\n"),
        (&["-M", "-C", "--unbuffered", "."], "1", "1\n"),
        (&[""], "[1]", "[\n  1\n]\n"),
        (&["# a comment\n."], "1", "1\n"),
    ];
    for (args, stdin, expected) in cases {
        let outcome = jq(args, stdin);
        assert_eq!(
            (outcome.out.as_str(), outcome.code),
            (*expected, 0),
            "jq {args:?}: {}",
            outcome.err
        );
    }
    assert!(jq(&["--version"], "").out.starts_with("jq-1.7"));
    assert!(jq(&["-h"], "").out.contains("--slurpfile"));
}

#[test]
fn files_are_read_in_sequence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(path("a"), "{\"a\":1}\n").expect("written");
    std::fs::write(path("b"), "{\"a\":2}").expect("written");
    std::fs::write(path("f.jq"), ".a + 10").expect("written");
    let (a, b) = (path("a"), path("b"));
    assert_eq!(jq(&[".a", &a, &b], "").out, "1\n2\n");
    assert_eq!(jq(&["-f", &path("f.jq"), &a], "").out, "11\n");
    assert_eq!(jq(&["-nc", "[inputs.a]", &a, &b], "").out, "[1,2]\n");
    assert_eq!(
        jq(&["-n", "input|input_filename", &b], "").out,
        format!("\"{b}\"\n")
    );
    assert_eq!(
        jq(
            &[
                "-nc",
                "--slurpfile",
                "x",
                &a,
                "--rawfile",
                "y",
                &b,
                "[$x,$y]"
            ],
            ""
        )
        .out,
        "[[{\"a\":1}],\"{\\\"a\\\":2}\"]\n"
    );
    let outcome = jq(&[".a", &path("gone"), &b], "");
    assert_eq!((outcome.out.as_str(), outcome.code), ("2\n", 2));
    assert!(jq(&[".a.b", &a], "").err.contains(&format!("(at {a}:1)")));
}

#[test]
fn output_is_written_before_the_next_input_arrives() {
    use std::io::Read;
    struct Drops<'a>(Vec<&'a [u8]>);
    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some(drop) = self.0.pop() else {
                return Ok(0);
            };
            buffer[..drop.len()].copy_from_slice(drop);
            Ok(drop.len())
        }
    }
    let mut stdin = Drops(vec![b"4]", b"[3", b"2\n1", b"1"]);
    let mut out = Vec::new();
    let args = ["-c".to_owned(), ".".to_owned()];
    let code = run(
        &args,
        &World::default(),
        &mut stdin,
        &mut out,
        &mut Vec::new(),
    );
    assert_eq!((out.as_slice(), code), (&b"12\n1\n[34]\n"[..], 0));
}

#[test]
fn a_long_stream_costs_no_more_per_value_than_a_short_one() {
    let lines: String = (0..50_000).map(|i| format!("{{\"id\":{i}}}\n")).collect();
    let started = std::time::Instant::now();
    let outcome = jq(
        &["-c", "select(.id == 49999) | [.id, input_line_number]"],
        &lines,
    );
    assert_eq!(outcome.out, "[49999,50000]\n");
    // Parsing the whole text again for each value takes minutes.
    assert!(started.elapsed().as_secs() < 30);
    let broken = format!("{lines} [1,\n  2 x]");
    assert!(
        jq(&["empty"], &broken)
            .err
            .contains("at line 50002, column")
    );
}
