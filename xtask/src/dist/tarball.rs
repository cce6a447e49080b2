//! The archive of each target: program, manual page, completions, README, licences.

use super::archive::{self, Entry};
use super::release::{Program, Release, sha256};
use super::table::System;

pub fn write(release: &Release) -> Result<(), String> {
    for program in &release.programs {
        let entries = entries(release, program);
        let bytes = match program.target.system {
            System::Windows => archive::zip(&entries, release.time)?,
            System::Linux | System::MacOs => archive::tar_gz(&entries, release.time)?,
        };
        release.write(&name(release, program), &bytes)?;
    }
    Ok(())
}

/// The file name of an archive.
pub fn name(release: &Release, program: &Program) -> String {
    let extension = match program.target.system {
        System::Windows => "zip",
        System::Linux | System::MacOs => "tar.gz",
    };
    format!("{}.{extension}", folder(release, program))
}

/// The URL that the archive of a target will have, and its checksum.
pub fn address(release: &Release, program: &Program) -> Result<(String, String), String> {
    let name = name(release, program);
    let bytes = release.written(&name)?;
    Ok((release.url(&name), sha256(&bytes)))
}

/// The only folder in an archive.
pub fn folder(release: &Release, program: &Program) -> String {
    format!("linkspan-{}-{}", release.version, program.target.triple)
}

fn entries(release: &Release, program: &Program) -> Vec<Entry> {
    let mut entries = vec![
        Entry::run(program.target.program(), program.bytes.clone()),
        Entry::read("linkspan.1", release.manual.clone()),
        Entry::read("README.md", release.readme.clone()),
    ];
    entries.extend(release.terms.iter().cloned());
    let completions = release.completions.iter();
    entries.extend(completions.map(|entry| entry.below("completions")));
    let folder = folder(release, program);
    entries.iter().map(|entry| entry.below(&folder)).collect()
}
