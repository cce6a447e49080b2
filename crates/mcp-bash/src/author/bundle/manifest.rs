//! `manifest.json` of a bundle, version 0.3 of the format.

use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use super::{Bundle, Note};
use crate::Project;
use crate::author::AuthorError;

/// The types of user settings.
const KINDS: &[&str] = &["string", "number", "boolean", "directory", "file"];

pub(super) fn of(
    wanted: &Bundle,
    project: &Project,
    tell: &dyn Fn(Note<'_>),
) -> Result<Value, AuthorError> {
    let said = &project.server.metadata;
    let conf = |name: &str| wanted.conf.get(name).map(Value::String);
    let shown = |field: &str| Some(project.server.shown[field].clone()).filter(Value::is_string);
    let from_meta = |field: &str| said.get(field).filter(|value| !value.is_null()).cloned();
    let list = |name: &str| {
        let words = wanted.conf.get(name)?;
        Some(json!(words.split_whitespace().collect::<Vec<_>>()))
    };
    let mut all = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            all.insert(name.to_owned(), value);
        }
    };
    put("manifest_version", Some(json!("0.3")));
    put("name", Some(json!(wanted.name)));
    put("version", Some(json!(wanted.version)));
    put("display_name", shown("title"));
    let description = conf("MCPB_DESCRIPTION").or_else(|| shown("description"));
    put(
        "description",
        Some(description.unwrap_or_else(|| json!(wanted.name))),
    );
    put("long_description", long_description(wanted, said, tell));
    put("icon", wanted.icon().map(|icon| json!(icon)));
    for field in ["icons", "screenshots", "localization"] {
        put(field, from_meta(field));
    }
    put("license", conf("MCPB_LICENSE"));
    put("keywords", list("MCPB_KEYWORDS"));
    put("homepage", conf("MCPB_HOMEPAGE"));
    put("documentation", conf("MCPB_DOCUMENTATION"));
    put("support", conf("MCPB_SUPPORT"));
    put("privacy_policies", list("MCPB_PRIVACY_POLICIES"));
    put("author", author(wanted, tell));
    let repository = conf("MCPB_REPOSITORY");
    put(
        "repository",
        repository.map(|url| json!({"type": "git", "url": url})),
    );
    let tools = entries(&project.tools);
    put("tools_generated", (!tools.is_empty()).then(|| json!(true)));
    put("tools", (!tools.is_empty()).then(|| json!(tools)));
    let prompts = prompts(&project.prompts);
    put(
        "prompts_generated",
        (!prompts.is_empty()).then(|| json!(true)),
    );
    put("prompts", (!prompts.is_empty()).then(|| json!(prompts)));
    put("_meta", from_meta("_meta"));
    let settings = match wanted.conf.get("MCPB_USER_CONFIG_FILE") {
        Some(file) => Some(settings_in(wanted, &file)?),
        None => from_meta("user_config"),
    };
    let settings = settings.filter(|s| s.as_object().is_none_or(|s| !s.is_empty()));
    let (env, args) = settings_of(wanted, said, settings.as_ref())?;
    put("user_config", settings);
    let mut told = json!({
        "MCPBASH_PROJECT_ROOT": "${__dirname}/server",
        "MCPBASH_TOOL_ALLOWLIST": "*",
    });
    if wanted.fixed {
        told["MCPBASH_STATIC_REGISTRY"] = json!("1");
    }
    for (key, variable) in env {
        told[variable] = json!(format!("${{user_config.{key}}}"));
    }
    let args: Vec<String> = args
        .iter()
        .map(|key| format!("${{user_config.{key}}}"))
        .collect();
    let mut start = json!({
        "command": "${__dirname}/server/run-server.sh",
        "args": args,
        "env": told,
    });
    if let Some(elsewhere) = from_meta("platform_overrides") {
        start["platform_overrides"] = elsewhere;
    }
    put(
        "server",
        Some(json!({
            "type": "binary",
            "entry_point": "server/run-server.sh",
            "mcp_config": start,
        })),
    );
    let mut runs_on = json!({"platforms": wanted.platforms});
    if let Some(desktop) = conf("MCPB_COMPAT_CLAUDE_DESKTOP") {
        runs_on["claude_desktop"] = desktop;
    }
    for (name, field) in [
        ("MCPB_RUNTIME_PYTHON", "python"),
        ("MCPB_RUNTIME_NODE", "node"),
    ] {
        if let Some(version) = conf(name) {
            runs_on["runtimes"][field] = version;
        }
    }
    put("compatibility", Some(runs_on));
    Ok(Value::Object(all))
}

