//! The packages for npm: `linkspan`, which has a start script only, and one package with a program for each target.
//!
//! npm installs the optional dependency whose `os` and `cpu` match. No package has a script that runs at
//! installation, so `--ignore-scripts` changes nothing.

use serde_json::{Map, Value, json};

use super::archive::{self, Entry};
use super::release::{Program, Release};
use super::table::TARGETS;

const START: &str = include_str!("../../npm/linkspan.js");

pub fn write(release: &Release) -> Result<(), String> {
    for program in &release.programs {
        let file = format!(
            "linkspan-cli-{}-{}.tgz",
            program.target.node, release.version
        );
        let entries = vec![
            json_entry(&of_target(release, program)),
            Entry::run(program.target.program(), program.bytes.clone()),
        ];
        release.write(&file, &package(release, entries)?)?;
    }
    let entries = vec![
        json_entry(&main(release)),
        Entry::run("linkspan.js", START),
        Entry::read("README.md", release.readme.clone()),
    ];
    let file = format!("linkspan-{}.tgz", release.version);
    release.write(&file, &package(release, entries)?)
}

fn package(release: &Release, mut entries: Vec<Entry>) -> Result<Vec<u8>, String> {
    entries.extend(release.terms.iter().cloned());
    let entries: Vec<Entry> = entries.iter().map(|one| one.below("package")).collect();
    archive::tar_gz(&entries, release.time)
}

/// Names the packages of all targets, also those that were not built here: a release has them all.
fn main(release: &Release) -> Value {
    let packages = TARGETS.iter().map(|target| {
        let name = format!("@linkspan/cli-{}", target.node);
        (name, Value::from(release.version.clone()))
    });
    let mut package = described(release, "linkspan");
    package["keywords"] = json!(["mcp", "acp", "llm", "proxy", "bridge"]);
    package["bin"] = json!({ "linkspan": "linkspan.js" });
    package["engines"] = json!({ "node": ">=18" });
    package["optionalDependencies"] = Value::Object(packages.collect::<Map<_, _>>());
    package
}

fn of_target(release: &Release, program: &Program) -> Value {
    let target = program.target;
    let mut package = described(release, &format!("@linkspan/cli-{}", target.node));
    package["description"] = format!("The program of linkspan for {}", target.triple).into();
    package["os"] = json!([target.node_os()]);
    package["cpu"] = json!(target.node_cpus);
    // Yarn would run it from an archive otherwise.
    package["preferUnplugged"] = true.into();
    package
}

fn described(release: &Release, name: &str) -> Value {
    json!({
        "name": name,
        "version": release.version,
        "description": release.description,
        "license": release.license,
        "repository": { "type": "git", "url": format!("git+{}.git", release.repository) },
        "publishConfig": { "access": "public", "provenance": true },
    })
}

fn json_entry(package: &Value) -> Entry {
    Entry::read("package.json", format!("{package:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::release::tests::release;

    #[test]
    fn the_main_package_depends_on_the_program_of_every_target_and_runs_no_script() {
        let package = main(&release());
        let needed = package["optionalDependencies"].as_object().unwrap();
        assert_eq!(needed.len(), TARGETS.len());
        assert!(needed.values().all(|version| version == "1.2.3"));
        assert_eq!(package.get("scripts"), None);
    }

    #[test]
    fn the_package_of_a_target_names_its_system() {
        let release = release();
        let windows = release.program("x86_64-pc-windows-gnu").unwrap();
        let package = of_target(&release, windows);
        assert_eq!(package["name"], "@linkspan/cli-win32-x64");
        assert_eq!(package["os"], json!(["win32"]));
        assert_eq!(package["cpu"], json!(["x64", "arm64"]));
    }
}
