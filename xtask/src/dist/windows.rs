//! The manifests of Windows' package managers, Scoop and winget, for the zip file.

use jiff::Timestamp;
use serde_json::json;

use super::release::{Program, Release};
use super::table::System;
use super::tarball;

/// The identifier in winget's repository.
const ID: &str = "Linkspan.Linkspan";
const WINGET: &str = "1.6.0";

pub fn write(release: &Release) -> Result<(), String> {
    let mut programs = release.programs.iter();
    let Some(program) = programs.find(|one| one.target.system == System::Windows) else {
        println!("no program for Windows was built: no manifests of Scoop and winget");
        return Ok(());
    };
    release.write("linkspan.json", scoop(release, program)?.as_bytes())?;
    for (file, text) in winget(release, program)? {
        release.write(&file, text.as_bytes())?;
    }
    Ok(())
}

fn scoop(release: &Release, program: &Program) -> Result<String, String> {
    let (url, hash) = tarball::address(release, program)?;
    let next = url.replace(&release.version, "$version");
    let folder = tarball::folder(release, program);
    let archive = json!({ "url": url, "hash": hash, "extract_dir": folder });
    let next = json!({ "url": next, "extract_dir": folder.replace(&release.version, "$version") });
    let manifest = json!({
        "version": release.version,
        "description": release.description,
        "homepage": release.repository,
        "license": release.license.replace(" OR ", "|"),
        "architecture": { "64bit": archive, "arm64": archive },
        "bin": "linkspan.exe",
        "checkver": { "github": release.repository },
        "autoupdate": { "architecture": { "64bit": next, "arm64": next } },
    });
    Ok(format!("{manifest:#}\n"))
}

/// The three files of a package; JSON strings are YAML strings.
fn winget(release: &Release, program: &Program) -> Result<[(String, String); 3], String> {
    let (url, hash) = tarball::address(release, program)?;
    let folder = tarball::folder(release, program);
    let time = i64::try_from(release.time).unwrap_or_default();
    let day = Timestamp::from_second(time).unwrap_or_default();
    let day = day.strftime("%Y-%m-%d");
    let file = |kind: &str, suffix: &str, body: &str| {
        let text = format!(
            "PackageIdentifier: {ID}\nPackageVersion: {}\n{body}ManifestType: {kind}\nManifestVersion: {WINGET}\n",
            release.version
        );
        (format!("{ID}{suffix}.yaml"), text)
    };
    let installer = |cpu: &str| {
        format!(
            "- Architecture: {cpu}\n  InstallerUrl: {url}\n  InstallerSha256: {}\n",
            hash.to_uppercase()
        )
    };
    let installers = format!(
        "InstallerType: zip\nNestedInstallerType: portable\nNestedInstallerFiles:\n- RelativeFilePath: \
         {folder}\\linkspan.exe\n  PortableCommandAlias: linkspan\nReleaseDate: {day}\nInstallers:\n{}{}",
        installer("x64"),
        installer("arm64")
    );
    let locale = format!(
        "PackageLocale: en-US\nPublisher: linkspan\nPackageName: linkspan\nPackageUrl: {}\nLicense: {}\n\
         ShortDescription: {}\nTags:\n- acp\n- llm\n- mcp\n- proxy\n",
        release.repository,
        release.license,
        json!(release.description)
    );
    Ok([
        file("version", "", "DefaultLocale: en-US\n"),
        file("installer", ".installer", &installers),
        file("defaultLocale", ".locale.en-US", &locale),
    ])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;

    use super::*;
    use crate::dist::release::tests::written;

    #[test]
    fn both_manifests_name_the_zip_file_by_its_checksum() {
        let (release, folder) = written("windows");
        tarball::write(&release).unwrap();
        let program = release.program("x86_64-pc-windows-gnu").unwrap();
        let (url, hash) = tarball::address(&release, program).unwrap();
        let scoop: Value = serde_json::from_str(&scoop(&release, program).unwrap()).unwrap();
        let [_, (name, installer), _] = winget(&release, program).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(scoop["architecture"]["64bit"]["hash"], hash);
        let next = scoop["autoupdate"]["architecture"]["64bit"]["url"]
            .as_str()
            .unwrap();
        assert_eq!(next.replace("$version", "1.2.3"), url);
        assert_eq!(name, "Linkspan.Linkspan.installer.yaml");
        assert!(installer.contains(&hash.to_uppercase()) && installer.contains(&url));
    }
}
