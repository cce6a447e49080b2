//! Messages keep their bytes, whatever their contents and however many proxies they pass.

use crate::setup::{Passing, id, passing};

/// Contents that other conductors change, lose or refuse.
const SAMPLES: [&str; 12] = [
    r#"{"n":123456789012345678901234567890,"m":-123456789012345678901234567890}"#,
    r#"{"n":18446744073709551616,"m":9223372036854775808,"k":-9223372036854775809}"#,
    r#"{"n":1.10,"m":1E5,"k":-0,"j":0.0,"i":1e+05}"#,
    r#"{"n":0.1000000000000000055511151231257827}"#,
    r#"{"a":1,"a":2,"b":{"a":1,"a":1},"a":3}"#,
    r#"{"s":"\ud800","t":"\uDBFF x","u":"\u0041\/\u0000\u2028"}"#,
    r#"{"n":1e400,"m":-1E-4000}"#,
    r#"{"z":1,"y":{"b":1,"a":[]},"x":null,"_meta":{"traceparent":"00-1"}}"#,
    r#"{ "spaced" : [ 1 ,2 ] , "é":"é" }"#,
    r#"[1,[2.0],{"b":1,"a":2},"proxy/successor"]"#,
    "[]",
    "{}",
];

/// Results may be any JSON value.
const SCALARS: [&str; 6] = ["null", "1E5", r#""\ud800""#, "false", "[1.0]", "-0"];

/// Ids that are not small integers.
const IDS: [&str; 9] = [
    "1.5",
    "9223372036854775808",
    "18446744073709551616",
    "null",
    r#""\u0041\/é""#,
    r#""""#,
    "-0",
    "1e2",
    r#""7""#,
];

const CHAINS: [&[&str]; 10] = [
    &[],
    &["D5"],
    &["D5"; 2],
    &["D5"; 3],
    &["D5"; 4],
    &["D5"; 5],
    &["D0"],
    &["D1"],
    &["D2"],
    &["D0", "D1", "D2", "D5", "D4"],
];

/// Requests of the editor, with each unusual id once.
fn down_and_back(chain: &Passing, results: &[&str]) {
    for (number, result) in results.iter().enumerate() {
        let asked = SAMPLES[number % SAMPLES.len()];
        let their = IDS[number % IDS.len()];
        chain.editor.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{their},"method":"_x\u002fy","params":{asked}}}"#
        ));
        let heard = chain.agent.next();
        assert_eq!(heard.params.as_deref(), Some(asked));
        assert!(heard.text.contains(r#""_x\u002fy""#), "{}", heard.text);
        let here = id(&heard);
        chain.agent.say(&format!(
            r#"{{"jsonrpc":"2.0","id":{here},"result":{result}}}"#
        ));
        assert_eq!(
            chain.editor.line(),
            format!(r#"{{"jsonrpc":"2.0","id":{their},"result":{result}}}"#)
        );
    }
}

/// Requests of the agent.
fn up_and_back(chain: &Passing, results: &[&str]) {
    for (number, result) in results.iter().enumerate() {
        let asked = SAMPLES[number % SAMPLES.len()];
        let their = IDS[number % IDS.len()];
        chain.agent.say(&format!(
            r#"{{"jsonrpc":"2.0","id":{their},"method":"_x\u002fy","params":{asked}}}"#
        ));
        let heard = chain
            .editor
            .find("the question", |message| message.is_request());
        assert_eq!(heard.params.as_deref(), Some(asked));
        assert!(heard.text.contains(r#""_x\u002fy""#), "{}", heard.text);
        let here = id(&heard);
        chain.editor.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{here},"result":{result}}}"#
        ));
        assert_eq!(
            chain.agent.line(),
            format!(r#"{{"jsonrpc":"2.0","id":{their},"result":{result}}}"#)
        );
    }
}

#[test]
fn requests_and_results_keep_their_bytes_in_both_directions_through_all_chains() {
    for dialects in CHAINS {
        let chain = passing(dialects);
        down_and_back(&chain, &[&SAMPLES[..], &SCALARS[..]].concat());
        up_and_back(&chain, &[&SAMPLES[..], &SCALARS[..]].concat());
        chain.end();
    }
}

