//! Whatever a document says, its tools are valid, and no call leaves the path or the origin of its server. The input is
//! a document, a line, and the arguments of calls.
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use linkspan_openapi::{Api, ReadOptions};
use linkspan_wire::{Json, JsonKind};

fuzz_target!(|input: &str| {
    let (document, arguments) = input.rsplit_once('\n').unwrap_or((input, "{}"));
    let options = ReadOptions {
        base_url: "https://example.com/v1/".parse().ok(),
        output_schemas: true,
        ..ReadOptions::default()
    };
    let Ok(api) = Api::read(document, &options) else {
        return;
    };
    let tools = api.tools();
    Json::parse(&tools).expect("the list of tools is JSON");
    let mut names = HashSet::new();
    for operation in api.operations() {
        assert!((1..=64).contains(&operation.name().len()));
        assert!(names.insert(operation.name()));
        let Ok(arguments) = Json::parse(arguments) else {
            continue;
        };
        if arguments.kind() != JsonKind::Object {
            continue;
        }
        if let Ok(request) = api.request(operation, arguments) {
            assert_eq!(request.url.origin(), api.base_url().origin());
            assert!(request.url.path().starts_with("/v1"));
        }
    }
});
