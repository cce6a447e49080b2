//! `--store`: originals that outlive the process.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::run::linkspan;
use crate::samples;
use crate::setup::{Place, meta, one_text, result_of, shrink};

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

/// The files that contain originals.
fn originals(folder: &str) -> Vec<PathBuf> {
    let mut files = files(folder);
    files.retain(|file| file.extension().is_some_and(|ending| ending == "bcp"));
    files
}

#[test]
fn originals_are_fetched_after_a_restart() {
    let store = Place::new();
    let folder = store.file("results");
    let flags = ["--store", folder.as_str()];
    let samples = samples::all();
    let mut line = shrink(&flags).ready();
    let ids: Vec<_> = samples
        .iter()
        .map(|sample| meta(&line.answer_to(&result_of(&sample.text)))["content"][0]["id"].clone())
        .collect();
    line.end();
    let again = shrink(&flags).ready();
    for (sample, id) in samples.iter().zip(ids) {
        let original = one_text(&again.call("bcp_fetch", &json!({"id": id})));
        assert!(original == sample.text, "{}: to the byte", sample.name);
    }
}

#[test]
fn a_folder_that_cannot_be_created_is_reported_at_start() {
    let place = Place::new();
    let file = place.write("file", "");
    let ran = linkspan(&["shrink", "--store", &format!("{file}/below"), "--", "true"]);
    assert!(ran.failed(1).contains("--store"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
}

#[test]
fn a_folder_removed_later_only_loses_the_originals() {
    let store = Place::new();
    let folder = store.file("results");
    let line = shrink(&["--store", &folder]).ready();
    fs::remove_dir_all(&folder).unwrap();
    let text = samples::rows(60);
    let answer = line.answer_to(&result_of(&text));
    assert_ne!(one_text(&answer), text);
    let id = meta(&answer)["content"][0]["id"].clone();
    assert_eq!(
        one_text(&line.call("bcp_fetch", &json!({"id": id}))),
        text,
        "memory has it"
    );
}

#[test]
fn every_original_is_a_valid_bcp_file_under_its_hash() {
    let store = Place::new();
    let folder = store.file("new/deep");
    let line = shrink(&["--store", &folder]).ready();
    let samples = samples::all();
    let mut ids = Vec::new();
    for sample in &samples {
        let told = meta(&line.answer_to(&result_of(&sample.text)));
        let id = told["content"][0]["id"].as_str();
        ids.push(
            id.unwrap_or_else(|| panic!("{}: {told}", sample.name))
                .to_owned(),
        );
    }
    let files = originals(&folder);
    assert_eq!(files.len(), samples.len());
    for file in &files {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(
            ids.iter().any(|id| name.starts_with(id)) && name.ends_with(".bcp"),
            "{name}"
        );
        linkspan(&["bcp", "validate", file.to_str().unwrap()]).well();
    }
    // The same text has the same file.
    line.given(&samples[0].text);
    assert_eq!(originals(&folder), files);
}

#[test]
#[cfg(unix)]
fn only_the_owner_may_read_originals() {
    use std::os::unix::fs::PermissionsExt;
    let store = Place::new();
    let folder = store.file("results");
    let line = shrink(&["--store", &folder]).ready();
    line.given(&samples::rows(60));
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.as_ref()), 0o700);
    let files = files(&folder);
    assert!(files.len() > 1);
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
#[cfg(unix)]
fn a_folder_that_others_may_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let store = Place::new();
    let folder = store.file("results");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o1777)).unwrap();
    let ran = linkspan(&["shrink", "--store", &folder, "--", "true"]);
    ran.failed(1);
    let said = &ran.stderr;
    assert!(said.contains("--store") && said.contains("hint:"), "{said}");
}

