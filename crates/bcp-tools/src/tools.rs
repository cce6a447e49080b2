//! The tools of the BCP server, as listed to clients.

/// The array for `tools/list`, on one line for stdio.
pub const TOOLS: &str = concat!(
    r#"[{"name":"read_bcp_file","#,
    r#""description":"Read and decode a .bcp (Bit Context Protocol) file, returning the rendered "#,
    r#"content as model-ready text. Supports XML, Markdown, and Minimal output modes.","#,
    r#""inputSchema":{"type":"object","properties":{"#,
    r#""path":{"type":"string","description":"Absolute path to the .bcp file"},"#,
    r#""mode":{"type":"string","description":"Output render mode","#,
    r#""enum":["xml","markdown","minimal"],"default":"xml"},"#,
    r#""budget":{"type":"number","description":"Optional token budget. When set, low-priority "#,
    r#"blocks are summarized to fit within the budget."}},"#,
    r#""required":["path"]}},"#,
    r#"{"name":"inspect_bcp_file","#,
    r#""description":"Inspect a .bcp file and return a summary of its blocks, sizes, and structure "#,
    r#"without rendering the full content.","#,
    r#""inputSchema":{"type":"object","properties":{"#,
    r#""path":{"type":"string","description":"Absolute path to the .bcp file"}},"#,
    r#""required":["path"]}},"#,
    r#"{"name":"encode_bcp_file","#,
    r#""description":"Encode a JSON manifest into a .bcp file. The manifest describes blocks to "#,
    r#"include (code, conversation, tool results, etc.).","#,
    r#""inputSchema":{"type":"object","properties":{"#,
    r#""manifest_path":{"type":"string","description":"Absolute path to the JSON manifest file"},"#,
    r#""output_path":{"type":"string","description":"Absolute path for the output .bcp file"},"#,
    r#""compress":{"type":"boolean","description":"Enable per-block zstd compression","#,
    r#""default":false}},"#,
    r#""required":["manifest_path","output_path"]}}]"#,
);

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Json;

    #[test]
    fn the_tools_are_json_on_one_line() {
        assert_eq!(Json::parse(TOOLS).unwrap().elements().count(), 3);
        assert!(!TOOLS.contains('\n'));
    }
}
