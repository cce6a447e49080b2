//! The corpus: no sample grows, every sample is restored, and every row saves its goal.

#[path = "tokens/corpus.rs"]
mod corpus;
#[path = "tokens/faithful.rs"]
mod faithful;
#[path = "tokens/measure.rs"]
mod measure;

use linkspan_shrink::{Context, Level};

fn wrong(level: Level) -> Vec<String> {
    let context = Context {
        level,
        ..Context::default()
    };
    let mut wrong = Vec::new();
    for row in corpus::read().expect("the corpus is there") {
        let measured: Vec<_> = row
            .samples
            .iter()
            .map(|sample| measure::measure(sample, &context))
            .collect();
        wrong.extend(measure::judge(&row, &measured, level == Level::default()).1);
    }
    wrong
}

#[test]
fn no_sample_grows_all_are_restored_and_every_row_reaches_its_goal() {
    assert_eq!(wrong(Level::Max), [""; 0]);
}

#[test]
fn no_sample_grows_and_all_are_restored_at_the_other_levels() {
    assert_eq!(wrong(Level::Balanced), [""; 0]);
    assert_eq!(wrong(Level::Safe), [""; 0]);
}

#[test]
fn differences_are_detected() {
    let text = "{\"a\": 1.0, \"b\": [\"x\\u00e9\"]}";
    assert!(faithful::same(text, "{\"a\":1.0,\"b\":[\"xé\"]}"));
    for other in [
        "{\"a\":1,\"b\":[\"xé\"]}",
        "{\"b\":[\"xé\"],\"a\":1.0}",
        "{\"a\":1.0,\"b\":[\"xe\"]}",
        "{\"a\":1.0,\"b\":[\"xé\"]} ]",
        "{\"a\":1.0,\"b\":[\"xé\"]",
    ] {
        assert!(!faithful::same(text, other), "{other}");
    }
    assert!(!faithful::same("one\n two", "one\n  two"));
    assert_eq!(
        faithful::minified(text).as_deref(),
        Some("{\"a\":1.0,\"b\":[\"x\\u00e9\"]}")
    );
    assert_eq!(faithful::minified("{ no"), None);
}