/// Names and descriptions of tools or prompts.
fn entries(items: &[Map<String, Value>]) -> Vec<Value> {
    let one = |item: &Map<String, Value>| {
        let mut shown = json!({"name": item["name"]});
        let description = item.get("description").and_then(Value::as_str);
        if let Some(description) = description.filter(|text| !text.is_empty()) {
            shown["description"] = json!(description);
        }
        shown
    };
    items.iter().map(one).collect()
}

/// The prompts with the names of their arguments.
fn prompts(items: &[Map<String, Value>]) -> Vec<Value> {
    let mut shown = entries(items);
    for (entry, item) in shown.iter_mut().zip(items) {
        let arguments = item.get("arguments").and_then(|all| all.get("properties"));
        if let Some(arguments) = arguments.and_then(Value::as_object) {
            entry["arguments"] = json!(arguments.keys().collect::<Vec<_>>());
        }
    }
    shown
}

/// The text of the file that `long_description_file` names.
fn long_description(wanted: &Bundle, said: &Value, tell: &dyn Fn(Note<'_>)) -> Option<Value> {
    let file = said.get("long_description_file")?.as_str()?;
    match wanted.inside(file).map(std::fs::read_to_string) {
        Some(Ok(text)) => Some(json!(text)),
        _ => {
            tell(Note::LeftOut(file));
            None
        }
    }
}

/// The settings in a JSON file of the project.
fn settings_in(wanted: &Bundle, file: &str) -> Result<Value, AuthorError> {
    let text = wanted.inside(file).map(std::fs::read);
    let settings = text.and_then(Result::ok);
    let settings = settings.and_then(|text| serde_json::from_slice(&text).ok());
    settings.ok_or_else(|| AuthorError::SettingsFile(file.to_owned()))
}

/// The author, which the format requires: from `mcpb.conf`, else from git.
fn author(wanted: &Bundle, tell: &dyn Fn(Note<'_>)) -> Option<Value> {
    let known = wanted.conf.get("MCPB_AUTHOR_NAME");
    let Some(name) = known.or_else(|| git(wanted, "user.name")) else {
        tell(Note::NoAuthor);
        return None;
    };
    let mut author = json!({ "name": name });
    let email = wanted.conf.get("MCPB_AUTHOR_EMAIL");
    for (field, value) in [
        ("email", email),
        ("url", wanted.conf.get("MCPB_AUTHOR_URL")),
    ] {
        if let Some(value) = value {
            author[field] = json!(value);
        }
    }
    Some(author)
}

fn git(wanted: &Bundle, key: &str) -> Option<String> {
    let ran = Command::new("git")
        .arg("-C")
        .arg(&wanted.root)
        .args(["config", "--get", key])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let name = String::from_utf8(ran.stdout).ok()?;
    let name = name.trim();
    (ran.status.success() && !name.is_empty()).then(|| name.to_owned())
}

type Settings = (Vec<(String, String)>, Vec<String>);

/// The variables and arguments that the user's settings map to. Each must be declared in `user_config`.
fn settings_of(
    wanted: &Bundle,
    said: &Value,
    settings: Option<&Value>,
) -> Result<Settings, AuthorError> {
    let nothing = Map::new();
    let known = match settings {
        None => &nothing,
        Some(Value::Object(known)) => known,
        Some(_) => return Err(AuthorError::Settings),
    };
    for (key, field) in known {
        let text = |name: &str| field.get(name).and_then(Value::as_str);
        if text("title").is_none() || !text("type").is_some_and(|kind| KINDS.contains(&kind)) {
            let (key, kinds) = (key.clone(), KINDS);
            return Err(AuthorError::Setting { key, kinds });
        }
    }
    let env = match wanted.conf.get("MCPB_USER_CONFIG_ENV_MAP") {
        Some(text) => {
            let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
            let pairs = pairs.map(|(key, name)| (key.trim().to_owned(), name.trim().to_owned()));
            pairs.collect()
        }
        None => pairs(said.get("user_config_env_map")),
    };
    let args: Vec<String> = match wanted.conf.get("MCPB_USER_CONFIG_ARGS_MAP") {
        Some(text) => text.split(',').map(|key| key.trim().to_owned()).collect(),
        None => {
            let list = said.get("user_config_args_map").and_then(Value::as_array);
            let keys = list.into_iter().flatten().filter_map(Value::as_str);
            keys.map(str::to_owned).collect()
        }
    };
    let keys = env.iter().map(|(key, _)| key).chain(&args);
    match keys.into_iter().find(|key| !known.contains_key(*key)) {
        Some(unknown) => Err(AuthorError::UnknownSetting(unknown.clone())),
        None => Ok((env, args)),
    }
}

fn pairs(map: Option<&Value>) -> Vec<(String, String)> {
    let map = map.and_then(Value::as_object);
    let pairs = map.into_iter().flatten();
    let pairs = pairs.filter_map(|(key, name)| Some((key.clone(), name.as_str()?.to_owned())));
    pairs.collect()
}
