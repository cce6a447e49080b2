//! The software bill of materials: CycloneDX 1.5, of the packages that are compiled into the program on any system.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::release::{Release, sha256};

pub fn write(release: &Release) -> Result<(), String> {
    let bill = bill(release)?;
    let file = format!("linkspan-{}.cdx.json", release.version);
    release.write(&file, format!("{bill:#}\n").as_bytes())
}

fn bill(release: &Release) -> Result<Value, String> {
    let graph = Graph::read(&release.metadata).ok_or("cargo's metadata has no dependencies")?;
    let needed = graph.needed();
    let components: Vec<Value> = needed
        .iter()
        .filter(|id| **id != graph.root)
        .filter_map(|id| Some(component(graph.packages.get(id)?, "library")))
        .collect();
    let dependencies: Vec<Value> = needed
        .iter()
        .filter_map(|id| {
            let on = graph.edges.get(id)?.iter();
            let on = on.filter_map(|id| Some(reference(graph.packages.get(id)?)));
            let package = graph.packages.get(id)?;
            Some(json!({ "ref": reference(package), "dependsOn": on.collect::<BTreeSet<_>>() }))
        })
        .collect();
    let time = i64::try_from(release.time).unwrap_or_default();
    let time = Timestamp::from_second(time).map_err(|e| e.to_string())?;
    let root = graph
        .packages
        .get(graph.root)
        .ok_or("no package `linkspan`")?;
    let mut bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.to_string(),
            "component": component(root, "application"),
        },
        "components": components,
        "dependencies": dependencies,
    });
    bill["serialNumber"] = serial(&sha256(bill.to_string().as_bytes())).into();
    Ok(bill)
}

/// A UUID of version 8, which is made of the contents: one release has one bill.
fn serial(sum: &str) -> String {
    let part = |range: std::ops::Range<usize>| sum.get(range).unwrap_or_default();
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        part(0..8),
        part(8..12),
        part(12..15),
        part(15..18),
        part(18..30)
    )
}

fn component(package: &Value, kind: &str) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    });
    if let Some(license) = package["license"].as_str() {
        // `/` is how `OR` was once written.
        let license = license.replace('/', " OR ").replace("  OR  ", " OR ");
        component["licenses"] = json!([{ "expression": license }]);
    }
    component
}

fn reference(package: &Value) -> String {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    format!("pkg:cargo/{}@{}", text("name"), text("version"))
}

/// The packages and what each needs, without the dependencies of tests.
struct Graph<'a> {
    root: &'a str,
    packages: BTreeMap<&'a str, &'a Value>,
    edges: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Graph<'a> {
    fn read(metadata: &'a Value) -> Option<Self> {
        let packages = metadata["packages"].as_array()?.iter();
        let packages: BTreeMap<&str, &Value> = packages
            .filter_map(|package| Some((package["id"].as_str()?, package)))
            .collect();
        let named = |package: &&&Value| package["name"] == "linkspan";
        let root = packages.values().find(named)?["id"].as_str()?;
        let nodes = metadata["resolve"]["nodes"].as_array()?.iter();
        let edges = nodes.filter_map(|node| {
            let on = node["deps"].as_array()?.iter();
            let on = on.filter(|dependency| is_compiled_in(dependency));
            let on = on.filter_map(|dependency| dependency["pkg"].as_str());
            Some((node["id"].as_str()?, on.collect()))
        });
        Some(Self {
            root,
            edges: edges.collect(),
            packages,
        })
    }

    /// Everything that the program needs, itself included.
    fn needed(&self) -> BTreeSet<&'a str> {
        let mut needed = BTreeSet::from([self.root]);
        let mut open = vec![self.root];
        while let Some(id) = open.pop() {
            let on = self.edges.get(id).into_iter().flatten().copied();
            open.extend(on.filter(|id| needed.insert(id)));
        }
        needed
    }
}

/// Neither for tests nor for build scripts alone.
fn is_compiled_in(dependency: &Value) -> bool {
    let kinds = dependency["dep_kinds"].as_array();
    kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::release::tests::release;

    #[test]
    fn dependencies_of_tests_and_build_scripts_are_left_out() {
        let package = |name: &str| json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0" });
        let on = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let mut release = release();
        let packages = ["linkspan", "used", "below", "built", "tested"].map(package);
        release.metadata = json!({
            "packages": packages,
            "resolve": { "nodes": [
                { "id": "linkspan", "deps": [on("used", Value::Null), on("tested", "dev".into())] },
                { "id": "used", "deps": [on("below", Value::Null), on("built", "build".into())] },
                { "id": "below", "deps": [] },
            ] },
        });
        let bill = bill(&release).unwrap();
        let names: Vec<&Value> = bill["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["name"])
            .collect();
        assert_eq!(names, ["below", "used"]);
        let licence = &bill["components"][0]["licenses"][0]["expression"];
        assert_eq!(licence, "MIT OR Apache-2.0");
        assert_eq!(bill["metadata"]["timestamp"], "2023-11-14T22:13:20Z");
        let serial = bill["serialNumber"].as_str().unwrap();
        assert_eq!(
            serial.len(),
            "urn:uuid:00000000-0000-0000-0000-000000000000".len()
        );
    }
}
