//! The Python and Node SDKs, for tools that run once per call.

use crate::channel::{Ended, Tool};
use serde_json::{Value, json};

fn python(script: &str, args: &str) -> Tool {
    let script = format!(
        "import os, sys\nsys.path.insert(0, os.environ['MCP_SDK'])\nimport mcptool\n{script}"
    );
    Tool::start(&["python3", "-B", "-c", &script], args, &[])
}

fn node(script: &str, args: &str) -> Tool {
    let script =
        format!("const mcp = await import(process.env.MCP_SDK + '/mcptool.mjs');\n{script}");
    Tool::start(&["node", "--input-type=module", "-e", &script], args, &[])
}

fn both(in_python: &str, in_node: &str, args: &str) -> [Tool; 2] {
    [python(in_python, args), node(in_node, args)]
}

#[test]
fn the_return_value_is_the_result() {
    let cases: [(&str, &str, Value); 7] = [
        (
            "lambda a: 'Hé ' + a['name']",
            "(a) => 'Hé ' + a.name",
            json!("Hé Ann"),
        ),
        (
            "lambda a: '{\"x\":1}'",
            "(a) => '{\"x\":1}'",
            json!({"content": [{"type": "text", "text": "{\"x\":1}"}]}),
        ),
        ("lambda a: {'n': 1}", "(a) => ({ n: 1 })", json!({"n": 1})),
        (
            "lambda a: mcptool.image(b'PNG')",
            "(a) => mcp.image(Buffer.from('PNG'))",
            json!({"content": [{"type": "image", "data": "UE5H", "mimeType": "image/png"}]}),
        ),
        (
            "lambda a: mcptool.resource_link('n://a', 'A')",
            "(a) => mcp.resourceLink('n://a', 'A')",
            json!({"content": [{"type": "resource_link", "uri": "n://a", "name": "A"}]}),
        ),
        (
            "lambda a: mcptool.result('t', mcptool.text('u'), structured={'n': 1}, error=True)",
            "(a) => mcp.result(['t', mcp.text('u')], { structured: { n: 1 }, error: true })",
            json!({"content": [{"type": "text", "text": "t"}, {"type": "text", "text": "u"}], "isError": true, "structuredContent": {"n": 1}}),
        ),
        (
            "lambda a: mcptool.result(structured={'n': 1})",
            "(a) => mcp.result([], { structured: { n: 1 } })",
            json!({"content": [{"type": "text", "text": "{\"n\": 1}"}], "isError": false, "structuredContent": {"n": 1}}),
        ),
    ];
    for (in_python, in_node, expected) in cases {
        for tool in both(
            &format!("mcptool.run({in_python})"),
            &format!("await mcp.run({in_node})"),
            r#"{"name":"Ann"}"#,
        ) {
            let Ended { out, err, code, .. } = tool.end();
            assert_eq!(code, 0, "{in_python}: {err}");
            let got = serde_json::from_str(&out).unwrap_or(json!(out));
            let normal = |v: &Value| v.to_string().replace("\\\"n\\\": 1", "\\\"n\\\":1");
            assert_eq!(
                sorted(&normal(&got)),
                sorted(&normal(&expected)),
                "{in_python}"
            );
        }
    }
}

/// A value independent of the order of its members.
fn sorted(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn a_failure_is_reported_on_stderr() {
    for tool in both(
        "mcptool.run(lambda a: mcptool.fail('no good', {'x': 1}))",
        "await mcp.run(() => mcp.fail('no good', { x: 1 }))",
        "{}",
    ) {
        let ended = tool.end();
        assert_eq!((ended.code, ended.out.as_str()), (1, ""));
        assert_eq!(ended.err.lines().next(), Some("no good"), "{}", ended.err);
    }
    for tool in both(
        "mcptool.run(lambda a: a['missing'])",
        "await mcp.run((a) => a.missing.x)",
        "{}",
    ) {
        let ended = tool.end();
        assert_eq!(ended.code, 1);
        assert!(ended.err.contains("Error"), "{}", ended.err);
    }
}

#[test]
fn progress_and_log_go_over_the_channel() {
    for tool in both(
        "mcptool.progress(1, 2, 'half'); mcptool.log('warning', {'rows': 3}, 'db'); mcptool.log('odd', 'x'); mcptool.updated('n://a'); mcptool.changed('tools')",
        "mcp.progress(1, 2, 'half'); mcp.log('warning', { rows: 3 }, 'db'); mcp.log('odd', 'x'); mcp.updated('n://a'); mcp.changed('tools')",
        "{}",
    ) {
        let ended = tool.end();
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert_eq!(
            ended.said,
            [
                json!({"method": "progress", "params": {"progress": 1, "total": 2, "message": "half"}}),
                json!({"method": "log", "params": {"level": "warning", "logger": "db", "data": {"rows": 3}}}),
                json!({"method": "log", "params": {"level": "info", "data": "x"}}),
                json!({"method": "updated", "params": {"uri": "n://a"}}),
                json!({"method": "changed", "params": {"what": "tools"}}),
            ]
        );
    }
}

#[test]
fn questions_are_answered_in_turn() {
    let tools = both(
        "print(mcptool.confirm('Sure?'), mcptool.choose('Which?', {'a': 'A'}), mcptool.sample_text('hi', 9), mcptool.roots(), mcptool.can('roots'))",
        "console.log(await mcp.confirm('Sure?'), await mcp.choose('Which?', { a: 'A' }), await mcp.sampleText('hi', { maxTokens: 9 }), JSON.stringify(await mcp.roots()), mcp.can('roots'))",
        "{}",
    );
    for (mut tool, expected) in tools.into_iter().zip([
        "True None yo [{'uri': 'file:///r'}] True\n",
        "true null yo [{\"uri\":\"file:///r\"}] true\n",
    ]) {
        let question = tool.hear();
        assert_eq!(
            question["params"]["schema"]["required"],
            json!(["confirmed"])
        );
        tool.say(&json!({"id": question["id"], "result": {"action": "accept", "content": {"confirmed": true}}}));
        let question = tool.hear();
        assert_eq!(
            question["params"]["schema"]["properties"]["choice"]["oneOf"],
            json!([{"const": "a", "title": "A"}])
        );
        tool.say(&json!({"id": question["id"], "result": {"action": "decline"}}));
        let question = tool.hear();
        assert_eq!(
            (&question["method"], &question["params"]["maxTokens"]),
            (&json!("sample"), &json!(9))
        );
        tool.say(&json!({"id": question["id"], "result": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "yo"}}}));
        let question = tool.hear();
        assert_eq!(question["method"], "roots");
        tool.say(&json!({"id": question["id"], "result": {"roots": [{"uri": "file:///r"}]}}));
        let ended = tool.end();
        assert_eq!(
            (ended.out.as_str(), ended.code),
            (expected, 0),
            "{}",
            ended.err
        );
    }
}

#[test]
fn a_refused_question_has_its_own_error_type() {
    let tools = both(
        "try:\n    mcptool.sample('x')\nexcept mcptool.Refused as e:\n    print(e)",
        "try { await mcp.sample('x') } catch (e) { console.log(e instanceof mcp.Refused ? e.message : e) }",
        "{}",
    );
    for mut tool in tools {
        let question = tool.hear();
        tool.say(&json!({"id": question["id"], "error": {"code": -1, "message": "no model"}}));
        assert_eq!(tool.end().out, "no model\n");
    }
}
