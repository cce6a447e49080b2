//! `cargo xtask docs`: the pages of docs/SUMMARY.md as a book.
//!
//! The summary also lists pages outside docs/, which mdBook does not take; so all pages are copied to
//! target/book/src, where they keep their relative paths, and the book is built there.

#[cfg(test)]
mod architecture_tests;
#[cfg(test)]
mod link_tests;
mod pages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::{child, install, paths};

const MDBOOK: &str = "mdbook --version 0.5.4 --no-default-features --features search";
/// The page that a browser opens first.
const LANDING: &str = "docs/landing.html";
/// The pictures on that page and in the book.
const PLOTS: &str = "bench/plots";
const BUILD: Duration = Duration::from_secs(120);

pub fn run() -> ExitCode {
    match build() {
        Ok(index) => {
            println!("{}", index.display());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the book; returns its first page.
fn build() -> Result<PathBuf, String> {
    let tools = paths::peers().join("mdbook");
    install::package(&tools, MDBOOK)?;
    let book = paths::root().join("target").join("book");
    let _ = fs::remove_dir_all(&book);
    copy_pages(&book.join("src"))?;
    install::copy(&paths::root().join("docs").join("book.toml"), &book)?;
    let mdbook = tools.join("bin").join("mdbook");
    child::run(Command::new(mdbook).arg("build").arg(&book), BUILD)?;
    // mdBook copies the first page there, where its relative links are dead.
    let index = book.join("html").join("index.html");
    let landing = install::read(&paths::root().join(LANDING))?;
    fs::write(&index, landing).map_err(|error| error.to_string())?;
    Ok(index)
}

fn copy_pages(to: &Path) -> Result<(), String> {
    let root = paths::root();
    let summary = install::read(&root.join("docs").join("SUMMARY.md"))?;
    for page in pages::of(&summary) {
        let copy = to.join(&page);
        let folder = copy.parent().unwrap_or(to);
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        install::copy(&root.join(&page), folder)?;
    }
    copy_plots(&to.join(PLOTS))?;
    let summary = pages::from_root(&summary);
    fs::write(to.join("SUMMARY.md"), summary).map_err(|error| error.to_string())
}

/// mdBook takes along what is no page.
fn copy_plots(to: &Path) -> Result<(), String> {
    let from = paths::root().join(PLOTS);
    let name = |error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(name)?;
    for plot in fs::read_dir(&from).map_err(name)? {
        install::copy(&plot.map_err(name)?.path(), to)?;
    }
    Ok(())
}
