//! The links of all pages exist, in the repository and in the book.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{LANDING, PLOTS, pages};
use crate::paths::root;

/// A link of a page, outside of code.
struct Link {
    page: String,
    target: String,
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let links: Vec<Link> = markdown().iter().flat_map(|page| links(page)).collect();
    assert!(links.len() > 100, "only {} links were found", links.len());
    let dead: Vec<String> = links.iter().filter_map(dead).collect();
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
fn the_book_has_every_page_that_its_pages_link_to() {
    let pages = book();
    let mut missing: Vec<String> = below("docs")
        .into_iter()
        .filter(|page| page != "docs/SUMMARY.md" && !pages.contains(page))
        .map(|page| format!("{page} is not in docs/SUMMARY.md"))
        .collect();
    for link in pages.iter().flat_map(|page| links(page)) {
        let (path, _) = target(&link);
        if !path.is_empty() && !pages.contains(&path) && !path.starts_with(PLOTS) {
            missing.push(format!(
                "{} links to {path}, which is not in docs/SUMMARY.md",
                link.page
            ));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_link_of_the_landing_page_leads_into_the_book() {
    let (text, pages) = (fs::read_to_string(root().join(LANDING)).unwrap(), book());
    let targets = [" href=\"", " src=\""].map(|attribute| text.split(attribute).skip(1));
    let targets: Vec<&str> = targets
        .into_iter()
        .flatten()
        .filter_map(|rest| rest.split_once('"'))
        .map(|(target, _)| target)
        .collect();
    assert!(targets.len() > 20, "only {} were found", targets.len());
    for target in targets {
        let is_there = match target.strip_suffix(".html") {
            Some(page) => pages.contains(&format!("{page}.md")),
            None => target.starts_with(PLOTS) && root().join(target).is_file(),
        };
        assert!(is_there, "{target}");
    }
}

#[test]
fn a_dead_link_is_found() {
    let link = |target: &str| Link {
        page: "docs/eras.md".to_owned(),
        target: target.to_owned(),
    };
    for alive in [
        "http.md",
        "#roots",
        "../README.md",
        "http.md#safety",
        "serve",
    ] {
        assert_eq!(dead(&link(alive)), None, "{alive}");
    }
    for lost in ["no.md", "#no-such-heading", "README.md", "http.md#roots"] {
        assert!(dead(&link(lost)).is_some(), "{lost}");
    }
}

/// The error of a link, if there is one.
fn dead(link: &Link) -> Option<String> {
    let (path, anchor) = target(link);
    let page = if path.is_empty() { &link.page } else { &path };
    let file = root().join(page);
    if !file.exists() {
        return Some(format!("{}: there is no {page}", link.page));
    }
    let anchor = anchor?;
    let text = fs::read_to_string(&file).unwrap();
    let found = text
        .lines()
        .any(|line| heading(line) == Some(anchor.clone()));
    (!found).then(|| format!("{}: {page} has no heading #{anchor}", link.page))
}

/// A link's file, from the root (empty: the page itself), and its heading.
fn target(link: &Link) -> (String, Option<String>) {
    let (path, anchor) = match link.target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.to_owned())),
        None => (&*link.target, None),
    };
    if path.is_empty() {
        return (String::new(), anchor);
    }
    let folder = Path::new(&link.page).parent().unwrap();
    let mut plain = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    (plain.to_string_lossy().into_owned(), anchor)
}

/// The anchor of a heading.
fn heading(line: &str) -> Option<String> {
    let text = line
        .starts_with('#')
        .then(|| line.trim_start_matches('#'))?;
    let kept = text.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    Some(kept.collect())
}

fn links(page: &str) -> Vec<Link> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let mut in_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            found.extend(in_line(line).into_iter().map(|target| Link {
                page: page.to_owned(),
                target,
            }));
        }
    }
    found
}

/// Targets of the links of a line that lead to files of this repository.
fn in_line(line: &str) -> Vec<String> {
    // Text in backquotes is not a link.
    let outside: String = line.split('`').step_by(2).collect();
    let targets = outside.split("](").skip(1);
    targets
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .filter(|target| !target.contains("://"))
        .collect()
}

fn book() -> Vec<String> {
    pages::of(&fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap())
}

/// Every page that people read.
fn markdown() -> Vec<String> {
    let mut pages = book();
    pages.extend(["README.md", "docs/SUMMARY.md"].map(str::to_owned));
    pages.extend(below("examples"));
    pages.sort();
    pages.dedup();
    pages
}

fn below(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.extend(below(&path));
        } else if path.ends_with(".md") {
            found.push(path);
        }
    }
    found
}
