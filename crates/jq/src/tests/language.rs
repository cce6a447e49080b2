//! Programs compared with the output of jq 1.7.

use super::*;

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
