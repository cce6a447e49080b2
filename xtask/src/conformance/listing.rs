//! The client scenarios that the suite lists: a new version of it may have new ones.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{said, suite};

const LIMIT: Duration = Duration::from_secs(90);

/// The scenarios that the frozen list of a revision scores.
pub fn scored(revision: &str) -> Result<Vec<String>, String> {
    let list = listed(&["--requirements", revision])?;
    Ok(section(&list).map(str::to_owned).collect())
}

/// Every scenario, with the revisions that have it, or `extension`.
pub fn tagged() -> Result<Vec<(String, Vec<String>)>, String> {
    let list = listed(&[])?;
    let tagged = section(&list).filter_map(tags);
    Ok(tagged.collect())
}

/// The differences of two lists.
pub fn compare(ours: &[impl AsRef<str>], theirs: &[impl AsRef<str>]) -> Result<(), String> {
    let ours: BTreeSet<&str> = ours.iter().map(AsRef::as_ref).collect();
    let theirs: BTreeSet<&str> = theirs.iter().map(AsRef::as_ref).collect();
    let differing: Vec<&str> = ours.symmetric_difference(&theirs).copied().collect();
    if differing.is_empty() {
        Ok(())
    } else {
        Err(differing.join(", "))
    }
}

fn listed(args: &[&str]) -> Result<String, String> {
    let mut list = suite();
    list.args(["list", "--client"]).args(args);
    let (said, ended) = said(&mut list, LIMIT)?;
    ended?;
    Ok(said)
}

/// The entries of the client's part of a list.
fn section(list: &str) -> impl Iterator<Item = &str> {
    list.lines()
        .skip_while(|line| !line.starts_with("Client scenarios"))
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .filter_map(|line| line.trim().strip_prefix("- "))
}

/// `name [2025-11-25,2026-07-28]` in its parts.
fn tags(entry: &str) -> Option<(String, Vec<String>)> {
    let (name, tags) = entry.split_once(" [")?;
    let tags = tags.trim_end_matches(']').split(',').map(str::to_owned);
    Some((name.to_owned(), tags.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_clients_scored_scenarios_count() {
        let list = "\
Server scenarios (test against a server):
  - ping

Client scenarios (test against a client):
  - initialize
  - auth/metadata-default
  - sse-retry

Run and reported, but never scored:
  pending (1):
    - polling [client]
";
        let scored: Vec<&str> = section(list).collect();
        assert_eq!(scored, ["initialize", "auth/metadata-default", "sse-retry"]);
    }

    #[test]
    fn a_scenario_names_its_revisions() {
        let (name, tags) = tags("auth/dpop [2025-11-25,extension]").unwrap();
        assert_eq!(name, "auth/dpop");
        assert_eq!(tags, ["2025-11-25", "extension"]);
    }

    #[test]
    fn a_difference_is_named_whichever_list_has_it() {
        assert_eq!(compare(&["a", "b"], &["b", "a"]), Ok(()));
        assert_eq!(compare(&["a", "b"], &["b", "c"]), Err("a, c".to_owned()));
    }
}
