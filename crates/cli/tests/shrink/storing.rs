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
fn a_folder_that_cannot_be_made_is_told_at_the_start() {
    let place = Place::new();
    let file = place.write("file", "");
    let ran = linkspan(&["shrink", "--store", &format!("{file}/below"), "--", "true"]);
    assert!(ran.failed(1).contains("--store"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
}

#[test]
fn a_folder_that_goes_away_costs_the_originals_and_nothing_else() {
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
    let files = files(&folder);
    assert_eq!(files.len(), samples.len());
    for file in &files {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(
            ids.iter().any(|id| name.starts_with(id)) && name.ends_with(".bcp"),
            "{name}"
        );
        linkspan(&["bcp", "validate", file.to_str().unwrap()]).well();
    }
    // The same text again is the same file.
    line.given(&samples[0].text);
    assert_eq!(self::files(&folder), files);
}

#[test]
fn a_file_that_somebody_has_damaged_is_not_an_original() {
    let store = Place::new();
    let folder = store.file("results");
    let flags = ["--store", folder.as_str()];
    let mut line = shrink(&flags).ready();
    let told = meta(&line.answer_to(&result_of(&samples::rows(60))));
    let id = told["content"][0]["id"].clone();
    line.end();
    for file in files(&folder) {
        let mut bytes = fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x20;
        fs::write(&file, bytes).unwrap();
    }
    let again = shrink(&flags).ready();
    let answer = again.call("bcp_fetch", &json!({"id": id}));
    assert_eq!(answer.json()["result"]["isError"], true, "{}", answer.text);
}
