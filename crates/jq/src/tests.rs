//! The command line and the language, case by case. Where jq 1.6 and 1.7 differ, 1.7 counts.

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
fn values_come_out_as_they_went_in() {
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
fn paths_and_updates_follow_jq() {
    table(&[
        (".a.b.c", "{}", &["null"]),
        (".a.b?, .a[0]?", r#"{"a":5}"#, &[]),
        (".a.b.c=1", "null", &[r#"{"a":{"b":{"c":1}}}"#]),
        (".[2]=1", "null", &["[null,null,1]"]),
        (".[4]=1", "[1]", &["[1,null,null,null,1]"]),
        ("del(.[0,2])", "[1,2,3]", &["[2]"]),
        (
            "del(.a,.b), del(.[])",
            r#"{"a":1,"c":2}"#,
            &[r#"{"c":2}"#, "{}"],
        ),
        ("del(.a.b.c)", "{}", &["{}"]),
        (
            "delpaths([[\"a\",0],[\"b\"]])",
            r#"{"a":[1,2],"b":3,"c":4}"#,
            &[r#"{"a":[2],"c":4}"#],
        ),
        (".a+=1|.b.c//=2|.a-=3", "{}", &[r#"{"a":-2,"b":{"c":2}}"#]),
        (".[1:]|=map(.+1)", "[1,2,3]", &["[1,3,4]"]),
        (
            ".a[1:3]=[\"x\"]",
            r#"{"a":[1,2,3,4]}"#,
            &[r#"{"a":[1,"x",4]}"#],
        ),
        (
            ".[-1], .[9], .[1:], .[:-1], .[-2:]",
            "[1,2,3]",
            &["3", "null", "[2,3]", "[1,2]", "[2,3]"],
        ),
        (".[1:2], .[-1:]", r#""aéc""#, &[r#""é""#, r#""c""#]),
        (
            "[paths], [leaf_paths], [tostream]",
            r#"{"a":[1,2]}"#,
            &[
                r#"[["a"],["a",0],["a",1]]"#,
                r#"[["a",0],["a",1]]"#,
                r#"[[["a",0],1],[["a",1],2],[["a",1]],[["a"]]]"#,
            ],
        ),
        ("fromstream(([[0],1],[[1],2],[[1]]))", "null", &["[1,2]"]),
        (
            "[1|truncate_stream([[0],1],[[1,0],2],[[1,0]],[[1]])]",
            "null",
            &["[[[0],2],[[0]]]"],
        ),
        (
            "getpath([\"a\",0,\"b\"]), setpath([\"a\",0,\"b\"];1)",
            "{}",
            &["null", r#"{"a":[{"b":1}]}"#],
        ),
        (
            "to_entries, with_entries(.value+=1)",
            r#"{"a":1}"#,
            &[r#"[{"key":"a","value":1}]"#, r#"{"a":2}"#],
        ),
        (
            "from_entries",
            r#"[{"name":"a","value":1},{"k":"b","v":2},{"key":null},{"key":false}]"#,
            &[r#"{"a":1,"b":2,"null":null,"false":null}"#],
        ),
        (
            "pick(.b.c), pick(.x)",
            r#"{"a":1,"b":{"c":2}}"#,
            &[r#"{"b":{"c":2}}"#, r#"{"x":null}"#],
        ),
        (
            "walk(if type==\"number\" then .+1 else . end)",
            r#"[1,{"a":2}]"#,
            &[r#"[2,{"a":3}]"#],
        ),
        (
            "map_values(empty), map_values(.+1)",
            r#"{"a":1}"#,
            &["{}", r#"{"a":2}"#],
        ),
        ("[..|numbers]", r#"[[1],{"a":2}]"#, &["[1,2]"]),
        (
            "{a:1,\"b\":2,(\"e\",\"f\"):3,\"x\\(1)\":4}",
            "null",
            &[
                r#"{"a":1,"b":2,"e":3,"x1":4}"#,
                r#"{"a":1,"b":2,"f":3,"x1":4}"#,
            ],
        ),
        (
            ". as {a:$x,b:[$y]} | [$x,$y], {$x}",
            r#"{"a":1,"b":[2]}"#,
            &["[1,2]", r#"{"x":1}"#],
        ),
    ]);
}

#[test]
fn arithmetic_and_order_follow_jq() {
    table(&[
        ("5%-3,-5%3,5.9%2", "null", &["2", "-2", "1"]),
        (
            "10/4, (\"a,b\"/\",\"), [1,2,1]-[1]",
            "null",
            &["2.5", r#"["a","b"]"#, "[2]"],
        ),
        (
            "{a:{b:1}}*{a:{c:2}}, \"ab\"*2, \"x\"*0, null+1",
            "null",
            &[r#"{"a":{"b":1,"c":2}}"#, r#""abab""#, "null", "1"],
        ),
        (
            "sort, unique, reverse, min, max, add",
            "[3,1,2,1]",
            &["[1,1,2,3]", "[1,2,3]", "[1,2,1,3]", "1", "3", "7"],
        ),
        (
            "sort",
            r#"[{"b":1},[],"a",1,true,false,null,{"a":2}]"#,
            &[r#"[null,false,true,1,"a",[],{"a":2},{"b":1}]"#],
        ),
        (
            "min_by(.a),max_by(.a),group_by(.a),unique_by(.a),sort_by(.a,.b)",
            r#"[{"a":2,"b":1},{"a":1,"b":2},{"a":2,"b":0}]"#,
            &[
                r#"{"a":1,"b":2}"#,
                r#"{"a":2,"b":0}"#,
                r#"[[{"a":1,"b":2}],[{"a":2,"b":1},{"a":2,"b":0}]]"#,
                r#"[{"a":1,"b":2},{"a":2,"b":1}]"#,
                r#"[{"a":1,"b":2},{"a":2,"b":0},{"a":2,"b":1}]"#,
            ],
        ),
        (
            "floor,sqrt,pow(.;2),log2,-.,abs,round",
            "16",
            &["16", "4", "256", "4", "-16", "16", "16"],
        ),
        (
            "[nan]|(.[0]<nan), (nan==nan), (nan|isnan)",
            "null",
            &["true", "false", "true"],
        ),
        (
            "{\"a\":1}<{\"a\":2}, []<{}, \"a\"<\"b\", (1,1.0|.==1)",
            "null",
            &["true", "true", "true", "true", "true"],
        ),
        (
            "contains([\"b\"]), inside([\"abc\",\"d\"]), any(.==\"d\"), all(length>0)",
            r#"["abc"]"#,
            &["true", "true", "false", "true"],
        ),
        (
            "flatten, flatten(1)",
            "[1,[2,[3]]]",
            &["[1,2,3]", "[1,2,[3]]"],
        ),
        (
            "[combinations], transpose",
            "[[1,2],[3,4]]",
            &["[[1,3],[1,4],[2,3],[2,4]]", "[[1,3],[2,4]]"],
        ),
        (
            "[range(0;1;0.3)],[range(5;0;-2)],[limit(3;range(9))],[limit(0;1)],[skip(1;1,2)]",
            "null",
            &[
                "[0,0.3,0.6,0.8999999999999999]",
                "[5,3,1]",
                "[0,1,2]",
                "[]",
                "[2]",
            ],
        ),
        (
            "reduce .[] as $x (0;.+$x), [foreach .[] as $x (0;.+$x;[$x,.])]",
            "[1,2]",
            &["3", "[[1,1],[2,3]]"],
        ),
        (
            "[label $f | .[] | ., (select(.==2)|break $f)]",
            "[1,2,3]",
            &["[1,2]"],
        ),
        (
            "bsearch(2), bsearch(5), IN(.[];2), index(2)",
            "[1,2,3]",
            &["1", "-4", "true", "1"],
        ),
        (
            "INDEX(.id), (.[]|IN({id:1}))",
            r#"[{"id":1}]"#,
            &[r#"{"1":{"id":1}}"#, "true"],
        ),
    ]);
}

#[test]
fn strings_formats_and_regular_expressions_follow_jq() {
    table(&[
        (
            "@csv,@tsv,@sh",
            r#"[1,"a\"b",null,true,1.5]"#,
            &[
                r#""1,\"a\"\"b\",,true,1.5""#,
                r#""1\ta\"b\t\ttrue\t1.5""#,
                r#""1 'a\"b' null true 1.5""#,
            ],
        ),
        (
            "@base64,@uri,@base32,(@base64|@base64d),(@uri|@urid),(@base32|@base32d)",
            r#""aé b""#,
            &[
                r#""YcOpIGI=""#,
                r#""a%C3%A9%20b""#,
                r#""MHB2SIDC""#,
                r#""aé b""#,
                r#""aé b""#,
                r#""aé b""#,
            ],
        ),
        (
            "@html, @json \"v=\\(.)\", @text",
            r#""<&'\">""#,
            &[
                r#""&lt;&amp;&#39;&quot;&gt;""#,
                r#""v=\"<&'\\\">\"""#,
                r#""<&'\">""#,
            ],
        ),
        ("\"YWI\"|@base64d", "null", &[r#""ab""#]),
        (
            "split(\",\"), (split(\", *\";null)), join(\"-\")?",
            r#""a,b""#,
            &[r#"["a","b"]"#, r#"["a","b"]"#],
        ),
        ("join(\"-\")", r#"["a",null,1,true]"#, &[r#""a--1-true""#]),
        (
            "ltrimstr(\"a\"),rtrimstr(\"c\"),trimstr(\"a\"),ltrimstr(1),startswith(\"a\"),endswith(\"c\")",
            r#""abc""#,
            &[r#""bc""#, r#""ab""#, r#""bc""#, r#""abc""#, "true", "true"],
        ),
        (
            "trim,ltrim,rtrim",
            r#"" a ""#,
            &[r#""a""#, r#""a ""#, r#"" a""#],
        ),
        (
            "ascii_upcase, explode, (explode|implode), length, utf8bytelength, reverse",
            r#""aé""#,
            &[r#""Aé""#, "[97,233]", r#""aé""#, "2", "3", r#""éa""#],
        ),
        (
            "indices(\"b\"), index(\"c\"), rindex(\"z\"), indices([1])?",
            r#""abc""#,
            &["[1]", "2", "null"],
        ),
        (
            "tojson|fromjson",
            r#"[1,{"a":"\n"}]"#,
            &[r#"[1,{"a":"\n"}]"#],
        ),
        ("tonumber, tostring", r#""1.50""#, &["1.50", r#""1.50""#]),
        (
            "test(\"B\";\"i\"), test([\"B\",\"i\"]), test(\"^b\")",
            r#""abc""#,
            &["true", "true", "false"],
        ),
        (
            "[match(\"x\";\"gi\")|.offset], sub(\"x\";\"-\";\"i\"), gsub(\"(?<l>[a-z])\";\"<\\(.l)>\")",
            r#""aXbX""#,
            &["[1,3]", r#""a-bX""#, r#""<a>X<b>X""#],
        ),
        (
            "match(\"l+\")",
            r#""héllo""#,
            &[r#"{"offset":2,"length":2,"string":"ll","captures":[]}"#],
        ),
        (
            "capture(\"(?<y>[0-9]{4})-(?<m>[0-9]{2})\")",
            r#""on 2026-11-15""#,
            &[r#"{"y":"2026","m":"11"}"#],
        ),
        (
            "[scan(\"b.\")],[scan(\"(a)(b)\")],[splits(\" \")]",
            r#""abc abc""#,
            &[
                r#"["bc","bc"]"#,
                r#"[["a","b"],["a","b"]]"#,
                r#"["abc","abc"]"#,
            ],
        ),
        (
            "test(\"a(?=b)\"), test(\"(a)\\\\1\")",
            r#""aab""#,
            &["true", "true"],
        ),
        (
            "fromdate, (fromdate|todate), strptime(\"%Y-%m-%dT%H:%M:%SZ\")",
            r#""2015-03-05T23:51:47Z""#,
            &[
                "1425599507",
                r#""2015-03-05T23:51:47Z""#,
                "[2015,2,5,23,51,47,4,63]",
            ],
        ),
        (
            "strftime(\"%A, %B %d, %Y\"), gmtime, (gmtime|mktime)",
            "1425599621",
            &[
                r#""Thursday, March 05, 2015""#,
                "[2015,2,5,23,53,41,4,63]",
                "1425599621",
            ],
        ),
        (
            "try error(\"x\") catch ., (try error({a:1}) catch .a), (.a? // \"d\")",
            "1",
            &[r#""x""#, "1", r#""d""#],
        ),
        (
            "$ENV.HOME, env.HOME, $__loc__.line",
            "null",
            &[r#""/home/me""#, r#""/home/me""#, "1"],
        ),
        (
            "def f(x): x*2; def g($a; $b): $a+$b; f(3), g(1;2), if . then 1 end",
            "null",
            &["6", "3", "null"],
        ),
        ("input, [inputs]", "1 2 3 4", &["2", "[3,4]"]),
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
fn files_are_read_one_after_the_other() {
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
fn nothing_in_an_input_or_a_program_makes_it_panic() {
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

#[test]
fn a_value_is_answered_before_the_next_one_comes() {
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