#[test]
fn notifications_keep_their_bytes_in_both_directions_through_all_chains() {
    for dialects in CHAINS {
        let chain = passing(dialects);
        for params in SAMPLES {
            let line = format!(r#"{{"jsonrpc":"2.0","method":"_\u006eote","params":{params}}}"#);
            chain.editor.send(&line);
            assert_eq!(chain.agent.line(), line);
            chain.agent.say(&line);
            assert_eq!(chain.editor.line(), line);
        }
        let bare = r#"{"jsonrpc":"2.0","method":"_bare"}"#;
        chain.editor.send(bare);
        assert_eq!(chain.agent.line(), bare);
        chain.agent.say(bare);
        assert_eq!(chain.editor.line(), bare);
        chain.end();
    }
}

#[test]
fn errors_keep_their_bytes_through_all_chains() {
    let error = r#"{"data":{"n":1.10,"n":1e400},"message":"\ud800","code":-31999,"extra":[1E5]}"#;
    for dialects in CHAINS {
        let chain = passing(dialects);
        chain
            .editor
            .send(r#"{"jsonrpc":"2.0","id":"\u0061","method":"_fail"}"#);
        let here = chain.agent.next();
        let here = id(&here);
        chain.agent.say(&format!(
            r#"{{"jsonrpc":"2.0","id":{here},"error":{error}}}"#
        ));
        assert_eq!(
            chain.editor.line(),
            format!(r#"{{"jsonrpc":"2.0","id":"\u0061","error":{error}}}"#)
        );
        chain.end();
    }
}

#[test]
fn without_a_proxy_nothing_but_the_id_of_a_line_changes() {
    let chain = passing(&[]);
    chain
        .editor
        .send(r#"{ "vendor":1.0 , "params" : null,"id":  "x" , "method":"_a","jsonrpc":"2.0" }"#);
    let line = chain.agent.line();
    let here = line.split("\"id\":  ").nth(1).unwrap();
    let here = here.split(' ').next().unwrap();
    assert_eq!(
        line,
        format!(
            r#"{{ "vendor":1.0 , "params" : null,"id":  {here} , "method":"_a","jsonrpc":"2.0" }}"#
        )
    );
    // Older SDKs write the result first.
    chain.agent.say(&format!(
        r#"{{"result":{{"a":1,"a":2}},"jsonrpc":"2.0","id":{here} ,"x":[]}}"#
    ));
    assert_eq!(
        chain.editor.line(),
        r#"{"result":{"a":1,"a":2},"jsonrpc":"2.0","id":"x" ,"x":[]}"#
    );
    chain.end();
}

#[test]
fn the_order_of_members_is_kept() {
    let chain = passing(&["D5", "D2", "D1"]);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":4,"method":"_a"}"#);
    let here = chain.agent.next();
    let here = id(&here);
    chain
        .agent
        .say(&format!(r#"{{"result":1.10,"id":{here},"jsonrpc":"2.0"}}"#));
    assert_eq!(
        chain.editor.line(),
        r#"{"result":1.10,"id":4,"jsonrpc":"2.0"}"#
    );
    chain.end();
}

#[test]
fn blank_lines_and_crlf_line_ends_are_accepted() {
    let chain = passing(&["D5"]);
    chain
        .editor
        .send_bytes(b"\r\n\n{\"jsonrpc\":\"2.0\",\"method\":\"_a\",\"params\":[1]}\r\n\r\n");
    assert_eq!(
        chain.agent.line(),
        r#"{"jsonrpc":"2.0","method":"_a","params":[1]}"#
    );
    chain.end();
}

#[test]
fn two_megabytes_in_one_line_are_one_message() {
    let chain = passing(&["D5", "D2"]);
    let params = format!(r#"{{"blob":"{}","n":1.10}}"#, "é".repeat(1 << 20));
    let line = format!(r#"{{"jsonrpc":"2.0","method":"_blob","params":{params}}}"#);
    chain.editor.send(&line);
    assert!(chain.agent.line() == line, "it has changed on its way down");
    chain.agent.say(&line);
    assert!(chain.editor.line() == line, "it has changed on its way up");
    chain.end();
}

#[test]
fn unknown_methods_and_members_pass_unchanged() {
    let chain = passing(&["D5"]);
    let line = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"from_the_future","x":1.0}}}"#;
    chain.agent.say(line);
    assert_eq!(chain.editor.line(), line);
    chain.end();
}
