//! Which operations become tools, and in which order.

use linkspan_openapi::{Api, OpenApiError, ReadOptions};
use serde_json::json;

use crate::setup::{document, read, refused};

fn text() -> String {
    document(json!({
        "tags": [{"name": "users"}, {"name": "pets"}],
        "paths": {
            "/pets": {"post": {"operationId": "addPet", "tags": ["pets"]}, "get": {"tags": ["pets", "lists"]}},
            "/health": {"get": {"operationId": "health"}},
            "/users": {"get": {"operationId": "listUsers", "tags": ["users", "lists"]}},
            "/z": {"get": {"operationId": "z", "tags": ["late"]}},
        },
    }))
}

fn names(include: &[&str], exclude: &[&str]) -> Vec<String> {
    let owned = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect();
    let options = ReadOptions {
        include: owned(include),
        exclude: owned(exclude),
        ..ReadOptions::default()
    };
    let api = Api::read(&text(), &options).unwrap();
    api.operations()
        .iter()
        .map(|one| one.name().to_owned())
        .collect()
}

#[test]
fn operations_are_ordered_by_their_tags() {
    assert_eq!(
        names(&[], &[]),
        ["listUsers", "get_pets", "addPet", "z", "health"]
    );
}

#[test]
fn filters_select_by_name_tag_path_and_method() {
    assert_eq!(names(&["lists"], &[]), ["listUsers", "get_pets"]);
    assert_eq!(names(&["/pets*"], &["POST *"]), ["get_pets"]);
    assert_eq!(names(&["*Pet"], &[]), ["addPet"]);
    let nothing = ReadOptions {
        include: vec!["nope".to_owned()],
        ..ReadOptions::default()
    };
    let error = Api::read(&text(), &nothing).err().unwrap();
    assert_eq!(error, OpenApiError::NothingSelected(5));
}

#[test]
fn a_filter_does_not_change_names() {
    let same = json!({"paths": {"/a": {"get": {"operationId": "a b"}}, "/b": {"get": {"operationId": "a/b"}}}});
    let all = read(same.clone());
    let options = ReadOptions {
        include: vec!["/b".to_owned()],
        ..ReadOptions::default()
    };
    let one = Api::read(&document(same), &options).unwrap();
    assert_eq!(one.operations()[0].name(), all.operations()[1].name());
}

#[test]
fn a_document_without_operations_is_refused() {
    assert_eq!(refused(json!({"paths": {}})), OpenApiError::NoOperations);
    assert_eq!(refused(json!({})), OpenApiError::NotOpenApi("paths"));
}
