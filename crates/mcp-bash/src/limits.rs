//! Time and size limits, from the operator's variables and the metadata.

use std::time::Duration;

use serde_json::{Map, Value};

use super::vars::Vars;
use linkspan_scripts::folder::{RunSettings, SandboxSettings};

/// Default output limit of a tool.
const OUTPUT: u64 = 10 << 20;

/// Means no time limit.
pub const NEVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Within which bounds a tool runs.
pub fn of_tool(item: &Map<String, Value>, vars: &Vars) -> RunSettings {
    let number = |name: &str| item.get(name).and_then(Value::as_u64).filter(|&n| n > 0);
    let timeout = number("timeoutSecs").or(vars.number("MCPBASH_DEFAULT_TOOL_TIMEOUT"));
    let longest = number("maxTimeoutSecs").or(vars.number("MCPBASH_MAX_TIMEOUT_SECS"));
    let extends = item
        .get("progressExtendsTimeout")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    RunSettings {
        timeout: Duration::from_secs(timeout.filter(|&n| n > 0).unwrap_or(30)),
        progress_extends: extends || vars.is_on("MCPBASH_PROGRESS_EXTENDS_TIMEOUT"),
        max_timeout: Duration::from_secs(longest.filter(|&n| n > 0).unwrap_or(600)),
        timeout_hint: item
            .get("timeoutHint")
            .and_then(Value::as_str)
            .map(str::to_owned),
        max_output: output(vars),
        ..of_others(vars)
    }
}

/// The limits of providers, completions and hooks.
pub fn of_others(vars: &Vars) -> RunSettings {
    RunSettings {
        max_output: resource(vars),
        // Only the operator confines projects of mcp-bash.
        sandbox: SandboxSettings {
            level: 0,
            ..SandboxSettings::default()
        },
        ..RunSettings::default()
    }
}

/// The time limit of a request: a positive whole number of seconds.
pub fn asked(value: Option<&Value>) -> Option<Duration> {
    let seconds = match value? {
        Value::Number(n) => n.as_u64(),
        Value::String(text) => super::vars::digits(text),
        _ => None,
    };
    seconds.filter(|&n| n > 0).map(Duration::from_secs)
}

/// The stdout limit of a tool.
pub fn output(vars: &Vars) -> usize {
    bytes(vars.number("MCPBASH_MAX_TOOL_OUTPUT_SIZE"))
}

/// The stderr limit of a tool.
pub fn stderr(vars: &Vars) -> usize {
    let own = vars
        .number("MCPBASH_MAX_TOOL_STDERR_SIZE")
        .filter(|&n| n > 0);
    own.map_or_else(|| output(vars), |n| bytes(Some(n)))
}

/// How many bytes of the end of stderr go into an error.
pub fn stderr_tail(vars: &Vars) -> usize {
    if vars.is_off("MCPBASH_TOOL_STDERR_CAPTURE") {
        return 0;
    }
    let tail = vars
        .number("MCPBASH_TOOL_STDERR_TAIL_LIMIT")
        .unwrap_or(4096);
    usize::try_from(tail).unwrap_or(usize::MAX)
}

/// The size limit of a resource.
pub fn resource(vars: &Vars) -> usize {
    let own = vars.number("MCPBASH_MAX_RESOURCE_BYTES");
    own.map_or_else(|| output(vars), |n| bytes(Some(n)))
}

/// The size limit of a registry.
pub fn registry(vars: &Vars) -> usize {
    let most = vars
        .number("MCPBASH_REGISTRY_MAX_BYTES")
        .unwrap_or(100 << 20);
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// The limit of concurrent calls.
pub fn concurrency(vars: &Vars) -> usize {
    let most = vars.number("MCPBASH_MAX_CONCURRENT_REQUESTS").unwrap_or(16);
    usize::try_from(most).unwrap_or(usize::MAX).max(1)
}

/// The limits of progress and log messages per call and minute; `None` is unlimited.
pub fn rates(vars: &Vars) -> (Option<u64>, Option<u64>) {
    let progress = vars.number("MCPBASH_MAX_PROGRESS_PER_MIN").unwrap_or(100);
    let log = vars.number("MCPBASH_MAX_LOGS_PER_MIN").unwrap_or(progress);
    let some = |n: u64| (n > 0).then_some(n);
    (some(progress), some(log))
}

/// The time limit of a completion: registered, or a script beside its prompt.
pub fn completion(registered: Option<&Map<String, Value>>, vars: &Vars) -> Duration {
    let seconds = match registered {
        Some(entry) => entry
            .get("timeoutSecs")
            .and_then(Value::as_u64)
            .or(vars.number("MCPBASH_COMPLETION_REGISTERED_TIMEOUT_SECS"))
            .unwrap_or(30),
        None => vars.number("MCPBASH_COMPLETION_TIMEOUT_SECS").unwrap_or(5),
    };
    if seconds == 0 {
        NEVER
    } else {
        Duration::from_secs(seconds)
    }
}

fn bytes(given: Option<u64>) -> usize {
    usize::try_from(given.unwrap_or(OUTPUT)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn metadata_overrides_variables_which_override_defaults() {
        let vars: Vars = [
            ("MCPBASH_DEFAULT_TOOL_TIMEOUT", "7"),
            ("MCPBASH_MAX_TIMEOUT_SECS", "60"),
            ("MCPBASH_PROGRESS_EXTENDS_TIMEOUT", "true"),
        ]
        .into_iter()
        .collect();
        let tool = |item: Value, vars: &Vars| of_tool(item.as_object().unwrap(), vars);
        assert_eq!(
            tool(json!({}), &Vars::default()).timeout,
            Duration::from_secs(30)
        );
        let run = tool(json!({"timeoutSecs": null}), &vars);
        assert_eq!(run.timeout, Duration::from_secs(7));
        assert!(run.progress_extends);
        assert_eq!(run.max_timeout, Duration::from_secs(60));
        let run = tool(
            json!({"timeoutSecs": 5, "maxTimeoutSecs": 9, "timeoutHint": "h"}),
            &vars,
        );
        assert_eq!(run.timeout, Duration::from_secs(5));
        assert_eq!(run.max_timeout, Duration::from_secs(9));
        assert_eq!(run.timeout_hint.as_deref(), Some("h"));
        assert_eq!(asked(Some(&json!("3"))), Some(Duration::from_secs(3)));
        assert_eq!(asked(Some(&json!(0))), None);
        assert_eq!(asked(Some(&json!("x"))), None);
    }

    #[test]
    fn a_rate_of_zero_is_unlimited() {
        assert_eq!(rates(&Vars::default()), (Some(100), Some(100)));
        let vars: Vars = [
            ("MCPBASH_MAX_PROGRESS_PER_MIN", "1"),
            ("MCPBASH_MAX_LOGS_PER_MIN", "0"),
        ]
        .into_iter()
        .collect();
        assert_eq!(rates(&vars), (Some(1), None));
    }
}
