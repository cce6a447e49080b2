use super::super::node::Format;
use super::check::here;
use super::*;

fn findings(yaml: &str, place: Places) -> Vec<(usize, String, Option<String>, bool)> {
    let node = Format::Yaml.parse(yaml).unwrap();
    let findings = check(node.map().unwrap(), place).into_iter();
    findings
        .map(|f| (f.line, f.text, f.hint, f.fatal))
        .collect()
}

#[test]
fn an_unknown_field_is_reported_with_a_suggestion() {
    let found = findings("title: T\ntimeoutSec: 3\nlimits:\n  cpuSec: 1\n", TOOL);
    assert_eq!(
        found,
        [
            (
                2,
                "`timeoutSec` is not known here".to_owned(),
                Some("did you mean `timeoutSecs`?".to_owned()),
                false
            ),
            (
                4,
                "`limits.cpuSec` is not known here".to_owned(),
                Some("did you mean `cpuSecs`?".to_owned()),
                false
            ),
        ]
    );
}

#[test]
fn a_misplaced_field_is_reported() {
    let found = findings("inputSchema: {}\n", PROMPT);
    assert_eq!(found[0].2.as_deref(), Some("it belongs to a tool"));
}

#[test]
fn a_wrong_type_is_an_error_with_its_line() {
    let text = "title: 5\ntimeoutSecs: soon\nprogressExtendsTimeout: 1\nenv:\n  mode: all\n  \
                allow: PATH\n  set:\n    A: [1]\nsandbox:\n  level: 3\nmode: workers\n\
                workers: {count: 0}\nlimits: {memoryBytes: much}\n";
    let found = findings(text, TOOL);
    let lines: Vec<_> = found.iter().map(|f| f.0).collect();
    assert_eq!(lines, [1, 2, 3, 5, 6, 8, 10, 11, 12, 13], "{found:?}");
    assert!(found.iter().all(|f| f.3));
    assert_eq!(found[0].1, "`title` must be a text, not 5");
    assert_eq!(found[0].2.as_deref(), Some("put it in quotes: \"5\""));
    assert_eq!(found[7].2.as_deref(), Some("did you mean `worker`?"));
}

#[test]
fn the_sandbox_may_be_a_number() {
    assert_eq!(findings("sandbox: 2\n", TOOL), []);
    assert_eq!(findings("sandbox: {level: 2, net: [443]}\n", TOOL), []);
    assert_eq!(findings("sandbox: {net: false}\n", TOOL), []);
    let found = findings("sandbox: {net: [443, 70000]}\n", TOOL);
    assert_eq!(found[0].1, "`sandbox.net` must hold ports, not 70000");
    let found = findings("sandbox: 7\n", TOOL);
    assert_eq!(found[0].1, "`sandbox` must be at most 2");
}

#[test]
fn field_names_are_unique_per_place() {
    for (place, name) in PLACES {
        let mut names: Vec<_> = here(FIELDS, place).map(|field| field.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "{name}");
    }
}

#[test]
fn the_reference_has_every_field() {
    let page = reference();
    for field in FIELDS {
        assert!(
            page.contains(&format!("| `{}` |", field.name)),
            "{}",
            field.name
        );
        assert!(page.contains(field.doc), "{}", field.doc);
        for member in field.takes.members() {
            assert!(page.contains(member.doc), "{}", member.name);
        }
    }
    assert!(
        page.lines()
            .all(|line| !line.starts_with('|') || line.ends_with('|'))
    );
}

/// `LINKSPAN_WRITE=1 cargo test -p linkspan-scripts` writes it.
#[test]
fn the_manual_page_matches_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/serve/reference.md");
    if std::env::var_os("LINKSPAN_WRITE").is_some() {
        std::fs::create_dir_all(std::path::Path::new(path).parent().unwrap()).unwrap();
        std::fs::write(path, reference()).unwrap();
    }
    let page = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(page, reference(), "write it anew with LINKSPAN_WRITE=1");
}
