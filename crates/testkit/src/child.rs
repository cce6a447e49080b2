//! Constants of the scripted child, for comparison in tests.

/// The members of the result of its tool `fidelity`, which must be forwarded unchanged.
pub const FIDELITY: &str = r#""content":[{"type":"text","text":"\u26f4 \ud83d\udea2 \"\/\u0000\u2028","vendorField":{"b":1,"a":2}},{"type":"hologram","pixels":[0.10,1e2]}],"structuredContent":{"big":12345678901234567890,"z":1.0,"a":-0},"futureField":[null,{"deep":[[]]}],"_meta":{"vendor/trace":"t-1"}"#;

/// The error of its tool `fail`.
pub const FAILURE: &str = r#"{"code":-31999,"message":"the crane is stuck","data":{"crane":4,"since":12345678901234567890,"parts":[{"b":0.10,"a":null}]}}"#;

/// Its capabilities, in either era.
pub const CAPABILITIES: &str = r#"{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{},"experimental":{"vendor/quay":{"depth":18446744073709551616}}}"#;

/// Its name and version.
pub const INFO: &str = r#"{"name":"linkspan-child","title":"The child","version":"1.2.3","websiteUrl":"http://quay.example","vendorField":[1]}"#;

/// The members of its `tools/list`.
pub const TOOLS: &str = r#""tools":[{"name":"echo","description":"gives back","inputSchema":{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"q":{"$anchor":"q","type":"string"}},"additionalProperties":true}},{"name":"routed","description":"has a parameter header","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]"#;

/// The result of its `initialize`.
pub fn initialize_result(version: &str) -> String {
    format!(
        r#"{{"protocolVersion":"{version}","capabilities":{CAPABILITIES},"serverInfo":{INFO},"instructions":"Mind the gap.","vendorField":"kept"}}"#
    )
}