#[test]
fn an_original_belongs_to_its_principal() {
    let store = Place::new();
    let folder = store.file("results");
    for flags in [vec![], vec!["--store", folder.as_str()]] {
        let (http, place) = shrink(&flags).over_http();
        let [alice, mallory] = ["Bearer alice", "Bearer mallory"]
            .map(|token| http.client().with("Authorization", token).modern());
        let text = samples::rows(60);
        let answer = alice.tool("1", "say", &place.saying(result_of(&text)));
        let id = meta(&answer)["content"][0]["id"].clone();
        assert!(id.as_str().is_some_and(|id| id.len() >= 32), "{id}");
        let own = alice.tool("2", "bcp_fetch", &json!({"id": id}));
        assert_eq!(one_text(&own), text);
        let stolen = mallory.tool("3", "bcp_fetch", &json!({"id": id}));
        assert_eq!(stolen.json()["result"]["isError"], true, "{}", stolen.text);
        let same = mallory.tool("4", "say", &place.saying(result_of(&text)));
        assert_ne!(meta(&same)["content"][0]["id"], id);
    }
}

#[test]
fn a_damaged_file_is_not_returned_as_an_original() {
    let store = Place::new();
    let folder = store.file("results");
    let flags = ["--store", folder.as_str()];
    let mut line = shrink(&flags).ready();
    let told = meta(&line.answer_to(&result_of(&samples::rows(60))));
    let id = told["content"][0]["id"].clone();
    line.end();
    for file in originals(&folder) {
        let mut bytes = fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x20;
        fs::write(&file, bytes).unwrap();
    }
    let again = shrink(&flags).ready();
    let answer = again.call("bcp_fetch", &json!({"id": id}));
    assert_eq!(answer.json()["result"]["isError"], true, "{}", answer.text);
}

#[test]
fn the_bcp_tools_use_no_file_in_the_folder_of_originals() {
    let root = Place::new();
    let folder = root.file("results");
    let path = root.path().to_str().unwrap();
    let (http, place) = shrink(&["--store", &folder, "--root", path]).over_http();
    let [alice, mallory] = ["Bearer alice", "Bearer mallory"]
        .map(|token| http.client().with("Authorization", token).modern());
    alice.tool("1", "say", &place.saying(result_of(&samples::rows(60))));
    let kept = originals(&folder).remove(0);
    let copy = root.file("copy.bcp");
    fs::copy(&kept, &copy).unwrap();
    let name = kept.file_name().unwrap().to_str().unwrap();
    let manifest = root.write(
        "manifest.json",
        json!({"blocks": [{"type": "document", "title": "x", "content_file": format!("results/{name}")}]})
            .to_string(),
    );
    let own = root.write(
        "own.json",
        json!({"blocks": [{"type": "document", "title": "x", "content": "y"}]}).to_string(),
    );
    let open = mallory.tool("2", "read_bcp_file", &json!({"path": copy}));
    assert_eq!(open.json()["result"]["isError"], false, "{}", open.text);
    let made = json!({"manifest_path": own, "output_path": root.file("made.bcp")});
    let made = mallory.tool("3", "encode_bcp_file", &made);
    assert_eq!(made.json()["result"]["isError"], false, "{}", made.text);
    let missing = format!("{folder}/nothing.bcp");
    let mut calls = vec![
        ("read_bcp_file", json!({"path": kept})),
        ("read_bcp_file", json!({"path": format!("results/{name}")})),
        ("read_bcp_file", json!({"path": missing})),
        ("inspect_bcp_file", json!({"path": kept})),
        (
            "encode_bcp_file",
            json!({"manifest_path": own, "output_path": kept}),
        ),
        (
            "encode_bcp_file",
            json!({"manifest_path": own, "output_path": missing}),
        ),
        (
            "encode_bcp_file",
            json!({"manifest_path": manifest, "output_path": root.file("stolen.bcp")}),
        ),
    ];
    #[cfg(unix)]
    {
        let link = root.file("link.bcp");
        std::os::unix::fs::symlink(&kept, &link).unwrap();
        calls.push(("read_bcp_file", json!({"path": link})));
    }
    for (tool, arguments) in calls {
        let answer = mallory.tool("4", tool, &arguments);
        let result = &answer.json()["result"];
        assert_eq!(
            result["isError"], true,
            "{tool} {arguments}: {}",
            answer.text
        );
        assert!(
            answer.text.contains("--store"),
            "{tool} {arguments}: {}",
            answer.text
        );
    }
    assert!(kept.exists());
    assert_eq!(originals(&folder).len(), 1);
}
