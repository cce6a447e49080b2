//! Encoding and decoding of logs.

mod properties;

use super::*;
use crate::shrinking::check;

fn short(text: &str, level: Level) -> String {
    let context = Context {
        level,
        ..Context::default()
    };
    check(text, Kind::Log, &context).unwrap();
    let rendered = encode(text, Kind::Log, &context);
    let rendered = rendered.first().expect("a short form");
    format!("%log {}\n{}", rendered.head, rendered.body)
}

#[test]
fn the_common_parts_of_lines_become_templates() {
    let log = "\
2025-11-02T10:11:12.123Z INFO [worker-3] GET /api/x 200 12ms
2025-11-02T10:11:12.200Z INFO [worker-1] GET /api/y 200 7ms
2025-11-02T10:11:13.001Z WARN [db] slow query took 840ms
2025-11-02T10:11:13.001Z INFO [worker-2] GET /api/x 404 3ms
2025-11-02T10:12:01.500Z WARN [db] slow query took 912ms
2025-11-02T10:12:02.000Z INFO [worker-2] GET /api/z 200 31ms
2025-11-02T10:12:04.000Z WARN [db] slow query took 1912ms
out of memory";
    let expected = "\
%log {} = field; line: time, template, fields; @ begins the times below; indented = as is
time=2025-11-02T10:{}Z
A= INFO [worker-{}] GET /api/{} {} {}ms
B= WARN [db] slow query took {}ms

@11:
12.123 A3,x,200,12
12.200 A1,y,200,7
13.001 B840
A2,x,404,3
@12:
01.500 B912
02.000 A2,z,200,31
04.000 B1912
 out of memory";
    assert_eq!(short(log, Level::Balanced), expected);
}

#[test]
fn a_common_prefix_and_repeated_lines_are_written_once() {
    let log = "\
2025-11-02 10:11:12 waiting
2025-11-02 10:11:12 waiting
2025-11-02 10:11:12 waiting
2025-11-02 10:11:13 done

2025-11-02 10:11:14 bye
2025-11-02 10:11:15 bye";
    let expected = "\
%log {} = field; line: template, fields; ×n = n times
=2025-11-02 10:11:{}

 12 waiting
×3
 13 done

 14 bye
 15 bye";
    assert_eq!(short(log, Level::Safe), expected);
}

#[test]
fn the_fields_of_an_access_log_are_separated() {
    let log = r#"
10.0.0.17 - - [02/Nov/2025:10:11:12 +0000] "GET /api/users/7 HTTP/1.1" 200 512 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0"
10.0.0.17 - - [02/Nov/2025:10:11:12 +0000] "GET /api/users/8 HTTP/1.1" 404 12 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0"
10.0.0.9 - - [02/Nov/2025:10:11:14 +0000] "GET /api/users/7/cart HTTP/1.1" 200 90 "-" "curl/8.5.0"
10.0.0.17 - - [02/Nov/2025:10:11:15 +0000] "GET /api/users/12 HTTP/1.1" 200 511 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0"
10.0.0.9 - - [02/Nov/2025:10:11:20 +0000] "GET /api/users/8 HTTP/1.1" 200 44 "-" "curl/8.5.0"
10.0.0.30 - - [02/Nov/2025:10:11:21 +0000] "POST /api/login HTTP/1.1" 302 0 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0""#;
    let expected = r#"
%log {} = field; line: time, template, fields
time=02/Nov/2025:10:11:{}
A=10.0.0.{} - - [{time} +0000] "{} /api/{} HTTP/1.1" {} {} "-" "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0"
B=10.0.0.9 - - [{time} +0000] "GET /api/users/{} HTTP/1.1" 200 {} "-" "curl/8.5.0"

12 A17,GET,users/7,200,512
A17,GET,users/8,404,12
14 B7/cart,90
15 A17,GET,users/12,200,511
20 B8,44
21 A30,POST,login,302,0"#;
    assert_eq!(short(&log[1..], Level::Max), expected[1..]);
}

#[test]
fn a_repeated_long_value_gets_a_number() {
    let log = r#"
ts=2025-11-02T10:11:12Z level=info msg="request started" id=550e8400-e29b-41d4-a716-446655440000 user=ann
ts=2025-11-02T10:11:12Z level=info msg="request finished" id=550e8400-e29b-41d4-a716-446655440000 took=12ms
ts=2025-11-02T10:11:13Z level=info msg="request started" id=6ba7b810-9dad-11d1-80b4-00c04fd430c8 user=bob
ts=2025-11-02T10:11:14Z level=info msg="request started" id=7c9e6679-7425-40de-944b-e07fc1f90ae7 user=ann
ts=2025-11-02T10:11:14Z level=info msg="request finished" id=6ba7b810-9dad-11d1-80b4-00c04fd430c8 took=904ms
ts=2025-11-02T10:11:15Z level=info msg="request finished" id=7c9e6679-7425-40de-944b-e07fc1f90ae7 took=3ms"#;
    let expected = r#"
%log {} = field; line: time, template, fields; $n = value named earlier
time=ts=2025-11-02T10:11:{}Z level=info msg="request
A= started" id={} user={}
B= finished" id={} took={}ms

12 A$1=550e8400-e29b-41d4-a716-446655440000,ann
B$1,12
13 A$2=6ba7b810-9dad-11d1-80b4-00c04fd430c8,bob
14 A$3=7c9e6679-7425-40de-944b-e07fc1f90ae7,ann
B$2,904
15 B$3,3"#;
    assert_eq!(short(&log[1..], Level::Max), expected[1..]);
}

