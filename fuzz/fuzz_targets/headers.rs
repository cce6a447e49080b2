//! Nothing that stands in a body can break out of a header.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_mcp::{ParamHeaders, encode_value, mirror};
use linkspan_wire::{Json, Message, quote};

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    check(&encode_value(&text));
    if let Ok(message) = Message::parse(input.to_vec().into()) {
        mirrored(&message);
    }
    let (one, two) = text.split_once('\n').unwrap_or((&text, ""));
    for method in [
        "tools/call",
        "resources/read",
        "prompts/get",
        "tasks/get",
        two,
    ] {
        mirrored(&call(method, one, two));
    }
    annotated(one, two);
    if let (Ok(list), Ok(message)) = (Json::parse(one), Message::parse(two.to_owned().into())) {
        let mut headers = ParamHeaders::default();
        headers.learn(list);
        headers.headers(&message).iter().for_each(pair);
    }
});

fn mirrored(message: &Message) {
    for (name, value) in mirror(message) {
        pair(&(name.to_owned(), value));
    }
}

/// The tool `name` has one parameter `p`, whose header and value a peer chooses.
fn annotated(header: &str, value: &str) {
    let list = format!(
        r#"{{"tools":[{{"name":{0},"inputSchema":{{"properties":{{"p":{{"x-mcp-header":{0}}}}}}}}}]}}"#,
        quote(header)
    );
    let mut headers = ParamHeaders::default();
    headers.learn(Json::parse(&list).expect("quoted text is JSON"));
    let found = headers.headers(&call("tools/call", header, value));
    found.iter().for_each(pair);
}

fn call(method: &str, name: &str, value: &str) -> Message {
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":{},"params":{{"name":{name},"uri":{name},"taskId":{name},"arguments":{{"p":{value}}},"_meta":{{"io.modelcontextprotocol/protocolVersion":{value}}}}}}}"#,
        quote(method),
        name = quote(name),
        value = quote(value),
    );
    Message::parse(text.into()).expect("quoted text is JSON")
}

fn pair((name, value): &(String, String)) {
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    assert!(!name.is_empty() && name.bytes().all(token), "{name:?}");
    check(value);
}

fn check(value: &str) {
    let plain = value.bytes().all(|b| (0x20..=0x7e).contains(&b));
    assert!(plain && value.trim() == value, "{value:?}");
}
