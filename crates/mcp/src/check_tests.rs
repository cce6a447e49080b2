//! Tests of `check.rs`.

use super::*;
use linkspan_wire::Id;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn request(method: &str, params: &str) -> Message {
    Message::request(&Id::number(1), method, Some(params))
}

fn enveloped(method: &str) -> Message {
    request(method, &format!("{{{META}}}"))
}

fn call(arguments: &str) -> Message {
    let params = format!(r#"{{"name":"q","arguments":{arguments},{META}}}"#);
    request("tools/call", &params)
}

fn headers<'a>(list: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Given<'a> + 'a {
    move |name| match list.iter().find(|(n, _)| *n == name) {
        Some((_, value)) => Given::Text(value),
        None => Given::Nothing,
    }
}

fn code(result: Result<(), RpcError>) -> Option<i64> {
    result.err().map(|error| error.code())
}

const VERSION: (&str, &str) = (PROTOCOL_VERSION, "2026-07-28");

#[test]
fn the_body_decides_the_era_and_the_header_may_not_contradict_it() {
    let modern = Given::Text("2026-07-28");
    let old = Given::Text("2025-11-25");
    let list = request("tools/list", "{}");
    let opening = request("initialize", r#"{"protocolVersion":"2025-11-25"}"#);
    let era = |message: &Message, header| era_of_post(message, header).map_err(|e| e.code());

    assert_eq!(
        era(&enveloped("tools/list"), Given::Nothing),
        Ok(Era::Modern)
    );
    assert_eq!(era(&enveloped("initialize"), modern), Ok(Era::Modern));
    assert_eq!(era(&list, Given::Nothing), Ok(Era::Legacy));
    assert_eq!(era(&list, old), Ok(Era::Legacy));
    assert_eq!(era(&list, modern), Err(-32602));
    assert_eq!(era(&opening, old), Ok(Era::Legacy));
    assert_eq!(era(&opening, modern), Err(-32020));
    assert_eq!(
        era(&Message::result(&Id::number(1), "{}"), modern),
        Ok(Era::Legacy)
    );
    let note = Message::notification("notifications/x", None);
    assert_eq!(era(&note, modern), Ok(Era::Modern));
    assert_eq!(era(&note, old), Ok(Era::Legacy));
}

#[test]
fn a_version_mismatch_is_reported_before_an_unsupported_version() {
    let odd = META.replace("2026-07-28", "v999");
    let odd = request("tools/list", &format!("{{{odd}}}"));
    let with = |version| code(check_modern(&odd, headers(&[(PROTOCOL_VERSION, version)])));
    assert_eq!(with("2026-07-28"), Some(-32020));
    assert_eq!(with("v999"), Some(-32022));
    let bare = request(
        "tools/list",
        &format!("{{{}}}", META.replace("clientCapabilities", "x")),
    );
    assert_eq!(code(check_modern(&bare, headers(&[VERSION]))), Some(-32602));
}

#[test]
fn the_method_is_repeated_letter_by_letter() {
    let check = |list: &[_]| code(check_modern(&enveloped("tools/list"), headers(list)));
    assert_eq!(check(&[VERSION, (METHOD, "tools/list")]), None);
    assert_eq!(check(&[VERSION, (METHOD, "TOOLS/LIST")]), Some(-32020));
    assert_eq!(check(&[VERSION]), Some(-32020));
    assert_eq!(check(&[(METHOD, "tools/list")]), Some(-32020));
}

#[test]
fn the_name_is_repeated_plain_or_encoded() {
    let check = |name: &str| {
        let list = [VERSION, (METHOD, "tools/call"), (NAME, name)];
        code(check_modern(&call("{}"), headers(&list)))
    };
    assert_eq!(check("q"), None);
    assert_eq!(check("=?base64?cQ==?="), None);
    assert_eq!(check("=?base64?cQ?="), Some(-32020));
    assert_eq!(check("r"), Some(-32020));
    let without = [VERSION, (METHOD, "tools/call")];
    assert_eq!(
        code(check_modern(&call("{}"), headers(&without))),
        Some(-32020)
    );
}

#[test]
fn annotated_arguments_and_their_headers_agree() {
    let mut learnt = ParamHeaders::default();
    let list = r#"{"tools":[{"name":"q","inputSchema":{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "n":{"type":"integer","x-mcp-header":"N"},
        "on":{"type":"boolean","x-mcp-header":"On"}}}}]}"#;
    learnt.learn(Json::parse(list).unwrap());
    let check = |arguments: &str, list: &[_]| code(learnt.check(&call(arguments), headers(list)));
    let region = |value| [("mcp-param-region", value)];
    let number = |value| [("mcp-param-n", value)];

    assert_eq!(
        check(r#"{"region":"Hello"}"#, &region("=?base64?SGVsbG8=?=")),
        None
    );
    assert_eq!(
        check(r#"{"region":"Hello"}"#, &region("=?base64?SGVsbG8?=")),
        Some(-32020)
    );
    assert_eq!(check(r#"{"region":"SGVsbG8="}"#, &region("SGVsbG8=")), None);
    assert_eq!(
        check(r#"{"region":"=?base64?x"}"#, &region("=?base64?x")),
        None
    );
    assert_eq!(check(r#"{"region":"Hello"}"#, &[]), Some(-32020));
    assert_eq!(check("{}", &region("Hello")), Some(-32020));
    assert_eq!(check(r#"{"region":null}"#, &[]), None);
    assert_eq!(check(r#"{"n":42}"#, &number("42.0")), None);
    assert_eq!(check(r#"{"n":42}"#, &number("43")), Some(-32020));
    assert_eq!(
        check(r#"{"n":9007199254740993}"#, &number("9007199254740992")),
        Some(-32020)
    );
    assert_eq!(check(r#"{"n":1}"#, &number("inf")), Some(-32020));
    assert_eq!(check(r#"{"on":true}"#, &[("mcp-param-on", "true")]), None);
    assert_eq!(check("{}", &[("mcp-param-other", "x")]), None);

    let plain = r#"{"tools":[{"name":"q","inputSchema":{"type":"object"}}]}"#;
    learnt.learn(Json::parse(plain).unwrap());
    assert!(learnt.is_empty(), "a tool may lose its annotations");
}
