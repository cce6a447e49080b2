//! Every folder of `examples/`, before a client of either era.

use serde_json::Value;

use crate::folder_served::{Web, examples, words};
use crate::sdk::{Era, Language, Sdk};

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "{}"),
    ("resources/list", "{}"),
    ("resources/templates/list", "{}"),
    ("prompts/list", "{}"),
];

const OLD: Sdk = Sdk {
    language: Language::Python,
    era: Era::Legacy,
};
const NEW: Sdk = Sdk {
    language: Language::TypeScript,
    era: Era::Modern,
};

/// The entries of a list, and whether there are more of them.
fn entries(list: &Value) -> (&[Value], bool) {
    let members = list.as_object().into_iter().flatten();
    let found = members.filter_map(|(_, value)| value.as_array()).next();
    let found = found.unwrap_or_else(|| panic!("no list: {list}"));
    (found, list.get("nextCursor").is_some())
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_example_is_listed_alike_on_both_ways() {
    for folder in examples() {
        let web = Web::start(&folder);
        let old = OLD.run(&LISTS, &words(&folder)).results;
        let new = NEW.run(&LISTS, &web.target()).results;
        let mut some = 0;
        for (old, new) in old.iter().zip(&new) {
            let ((old, more), (new, _)) = (entries(old), entries(new));
            // This SDK requests further pages by itself, the other one does not.
            let first = if more { &new[..old.len()] } else { new };
            assert_eq!(old, first, "{}", folder.display());
            some += old.len();
        }
        assert!(some > 0, "{} offers nothing", folder.display());
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_resource_of_every_example_can_be_read_in_both_eras() {
    for folder in examples() {
        if !folder.join("resources").exists() {
            continue;
        }
        let web = Web::start(&folder);
        let list = NEW.run(&LISTS[1..2], &web.target()).results.remove(0);
        let uris = entries(&list).0.iter().map(|one| &one["uri"]);
        let params: Vec<String> = uris.map(|uri| format!(r#"{{"uri":{uri}}}"#)).collect();
        let calls: Vec<(&str, &str)> = params
            .iter()
            .map(|params| ("resources/read", params.as_str()))
            .collect();
        for sdk in [OLD, NEW] {
            let results = sdk.run(&calls, &web.target()).results;
            for (call, result) in calls.iter().zip(results) {
                assert!(
                    result["contents"].is_array(),
                    "{} {call:?}: {result}",
                    folder.display()
                );
            }
        }
    }
}
