//! Names of tools and of their arguments.

use std::collections::{HashMap, HashSet};

/// The characters that APIs of models allow in the name of a tool or an argument.
const LIMIT: usize = 64;
/// Characters of an original name that its slug is made of.
const MOST_READ: usize = 512;
/// Characters of a hash in a name: 40 bits.
const HASH: usize = 8;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// What an operation is named after.
pub(crate) struct Identity<'a> {
    /// `operationId`.
    pub(crate) id: Option<&'a str>,
    /// The method in lower case.
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
}

/// The names of operations, in their order. Each is a function of the operation alone, unless another operation would
/// have the same name: then both have a hash of their method and path, so that a name never means another operation.
pub(crate) fn of_operations(operations: &[Identity<'_>]) -> Vec<String> {
    let plain: Vec<String> = operations.iter().map(plain_name).collect();
    let mut count: HashMap<&str, usize> = HashMap::new();
    for name in &plain {
        *count.entry(name).or_default() += 1;
    }
    let is_own = |name: &str| name.len() <= LIMIT && count[name] == 1;
    let mut taken: HashSet<String> = plain.iter().filter(|name| is_own(name)).cloned().collect();
    let name = |(plain, operation): (&String, &Identity<'_>)| {
        if is_own(plain) {
            return plain.clone();
        }
        let Identity { method, path, .. } = operation;
        let mut name = with_hash(plain, &[method, path]);
        let mut more = 1;
        while !taken.insert(name.clone()) {
            more += 1;
            name = with_hash(plain, &[method, path, &more.to_string()]);
        }
        name
    };
    plain.iter().zip(operations).map(name).collect()
}

fn plain_name(operation: &Identity<'_>) -> String {
    let own = operation.id.map(|id| slug(id, "_-"));
    own.filter(|name| !name.is_empty())
        .unwrap_or_else(|| slug(&format!("{} {}", operation.method, operation.path), "_-"))
}

/// The names of arguments for the original names of parameters; no two are the same.
#[derive(Default)]
pub(crate) struct ArgumentNames(HashSet<String>);

impl ArgumentNames {
    /// The name of an argument; `place` goes in front of it if it is taken.
    pub(crate) fn add(&mut self, original: &str, place: &str) -> String {
        let plain = match slug(original, "_-.") {
            empty if empty.is_empty() => place.to_owned(),
            name => name,
        };
        let mut name = bounded(&plain, original);
        let mut more = 1;
        while self.0.contains(&name) {
            let number = if more > 1 {
                format!("_{more}")
            } else {
                String::new()
            };
            name = bounded(&format!("{place}_{plain}{number}"), original);
            more += 1;
        }
        self.0.insert(name.clone());
        name
    }
}

fn bounded(name: &str, original: &str) -> String {
    if name.len() <= LIMIT {
        return name.to_owned();
    }
    with_hash(name, &[name, original])
}

/// The text with one `_` for each run of other characters than letters, digits and these; none at the ends.
fn slug(text: &str, also: &str) -> String {
    let mut out = String::new();
    let mut is_gap = false;
    for c in text.chars().take(MOST_READ) {
        if c.is_ascii_alphanumeric() || also.contains(c) {
            if is_gap && !out.is_empty() {
                out.push('_');
            }
            is_gap = false;
            out.push(c);
        } else {
            is_gap = true;
        }
    }
    out
}

fn with_hash(name: &str, parts: &[&str]) -> String {
    let head: String = name.chars().take(LIMIT - HASH - 1).collect();
    format!("{}-{}", head.trim_end_matches(['_', '-']), hash(parts))
}

/// The same on every machine.
fn hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let bytes = hasher.finalize();
    let bytes = &bytes.as_bytes()[..HASH];
    let letters = bytes
        .iter()
        .map(|byte| char::from(ALPHABET[usize::from(byte & 31)]));
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(operations: &[(&str, &str, &str)]) -> Vec<String> {
        let identity = |&(id, method, path)| Identity {
            id: Some(id).filter(|id: &&str| !id.is_empty()),
            method,
            path,
        };
        of_operations(&operations.iter().map(identity).collect::<Vec<_>>())
    }

    #[test]
    fn an_operation_is_named_after_its_id() {
        assert_eq!(names(&[("listPets", "get", "/pets")]), ["listPets"]);
        assert_eq!(
            names(&[("repos/get-content", "get", "/x")]),
            ["repos_get-content"]
        );
        assert_eq!(
            names(&[("Pets.find (all)!", "get", "/x")]),
            ["Pets_find_all"]
        );
        assert_eq!(names(&[("", "get", "/pets/{petId}")]), ["get_pets_petId"]);
        assert_eq!(names(&[("§", "get", "/")]), ["get"]);
    }

    #[test]
    fn equal_names_get_a_hash_each_that_does_not_depend_on_the_others() {
        let two = names(&[("a b", "get", "/x"), ("a/b", "get", "/y")]);
        assert!(
            two[0].starts_with("a_b-") && two[1].starts_with("a_b-"),
            "{two:?}"
        );
        assert_ne!(two[0], two[1]);
        let three = names(&[
            ("a.b", "put", "/z"),
            ("a/b", "get", "/y"),
            ("a b", "get", "/x"),
        ]);
        assert_eq!([&three[2], &three[1]], [&two[0], &two[1]]);
    }

    #[test]
    fn a_long_name_ends_in_a_hash() {
        let long = "x".repeat(70);
        let both = names(&[(&long, "get", "/a"), (&"y".repeat(64), "get", "/b")]);
        assert_eq!(both[0].len(), 64);
        assert_eq!(both[1], "y".repeat(64));
    }

    #[test]
    fn arguments_of_the_same_name_have_their_place_in_front() {
        let mut arguments = ArgumentNames::default();
        assert_eq!(arguments.add("id", "path"), "id");
        assert_eq!(arguments.add("id", "body"), "body_id");
        assert_eq!(arguments.add("i d", "body"), "i_d");
        assert_eq!(arguments.add("$i[d]", "query"), "query_i_d");
        assert_eq!(arguments.add("i-d[]", "query"), "i-d");
        assert_eq!(arguments.add("id", "body"), "body_id_2");
        assert_eq!(arguments.add("§", "query"), "query");
    }

    proptest! {
        #[test]
        fn names_are_unique_within_the_limit(
            operations in prop::collection::btree_map(
                ("get|put", "(/[a-c{}]{0,3}){1,3}"),
                prop::option::of("[a-c./ -]{0,3}|[ab]{60,70}|a-[a-z2-7]{8}|\\PC{0,9}"),
                1..40,
            )
        ) {
            let all: Vec<_> = operations
                .iter()
                .map(|((m, p), id)| (id.as_deref().unwrap_or_default(), m.as_str(), p.as_str()))
                .collect();
            let names = names(&all);
            let valid = |name: &String| (1..=LIMIT).contains(&name.len())
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
            prop_assert!(names.iter().all(valid), "{names:?}");
            prop_assert_eq!(names.iter().collect::<HashSet<_>>().len(), all.len());
        }

        #[test]
        fn names_of_arguments_are_unique_within_the_limit(
            originals in prop::collection::vec("[a-b$]{0,2}|x{60,70}|\\PC{0,9}", 1..40)
        ) {
            let mut names = ArgumentNames::default();
            let mut seen = HashSet::new();
            for original in &originals {
                let name = names.add(original, "query");
                prop_assert!(!name.is_empty() && name.len() <= LIMIT, "{name}");
                prop_assert!(seen.insert(name));
            }
        }
    }
}
