use super::*;
use crate::level::tests::schemas;
use crate::own::answer;
use linkspan_gateway::{ListKind, ListReader};
use proptest::prelude::*;

const TOOLS: &str = r#"{"name":"read","description":"Reads a file. At once.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where"}},"required":["path"]},"outputSchema":{"x":1.0},"annotations":{"readOnlyHint":true}},{"name":"ping","inputSchema":{"type":"object"}}"#;

fn list_of(tools: &str, options: ToolListOptions) -> ToolList {
    let mut reader = ListReader::new(ListKind::Tools);
    let page = format!(r#"{{"tools":[{tools}]}}"#);
    reader.page(Json::parse(&page).unwrap()).unwrap();
    ToolList::new(reader.finish(), options, None)
}

fn chosen(choice: Choice) -> ToolListOptions {
    ToolListOptions {
        choice,
        ..ToolListOptions::default()
    }
}

fn names(shown: &[String]) -> Vec<String> {
    let name = |text: &String| {
        Json::parse(text)
            .unwrap()
            .get("name")
            .unwrap()
            .as_str()
            .unwrap()
            .into_owned()
    };
    shown.iter().map(name).collect()
}

#[test]
fn every_tool_stays_and_one_is_added() {
    let list = list_of(TOOLS, chosen(Choice::Thin));
    let shown = list.shown(None).unwrap();
    assert_eq!(names(&shown), ["read", "ping", "tool_details"]);
    assert_eq!(
        shown[0],
        r#"{"name":"read","description":"Reads a file.","inputSchema":{"type":"object"},"outputSchema":{"x":1.0},"annotations":{"readOnlyHint":true}}"#
    );
    assert_eq!(
        shown[1],
        r#"{"name":"ping","inputSchema":{"type":"object"}}"#
    );
}

proptest! {
    #[test]
    fn names_and_annotations_stay_whatever_the_schemas_are(
        schemas in prop::collection::vec(schemas(), 0..6), budget in 0..600u64,
    ) {
        let tool = |(at, schema): (usize, &serde_json::Value)| {
            format!(r#"{{"name":"t{at}","inputSchema":{schema},"annotations":{{"n": {at}.0}}}}"#)
        };
        let tools: Vec<String> = schemas.iter().enumerate().map(tool).collect();
        let before: usize = tools.iter().map(String::len).sum();
        for choice in [Choice::Brief, Choice::Thin, Choice::Auto] {
            let options = ToolListOptions { budget, ..chosen(choice) };
            let list = list_of(&tools.join(","), options);
            let Some(shown) = list.shown(None) else {
                continue;
            };
            let (shown, ours) = shown.split_at(tools.len());
            prop_assert_eq!(names(ours), ["tool_details"]);
            prop_assert_eq!(names(shown), names(&tools));
            prop_assert!(shown.iter().map(String::len).sum::<usize>() < before);
            for (at, tool) in shown.iter().enumerate() {
                let annotations = format!(r#""annotations":{{"n": {at}.0}}"#);
                prop_assert!(tool.contains(&annotations), "{}", tool);
            }
        }
    }
}

#[test]
fn a_list_within_the_budget_is_the_server_s_own() {
    assert_eq!(list_of(TOOLS, chosen(Choice::Auto)).shown(None), None);
}

#[test]
fn a_client_that_defers_definitions_gets_them_in_full() {
    let options = ToolListOptions {
        budget: 1,
        ..chosen(Choice::Auto)
    };
    let list = list_of(TOOLS, options);
    assert!(list.shown(Some("claude-ai")).is_some());
    assert_eq!(list.shown(Some("claude-code")), None);
    let thin = list_of(TOOLS, chosen(Choice::Thin));
    assert!(
        thin.shown(Some("claude-code")).is_some(),
        "an explicit choice"
    );
}

#[test]
fn output_schemas_are_left_out_on_request_only() {
    let options = ToolListOptions {
        drop_output_schema: true,
        ..ToolListOptions::default()
    };
    let shown = list_of(TOOLS, options).shown(None).unwrap();
    assert_eq!(names(&shown), ["read", "ping"]);
    assert!(shown[0].contains(r#""description":"Where""#) && !shown[0].contains("outputSchema"));
}

#[test]
fn a_tool_of_ours_gets_another_name_beside_one_of_the_server() {
    let tools = format!(r#"{TOOLS},{{"name":"tool_details"}}"#);
    let list = list_of(&tools, chosen(Choice::Thin));
    assert_eq!(list.own("tool_details"), None);
    assert_eq!(list.own("linkspan_tool_details"), Some(OwnTool::Details));
    assert_eq!(OwnTool::of("linkspan_tool_details"), Some(OwnTool::Details));
    assert_eq!(OwnTool::of("details"), None);
}

#[test]
fn details_are_text_or_the_schema_of_the_server() {
    let list = list_of(TOOLS, chosen(Choice::Thin));
    let ask = |arguments: &str| answer(&list, OwnTool::Details, Json::parse(arguments).ok());
    let (text, is_error) = ask(r#"{"names":["read","raed"]}"#);
    assert_eq!(
        text,
        "read\nReads a file. At once.\nArguments (* = required):\n- path* string: Where\n\nThere is no tool \"raed\"; the nearest name is read."
    );
    assert!(!is_error);
    let (text, _) = ask(r#"{"names":"read","format":"schema"}"#);
    assert_eq!(
        text,
        r#"{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where"}},"required":["path"]},"outputSchema":{"x":1.0}}"#
    );
    assert!(ask("{}").1 && ask(r#"{"names":["xyz"]}"#).1);
}

#[test]
fn a_search_hides_all_tools_and_finds_them() {
    let list = list_of(TOOLS, chosen(Choice::Search));
    let shown = list.shown(None).unwrap();
    assert_eq!(names(&shown), ["find_tools", "tool_details", "call_tool"]);
    assert!(shown[0].contains("Names: read, ping."), "{}", shown[0]);
    assert!(
        shown[2].contains(r#""readOnlyHint":false,"destructiveHint":true"#),
        "{}",
        shown[2]
    );
    let query = Json::parse(r#"{"query":"a file to read"}"#).ok();
    let (text, _) = answer(&list, OwnTool::Find, query);
    assert!(text.starts_with("read\nReads a file. At once.\n"), "{text}");
}

#[test]
fn the_names_of_too_many_hidden_tools_become_counts_per_server() {
    let tools: Vec<String> = (0..40)
        .map(|at| {
            format!(
                r#"{{"name":"{}__tool_{at}"}}"#,
                if at < 30 { "git" } else { "web" }
            )
        })
        .collect();
    let options = ToolListOptions {
        budget: 40,
        ..chosen(Choice::Search)
    };
    let shown = list_of(&tools.join(","), options).shown(None).unwrap();
    assert!(
        shown[0].contains("Servers: git (30), web (10)."),
        "{}",
        shown[0]
    );
}

#[test]
fn only_shortened_tools_are_judged() {
    let options = ToolListOptions {
        budget: 1,
        ..chosen(Choice::Auto)
    };
    assert!(list_of(TOOLS, options).judge("read").is_some());
    assert!(list_of(TOOLS, chosen(Choice::Auto)).judge("read").is_none());
    assert!(
        list_of(TOOLS, chosen(Choice::Thin))
            .judge("other")
            .is_none()
    );
}

#[test]
fn bytes_are_counted_while_a_list_is_kept() {
    let total = Arc::new(AtomicUsize::new(0));
    let first = Held::new(&total, 60, 100);
    assert!(first.is_some() && Held::new(&total, 60, 100).is_none());
    assert_eq!(
        total.load(Ordering::Relaxed),
        60,
        "what did not fit is not counted"
    );
    drop(first);
    assert!(Held::new(&total, 60, 100).is_some());
}