#[test]
fn lines_in_a_fixed_sequence_share_a_template() {
    let log = r#"
10:11:12 ERROR payment 17 declined
java.lang.IllegalStateException: gateway said no
	at com.example.Gateway.charge(Gateway.java:77)

10:11:13 INFO payment 18 accepted
10:11:14 INFO payment 19 accepted
10:11:15 ERROR payment 20 declined
java.lang.IllegalStateException: gateway said no
	at com.example.Gateway.charge(Gateway.java:77)

10:11:19 INFO payment 21 accepted
10:11:20 ERROR payment 22 declined
java.lang.IllegalStateException: gateway said no
	at com.example.Gateway.charge(Gateway.java:77)
"#;
    let expected = r#"
%log {} = field; line: time, template, fields
time=10:11:{}
A= ERROR payment {} declined
 java.lang.IllegalStateException: gateway said no
 	at com.example.Gateway.charge(Gateway.java:77)
B= INFO payment {} accepted

12 A17

13 B18
14 B19
15 A20

19 B21
20 A22
"#;
    assert_eq!(short(&log[1..], Level::Max), expected[1..]);
}

#[test]
fn padding_of_aligned_columns_is_not_written() {
    let names = [
        "login",
        "logout",
        "refresh_token",
        "reset",
        "sign_up",
        "profile_picture",
    ];
    let line = |(at, name): (usize, &&str)| {
        let test = format!("tests/test_api.py::test_{name} PASSED");
        format!("{test:<60} [ {:>2}%] {:>8} bytes", at * 9 + 5, at * 11_111)
    };
    let log: Vec<String> = names.iter().enumerate().map(line).collect();
    let expected = "\
%log {} = field; line: template, fields
=tests/test_api.py::test_{} PASSED {col61}[ {:>2}%] {:>8} bytes

 login,5,0
 logout,14,11111
 refresh_token,23,22222
 reset,32,33333
 sign_up,41,44444
 profile_picture,50,55555";
    assert_eq!(short(&log.join("\n"), Level::Max), expected);
}

#[test]
fn lines_that_imitate_the_short_form_are_restored() {
    let lines = [
        "done {} of {time} in 12 ms",
        "done {} of {time} in 13 ms",
        "done {} of {time} in 17 ms",
        "@10:11:",
        "×3",
        "|bar",
        "a=b",
        "A 1,2",
        "$1=x",
        "%log {} = field",
        "",
        " indented",
    ];
    let log = lines.repeat(3).join("\n");
    assert!(short(&log, Level::Max).starts_with("%log <> = field"));
}

#[test]
fn prose_and_code_have_no_short_form() {
    for text in [
        include_str!("write.rs"),
        include_str!("../../../../ARCHITECTURE.md"),
    ] {
        let context = Context::default();
        let rendered = encode(text, Kind::Log, &context);
        let after = rendered.first().map_or(0, |one| context.tokens(&one.body));
        assert!(
            after == 0 || after * 10 > context.tokens(text) * 9,
            "{after}"
        );
    }
}

#[test]
fn a_cancelled_call_returns_nothing() {
    let log = "2025-11-02 10:11:12 waiting for 12\n".repeat(50);
    let context = Context::default();
    context.stop.set();
    assert_eq!(encode(&log, Kind::Log, &context), []);
}

#[test]
fn a_modified_short_form_is_malformed() {
    let read = |body: &str| {
        read("{} = field; line: time, template, fields", body).map_err(|wrong| wrong.to_string())
    };
    let legend = "time=10:{}\nA= took {} of {}\na=x\n";
    let line = |line: &str| read(&format!("{legend}\n{line}"));
    assert_eq!(line("11:12 A1,2").unwrap(), "10:11:12 took 1 of 2");
    for (text, why) in [
        ("11:12 A1", "line 5: too few fields"),
        ("11:12 B1,2", "line 5: an unknown template"),
        ("A1,2", "line 5: no timestamp"),
        ("a,1", "line 5: more fields than the template has"),
        ("11:12 A$1,2", "line 5: an undefined name"),
        ("×2", "line 5: nothing to repeat"),
        (
            "a\n×99999999999",
            "line 6: the decoded text would exceed the size limit",
        ),
        ("a\n×0", "line 6: a repetition of zero lines"),
        ("11:12 A\"1,2", "line 5: an unterminated string"),
        ("~", "line 5: no template"),
    ] {
        assert_eq!(line(text).unwrap_err(), why, "{text}");
    }
    assert_eq!(read("a=x").unwrap_err(), "line 1: an unterminated legend");
}
