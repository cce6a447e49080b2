//! The package for Debian and its relatives: an `ar` file of a version, the control files, and the data.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::archive::{self, Entry, gzip};
use super::release::{Program, Release};

/// Who answers for the package; a release by other hands has other ones.
const MAINTAINER: &str = "linkspan maintainers <maintainers@linkspan.invalid>";

pub fn write(release: &Release) -> Result<(), String> {
    for program in &release.programs {
        if let Some(architecture) = program.target.debian {
            let file = format!("linkspan_{}_{architecture}.deb", release.version);
            release.write(&file, &package(release, program, architecture)?)?;
        }
    }
    Ok(())
}

fn package(release: &Release, program: &Program, architecture: &str) -> Result<Vec<u8>, String> {
    let files = files(release, program).map_err(|error| error.to_string())?;
    let sums = files.iter().map(|file| {
        let sum = md5::compute(&file.bytes);
        format!("{sum:x}  {}\n", file.path)
    });
    let control = [
        Entry::read("./control", control(release, architecture, &files)),
        Entry::read("./md5sums", sums.collect::<String>()),
    ];
    let data: Vec<Entry> = files.iter().map(|file| file.below(".")).collect();
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", archive::tar_gz(&control, release.time)?),
        ("data.tar.gz", archive::tar_gz(&data, release.time)?),
    ];
    Ok(ar(&members, release.time))
}

/// The common format of `ar`; a member has an even length.
fn ar(members: &[(&str, Vec<u8>)], time: u64) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let size = content.len();
        let header = format!(
            "{name:<16}{time:<12}{:<6}{:<6}{:<8}{size:<10}`\n",
            0, 0, "100644"
        );
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(content);
        bytes.extend(vec![b'\n'; size % 2]);
    }
    bytes
}

fn control(release: &Release, architecture: &str, files: &[Entry]) -> String {
    let size: usize = files
        .iter()
        .map(|file| file.bytes.len().div_ceil(1024))
        .sum();
    format!(
        "Package: linkspan\nVersion: {}\nArchitecture: {architecture}\nMaintainer: {MAINTAINER}\n\
         Installed-Size: {size}\nRecommends: ca-certificates\nSection: net\nPriority: optional\nHomepage: {}\n\
         Description: bridge between AI clients and tool servers (MCP, ACP)\n \
         It connects MCP clients to MCP servers across transports (stdio, Streamable\n \
         HTTP, HTTP+SSE) and protocol revisions, serves a folder of scripts as a\n \
         server, shortens tool results without loss, and joins editors and agents\n \
         that speak ACP.\n",
        release.version, release.repository
    )
}

fn files(release: &Release, program: &Program) -> std::io::Result<Vec<Entry>> {
    const DOC: &str = "usr/share/doc/linkspan";
    let mut files = vec![
        Entry::run("usr/bin/linkspan", program.bytes.clone()),
        Entry::read("usr/share/man/man1/linkspan.1.gz", gzip(&release.manual)?),
        Entry::read(format!("{DOC}/copyright"), copyright(release)),
        Entry::read(
            format!("{DOC}/changelog.gz"),
            gzip(changelog(release).as_bytes())?,
        ),
        Entry::read(
            "usr/share/lintian/overrides/linkspan",
            "linkspan: statically-linked-binary\n",
        ),
    ];
    for file in &release.terms {
        // The text of the licences is in `copyright`, or on every Debian system.
        if !file.path.starts_with("LICENSE") {
            files.push(Entry::read(
                format!("{DOC}/{}.gz", file.path),
                gzip(&file.bytes)?,
            ));
        }
    }
    for file in &release.completions {
        let path = match file.path.as_str() {
            "linkspan.bash" => "usr/share/bash-completion/completions/linkspan",
            "_linkspan" => "usr/share/zsh/vendor-completions/_linkspan",
            "linkspan.fish" => "usr/share/fish/vendor_completions.d/linkspan.fish",
            _ => continue,
        };
        files.push(Entry::read(path, file.bytes.clone()));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// In the machine-readable format of Debian. The text of Apache-2.0 is on every system.
fn copyright(release: &Release) -> String {
    let mit = release.terms.iter().find(|one| one.path == "LICENSE-MIT");
    let mit = mit.map(|one| String::from_utf8_lossy(&one.bytes).into_owned());
    let mit = mit.unwrap_or_default();
    let owner = mit
        .lines()
        .find_map(|line| line.trim().strip_prefix("Copyright "));
    let owner = owner.unwrap_or("the linkspan authors");
    let text: String = mit
        .lines()
        .map(|line| {
            if line.is_empty() {
                " .\n".to_owned()
            } else {
                format!(" {line}\n")
            }
        })
        .collect();
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: linkspan\n\
         Source: {}\n\nFiles: *\nCopyright: {owner}\nLicense: Expat or Apache-2.0\n\nLicense: Expat\n{text}\n\
         License: Apache-2.0\n On Debian systems, the full text of the Apache License 2.0 is in\n \
         /usr/share/common-licenses/Apache-2.0.\n",
        release.repository
    )
}

fn changelog(release: &Release) -> String {
    let time = i64::try_from(release.time).unwrap_or_default();
    let time = Timestamp::from_second(time).unwrap_or_default();
    let time = time.to_zoned(TimeZone::UTC);
    let time = time.strftime("%a, %d %b %Y %H:%M:%S %z");
    format!(
        "linkspan ({}) unstable; urgency=medium\n\n  * The changes are in CHANGELOG.md of {}.\n\n -- {MAINTAINER}  {time}\n",
        release.version, release.repository
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::release::tests::release;

    #[test]
    fn members_of_an_ar_file_start_at_even_offsets() {
        let bytes = ar(&[("one", b"odd".to_vec()), ("two", b"even".to_vec())], 7);
        let header = "one             7           0     0     100644  3         `\n";
        assert_eq!(&bytes[8..68], header.as_bytes());
        assert_eq!(&bytes[68..72], b"odd\n");
        assert!(bytes[72..].starts_with(b"two  "));
        assert_eq!(bytes.len(), 8 + 60 + 4 + 60 + 4);
    }

    #[test]
    fn the_changelog_has_the_time_of_the_commit() {
        assert!(changelog(&release()).ends_with("Tue, 14 Nov 2023 22:13:20 +0000\n"));
    }

    #[test]
    fn notices_are_beside_the_copyright() {
        let mut release = release();
        release
            .terms
            .push(Entry::read("THIRD-PARTY.txt", "notices"));
        let files = files(&release, &release.programs[0]).unwrap();
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert!(paths.contains(&"usr/share/doc/linkspan/THIRD-PARTY.txt.gz"));
        assert!(paths.contains(&"usr/share/zsh/vendor-completions/_linkspan"));
        assert!(
            !paths
                .iter()
                .any(|path| path.contains("LICENSE") || path.contains("ps1"))
        );
    }
}
