//! Resource providers and their exit codes.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use linkspan_wire::RpcError;
use serde_json::{Map, Value};

use super::places::Places;
use super::vars::Vars;
use super::{meta, trust};

/// -32002: the code of MCP for an unknown resource.
const NOT_FOUND: i64 = -32002;

/// Who reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provider {
    /// A program; the URI is appended to these words.
    Program(Vec<OsString>),
    /// Built in: a file within the roots.
    File,
    /// Built in: a page of the project.
    Ui,
    /// Built in: the URI is the content.
    Echo,
    /// Built in, if the operator has enabled it.
    Git,
    /// Built in, if the operator has enabled it.
    Https,
}

/// The project's own provider of a name.
pub fn project_script(name: &str, places: &Places) -> Option<PathBuf> {
    let safe = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'.'))
        && !name.starts_with('.');
    let script = places.providers.join(format!("{name}.sh"));
    (safe && script.is_file()).then_some(script)
}

/// The provider with this name: the project's, or a built-in one.
pub fn named(name: &str, places: &Places) -> Option<Provider> {
    if let Some(script) = project_script(name, places) {
        return meta::argv(&script).map(Provider::Program);
    }
    match name {
        "file" => Some(Provider::File),
        "ui" => Some(Provider::Ui),
        "echo" => Some(Provider::Echo),
        "git" => Some(Provider::Git),
        "https" => Some(Provider::Https),
        _ => None,
    }
}

/// The provider of a URI that is no listed resource. A scheme of the project must be declared by one of its
/// templates, or by a resource with this provider.
pub fn of_uri(
    uri: &str,
    resources: &[Map<String, Value>],
    templates: &[Map<String, Value>],
    places: &Places,
) -> Option<Provider> {
    let scheme = uri.split_once("://")?.0;
    match scheme {
        "file" | "ui" | "https" => return named(scheme, places),
        "git+https" => return named("git", places),
        _ => {}
    }
    let begins = |item: &Map<String, Value>, field: &str| {
        let address = item.get(field).and_then(Value::as_str);
        address.is_some_and(|a| a.split_once("://").is_some_and(|(s, _)| s == scheme))
    };
    let declared = templates.iter().any(|t| begins(t, "uriTemplate"))
        || resources
            .iter()
            .any(|r| begins(r, "uri") && r.get("provider").and_then(Value::as_str) == Some(scheme));
    declared.then(|| named(scheme, places))?
}

/// The error for a provider's exit code; `stderr` is its output.
pub fn error_of(code: i32, stderr: &str) -> RpcError {
    let said = stderr.trim();
    let or = |usual: &'static str| {
        if said.is_empty() {
            usual.to_owned()
        } else {
            said.to_owned()
        }
    };
    match code {
        2 => RpcError::internal("Resource outside allowed roots"),
        3 => not_found(),
        4 => RpcError::invalid_params(or("Invalid resource specification")),
        5 => RpcError::internal(or("Resource fetch failed")),
        6 => RpcError::internal(or("Resource exceeded size limit")),
        _ => RpcError::internal(or("Resource provider failed")),
    }
}

/// The error for an unknown resource.
pub fn not_found() -> RpcError {
    RpcError::new(NOT_FOUND, "Resource not found")
}

/// The error for an unknown provider.
pub fn unsupported() -> RpcError {
    RpcError::internal("Unsupported resource provider")
}

/// The error for a resource above the size limit.
pub fn too_large(most: usize) -> RpcError {
    RpcError::internal(format!("Resource content exceeds {most} bytes"))
}

/// Reads a file within the roots of resources. Links are refused; a relative path begins at the project.
pub fn read_file(
    uri: &str,
    vars: &Vars,
    places: &Places,
    most: usize,
) -> Result<Vec<u8>, RpcError> {
    let path = uri
        .strip_prefix("file://")
        .ok_or_else(|| error_of(4, "not a file:// address"))?;
    let path = places.root.join(percent_decoded(path));
    let outside = || error_of(2, "");
    // The opened file is the one that was checked: the path may lead elsewhere later.
    let real = path.canonicalize().map_err(|_| not_found())?;
    let allowed = roots(vars, places)
        .iter()
        .any(|root| real.starts_with(root));
    if !allowed || path.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
        return Err(outside());
    }
    if real.starts_with(&places.root)
        && let Some(problem) = trust::refusal(&real, places)
    {
        return Err(RpcError::internal(format!("Resource {}", problem.text)));
    }
    let file = open(&real).map_err(|_| not_found())?;
    if !file.metadata().is_ok_and(|m| m.is_file()) {
        return Err(not_found());
    }
    let mut bytes = Vec::new();
    let read = file.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|e| error_of(1, &e.to_string()))?;
    if bytes.len() > most {
        return Err(too_large(most));
    }
    Ok(bytes)
}

