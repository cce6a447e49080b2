//! Packages of a `server.json` file as command lines of their launchers.

use serde_json::{Map, Value, json};

use super::input::{Inputs, literal};
use super::{Offer, WhyNot, list};

/// How the packages of a registry are run.
struct Launcher {
    program: &'static str,
    /// Arguments before those of the file for the launcher.
    before: &'static [&'static str],
    /// Between the name and the version of a package.
    separator: &'static str,
    /// Arguments after the package.
    after: &'static [&'static str],
}

/// Launchers by `registryType`.
const LAUNCHERS: [(&str, Launcher); 4] = [
    ("npm", launcher("npx", &["-y"], "@", &[])),
    ("pypi", launcher("uvx", &[], "==", &[])),
    ("oci", launcher("docker", &["run", "-i", "--rm"], ":", &[])),
    ("nuget", launcher("dnx", &[], "@", &["--yes", "--"])),
];

const fn launcher(
    program: &'static str,
    before: &'static [&'static str],
    separator: &'static str,
    after: &'static [&'static str],
) -> Launcher {
    Launcher {
        program,
        before,
        separator,
        after,
    }
}

/// A package as an entry.
pub(super) fn offer(key: &str, package: &Value) -> Result<Offer, WhyNot> {
    let member = |name: &str| package.get(name).and_then(Value::as_str);
    let kind = member("registryType").ok_or(WhyNot::Missing("registryType"))?;
    let mut launchers = LAUNCHERS.iter();
    let (_, launcher) = launchers
        .find(|(name, _)| *name == kind)
        .ok_or_else(|| WhyNot::Type(kind.to_owned()))?;
    let transport = package.get("transport").and_then(|it| it.get("type"));
    let transport = transport.and_then(Value::as_str).unwrap_or("stdio");
    if transport != "stdio" {
        return Err(WhyNot::Transport(transport.to_owned()));
    }
    let name = member("identifier").ok_or(WhyNot::Missing("identifier"))?;
    let package_name = exact(launcher, name, member("version"))?;

    let mut inputs = Inputs::new(key);
    let env = variables(package, &mut inputs)?;
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let mut args = words(launcher.before);
    if kind == "oci" {
        args.extend(env.keys().flat_map(|name| ["-e".to_owned(), name.clone()]));
    }
    let own = arguments(package, "runtimeArguments", &mut inputs);
    // Some files repeat the arguments that every package needs.
    args.extend(
        own.into_iter()
            .skip_while(|word| launcher.before.contains(&word.as_str())),
    );
    args.push(package_name);
    args.extend(words(launcher.after));
    args.extend(arguments(package, "packageArguments", &mut inputs));
    let mut entry = json!({ "command": launcher.program, "args": args });
    if !env.is_empty() {
        entry["env"] = Value::Object(env);
    }
    let registry = member("registryBaseUrl").map(str::to_owned);
    let offer = inputs.offer(entry)?;
    Ok(Offer { registry, ..offer })
}

/// The package with its version, as one word that is neither an option nor a path or a URL.
fn exact(launcher: &Launcher, name: &str, version: Option<&str>) -> Result<String, WhyNot> {
    let is_image = launcher.program == "docker";
    let is_part = |text: &str, more: &str| {
        let is_plain =
            |c: char| c.is_ascii_alphanumeric() || "._~+!-[],".contains(c) || more.contains(c);
        text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && text.chars().all(is_plain)
    };
    let scoped = name.strip_prefix('@').and_then(|name| name.split_once('/'));
    let is_name = match scoped {
        Some((scope, name)) if launcher.program == "npx" => is_part(scope, "") && is_part(name, ""),
        _ => is_part(name, if is_image { "/:@" } else { "" }),
    };
    if !is_name {
        return Err(WhyNot::Name(name.to_owned()));
    }
    if let Some(version) = version.filter(|version| !is_part(version, "")) {
        return Err(WhyNot::Name(version.to_owned()));
    }
    // The name of an image has a tag or a digest since 2025-12-11.
    let end = name.rsplit('/').next().unwrap_or_default();
    let is_exact = is_image && end.contains([':', '@']);
    Ok(match version {
        Some(version) if !is_exact => format!("{name}{}{version}", launcher.separator),
        _ => name.to_owned(),
    })
}

fn variables(package: &Value, inputs: &mut Inputs) -> Result<Map<String, Value>, WhyNot> {
    let mut variables = Map::new();
    for variable in list(package, "environmentVariables") {
        let name = variable.get("name").and_then(Value::as_str);
        let name = name.ok_or(WhyNot::Missing("name"))?;
        let is_plain = |c: char| c == '_' || c.is_ascii_alphanumeric();
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(WhyNot::Name(name.to_owned()));
        }
        if let Some(value) = inputs.value(variable, name) {
            variables.insert(name.to_owned(), value.into());
        }
    }
    Ok(variables)
}

fn arguments(package: &Value, member: &str, inputs: &mut Inputs) -> Vec<String> {
    let arguments = list(package, member);
    arguments
        .flat_map(|argument| self::argument(argument, inputs))
        .collect()
}

/// The words of an argument: a name and a value, a name alone, a value alone, or none.
fn argument(argument: &Value, inputs: &mut Inputs) -> Vec<String> {
    let member = |name: &str| argument.get(name).and_then(Value::as_str);
    let is_named = member("type") == Some("named");
    let name = member("name").filter(|_| is_named);
    let is_switch = name.is_some() && member("format") == Some("boolean");
    let title = name
        .or(member("valueHint"))
        .or(member("name"))
        .unwrap_or("argument");
    let has_value = ["value", "default", "valueHint", "choices", "format"];
    let has_value = has_value
        .iter()
        .any(|member| argument.get(*member).is_some());
    let is_required = argument.get("isRequired") == Some(&Value::Bool(true));
    if let Some(name) = name.filter(|_| !has_value && is_required) {
        return vec![literal(name)];
    }
    let value = inputs.value(argument, title);
    match (name, value) {
        (Some(name), Some(value)) if is_switch => match &*value {
            "true" => vec![literal(name)],
            _ => Vec::new(),
        },
        (Some(name), Some(value)) => vec![literal(name), value],
        (None, Some(value)) => vec![value],
        (_, None) => Vec::new(),
    }
}
