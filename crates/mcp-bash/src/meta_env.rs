//! The environment settings of `server.meta.json`: which of the operator's variables programs see.

use serde_json::{Map, Value};

use super::vars::Vars;

const SCOPES: [(&str, &str, &[&str]); 2] = [
    (
        "MCPBASH_TOOL_ENV_MODE",
        "MCPBASH_TOOL_ENV_ALLOWLIST",
        &["minimal", "allowlist", "inherit"],
    ),
    (
        "MCPBASH_PROVIDER_ENV_MODE",
        "MCPBASH_PROVIDER_ENV_ALLOWLIST",
        &["isolate", "allowlist", "inherit"],
    ),
];

/// Adds the variables that the project requests and the operator has not set. Returns the refused ones.
pub fn apply(vars: &mut Vars, meta: &Map<String, Value>) -> Vec<String> {
    let mut left_out = Vec::new();
    if vars.is_on("MCPBASH_IGNORE_META_ENV") {
        return left_out;
    }
    let env = match meta.get("env") {
        None | Some(Value::Null) => return left_out,
        Some(Value::Object(env)) => env,
        Some(_) => return vec!["env must be an object".to_owned()],
    };
    for (mode, list, modes) in SCOPES {
        if is_given(vars.get(mode)) || is_given(vars.get(list)) {
            continue;
        }
        match env.get(mode).map(Value::as_str) {
            None => {}
            Some(Some(value)) if modes.contains(&value) => vars.set(mode, value),
            Some(_) => left_out.push(format!("{mode}: it must be one of {}", modes.join(", "))),
        }
        match env.get(list).map(Value::as_str) {
            None => {}
            Some(Some(value)) => match names(value) {
                Ok(names) => vars.set(list, names.join(",")),
                Err(why) => left_out.push(format!("{list}: {why}")),
            },
            Some(None) => left_out.push(format!("{list}: it must be a text")),
        }
    }
    let known = |name: &str| {
        SCOPES
            .iter()
            .any(|(mode, list, _)| name == *mode || name == *list)
    };
    for name in env.keys().filter(|name| !known(name)) {
        left_out.push(format!(
            "{name}: only the user who starts the server can set it"
        ));
    }
    left_out
}

/// An unfilled placeholder of a launcher counts as unset.
fn is_given(value: Option<&str>) -> bool {
    value.is_some_and(|v| !v.starts_with("${user_config."))
}

fn names(list: &str) -> Result<Vec<&str>, &'static str> {
    let names: Vec<_> = list
        .split([',', ' '])
        .filter(|name| !name.is_empty())
        .collect();
    for name in &names {
        if !is_name(name) {
            return Err("it must be names of variables, separated by commas");
        }
        if is_reserved(name) {
            return Err("it names a variable that controls programs or is reserved");
        }
    }
    Ok(names)
}

/// Whether a text is a valid variable name.
pub fn is_name(name: &str) -> bool {
    let first = name.bytes().next();
    first.is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn is_reserved(name: &str) -> bool {
    const NAMES: [&str; 7] = [
        "SHELLOPTS",
        "BASHOPTS",
        "PS4",
        "BASH_ENV",
        "ENV",
        "BASH_XTRACEFD",
        "IFS",
    ];
    const BEGINNINGS: [&str; 5] = ["LD_", "DYLD_", "BASH_FUNC_", "_MCP", "MCPBASH_"];
    NAMES.contains(&name)
        || BEGINNINGS.iter().any(|begin| name.starts_with(begin))
        || super::env::is_ours(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn applied(vars: &[(&str, &str)], env: Value) -> (Vars, Vec<String>) {
        let mut vars: Vars = vars.iter().copied().collect();
        let meta = json!({"env": env});
        let left_out = apply(&mut vars, meta.as_object().unwrap());
        (vars, left_out)
    }

    #[test]
    fn a_project_may_request_operator_variables() {
        let asked = json!({"MCPBASH_TOOL_ENV_MODE": "allowlist", "MCPBASH_TOOL_ENV_ALLOWLIST": "A, MCP_REGISTRY_TOKEN"});
        let (vars, left_out) = applied(&[], asked.clone());
        assert_eq!(
            vars.get("MCPBASH_TOOL_ENV_ALLOWLIST"),
            Some("A,MCP_REGISTRY_TOKEN")
        );
        assert!(left_out.is_empty());
        let (vars, _) = applied(&[("MCPBASH_TOOL_ENV_MODE", "minimal")], asked.clone());
        assert_eq!(vars.get("MCPBASH_TOOL_ENV_ALLOWLIST"), None);
        let (vars, _) = applied(&[("MCPBASH_IGNORE_META_ENV", "true")], asked);
        assert_eq!(vars.get("MCPBASH_TOOL_ENV_MODE"), None);
    }

    #[test]
    fn a_project_may_not_set_other_variables() {
        let asked = json!({
            "MCPBASH_TOOL_ALLOWLIST": "*",
            "MCPBASH_TOOL_ENV_MODE": "everything",
            "MCPBASH_TOOL_ENV_ALLOWLIST": "LD_PRELOAD",
            "MCPBASH_PROVIDER_ENV_ALLOWLIST": "MCP_TOOL_NAME",
        });
        let (vars, left_out) = applied(&[], asked);
        assert_eq!(vars, Vars::default());
        assert_eq!(left_out.len(), 4);
    }
}