/// Opens a path that has no links now, and refuses links that appear meanwhile.
#[cfg(target_os = "linux")]
fn open(path: &Path) -> std::io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(fd) => Ok(fd.into()),
        Err(rustix::io::Errno::NOSYS) => File::open(path),
        Err(e) => Err(e.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

/// The folders that files may be read from.
fn roots(vars: &Vars, places: &Places) -> Vec<PathBuf> {
    match vars.get("MCP_RESOURCES_ROOTS") {
        Some(list) => {
            let list = list.split(':').filter(|root| !root.is_empty());
            list.filter_map(|root| places.root.join(root).canonicalize().ok())
                .collect()
        }
        None => places.resources.canonicalize().ok().into_iter().collect(),
    }
}

fn percent_decoded(path: &str) -> PathBuf {
    use crate::os::OsStringExt;
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%')
            .then(|| path.get(at + 1..at + 3))
            .flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    PathBuf::from(OsString::from_vec(out))
}

/// The content of an `echo://` URI.
pub fn echo(uri: &str) -> &str {
    uri.strip_prefix("echo://").unwrap_or(uri)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    #[test]
    fn files_are_read_within_the_roots_only() {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        fs::create_dir(real.join("resources")).unwrap();
        fs::write(real.join("resources/a b.txt"), "hello").unwrap();
        fs::write(real.join("secret.txt"), "secret").unwrap();
        std::os::unix::fs::symlink(real.join("secret.txt"), real.join("resources/link")).unwrap();
        let places = Places::of(&real, &Vars::default());
        let read = |uri: &str, vars: &Vars| read_file(uri, vars, &places, 100);
        let none = Vars::default();
        let uri = format!("file://{}/resources/a%20b.txt", real.display());
        assert_eq!(read(&uri, &none).unwrap(), b"hello");
        assert_eq!(read("file://./resources/a b.txt", &none).unwrap(), b"hello");
        let outside = format!("file://{}/secret.txt", real.display());
        assert_eq!(read(&outside, &none).unwrap_err().code(), -32603);
        assert_eq!(
            read("file://./resources/link", &none).unwrap_err().code(),
            -32603
        );
        assert_eq!(
            read("file://./resources/../secret.txt", &none)
                .unwrap_err()
                .code(),
            -32603
        );
        assert_eq!(
            read("file://./resources/gone", &none).unwrap_err().code(),
            -32002
        );
        let vars: Vars = [("MCP_RESOURCES_ROOTS", real.to_str().unwrap())]
            .into_iter()
            .collect();
        assert_eq!(read(&outside, &vars).unwrap(), b"secret");
        assert_eq!(
            read_file(&uri, &none, &places, 3).unwrap_err().message(),
            "Resource content exceeds 3 bytes"
        );
    }

    #[test]
    fn a_scheme_of_the_project_must_be_declared() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("providers")).unwrap();
        for name in ["svc", "stray", "bar", "git"] {
            fs::write(
                root.path().join(format!("providers/{name}.sh")),
                "#!/bin/sh",
            )
            .unwrap();
        }
        let places = Places::of(root.path(), &Vars::default());
        let object = |v: Value| v.as_object().unwrap().clone();
        let resources = [
            object(json!({"uri": "svc://status", "provider": "svc"})),
            object(json!({"uri": "bar://x", "provider": "svc"})),
        ];
        let templates = [object(json!({"uriTemplate": "kv://{x}"}))];
        let of = |uri: &str| of_uri(uri, &resources, &templates, &places);
        assert!(matches!(of("svc://other"), Some(Provider::Program(_))));
        for uri in [
            "stray://x",
            "bar://y",
            "SVC://x",
            "git://h/r",
            "kv://1",
            "nothing",
        ] {
            assert_eq!(of(uri), None, "{uri}");
        }
        assert_eq!(of("file:///x"), Some(Provider::File));
        // The project's provider overrides the built-in one.
        assert!(matches!(of("git+https://h/r"), Some(Provider::Program(_))));
        assert_eq!(named("../x", &places), None);
    }

    #[test]
    fn exit_codes_have_meanings() {
        let codes: Vec<_> = (1..=7).map(|n| error_of(n, "why").code()).collect();
        assert_eq!(
            codes,
            [-32603, -32603, -32002, -32602, -32603, -32603, -32603]
        );
        assert_eq!(error_of(5, "no route\n").message(), "no route");
        assert_eq!(error_of(5, "").message(), "Resource fetch failed");
    }
}
