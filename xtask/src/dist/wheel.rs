//! The wheels for Python: the program as a script of the package, for `pip install` and `uvx`.

use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest as _, Sha256};

use super::archive::{self, Entry};
use super::release::{Program, Release};

pub fn write(release: &Release) -> Result<(), String> {
    for program in &release.programs {
        let file = format!(
            "linkspan-{}-py3-none-{}.whl",
            release.version, program.target.wheel
        );
        release.write(
            &file,
            &archive::zip(&entries(release, program), release.time)?,
        )?;
    }
    Ok(())
}

fn entries(release: &Release, program: &Program) -> Vec<Entry> {
    let version = &release.version;
    let info = format!("linkspan-{version}.dist-info");
    let script = format!(
        "linkspan-{version}.data/scripts/{}",
        program.target.program()
    );
    let mut entries = vec![
        Entry::run(script, program.bytes.clone()),
        Entry::read(format!("{info}/METADATA"), metadata(release)),
        Entry::read(format!("{info}/WHEEL"), tags(program.target.wheel)),
    ];
    let folder = format!("{info}/licenses");
    entries.extend(release.terms.iter().map(|one| one.below(&folder)));
    let record = record(&entries, &format!("{info}/RECORD"));
    entries.push(record);
    entries
}

/// Version 2.4 is the first with licence files and expressions.
fn metadata(release: &Release) -> String {
    let mut text = format!(
        "Metadata-Version: 2.4\nName: linkspan\nVersion: {}\nSummary: {}\nLicense-Expression: {}\n",
        release.version, release.description, release.license
    );
    for file in &release.terms {
        text += &format!("License-File: {}\n", file.path);
    }
    text += &format!(
        "Project-URL: Repository, {}\nKeywords: mcp,acp,llm,proxy,bridge\nRequires-Python: >=3.8\n\
         Description-Content-Type: text/markdown\n\n{}",
        release.repository, release.readme
    );
    text
}

/// One line for each platform.
fn tags(platforms: &str) -> String {
    let tags = platforms
        .split('.')
        .map(|one| format!("Tag: py3-none-{one}\n"));
    let head = "Wheel-Version: 1.0\nGenerator: linkspan-xtask\nRoot-Is-Purelib: false\n";
    head.to_owned() + &tags.collect::<String>()
}

/// The list of all files with their checksums, but for itself.
fn record(entries: &[Entry], path: &str) -> Entry {
    let line = |entry: &Entry| {
        let sum = BASE64URL_NOPAD.encode(&Sha256::digest(&entry.bytes));
        format!("{},sha256={sum},{}\n", entry.path, entry.bytes.len())
    };
    let lines: String = entries.iter().map(line).collect();
    Entry::read(path, format!("{lines}{path},,\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::release::tests::release;

    #[test]
    fn the_record_lists_every_file_of_the_wheel() {
        let release = release();
        let entries = entries(&release, &release.programs[0]);
        let record = entries.last().unwrap();
        let record = String::from_utf8(record.bytes.clone()).unwrap();
        for entry in &entries {
            assert!(
                record.contains(&format!("{},", entry.path)),
                "{}",
                entry.path
            );
        }
        // The empty file's checksum, as `pip` writes it.
        let empty = super::record(&[Entry::read("a", "")], "R");
        let expected = "a,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\nR,,\n";
        assert_eq!(String::from_utf8(empty.bytes).unwrap(), expected);
    }

    #[test]
    fn a_wheel_for_several_platforms_has_a_tag_for_each() {
        let text = tags("win_amd64.win_arm64");
        assert!(text.ends_with("Tag: py3-none-win_amd64\nTag: py3-none-win_arm64\n"));
    }
}
