//! The files of mcp-remote.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use super::{ImportError, Imported, Lookup};
use crate::store::record::{ClientAuth, Registration, Tokens};
use crate::{Secret, Timestamp};

type Result<T> = std::result::Result<T, ImportError>;

const TOKENS: &str = "_tokens.json";
const CLIENT: &str = "_client_info.json";
const LARGEST: u64 = 1 << 20;

/// The sign-in of one server. `folder` is `~/.mcp-auth`, or what `MCP_REMOTE_CONFIG_DIR` says.
pub fn find(folder: &Path, lookup: &Lookup) -> Result<Option<Imported>> {
    let all = names(folder)?;
    let Some((name, place)) = all.into_iter().find(|(name, _)| lookup.fits(name)) else {
        return Ok(None);
    };
    read(&place, name, lookup.server()).map(Some)
}

/// All sign-ins. Servers are known for those that a lookup fits; a file that cannot be read is an error of its own.
pub fn list(folder: &Path, known: &[Lookup]) -> Result<Vec<Result<Imported>>> {
    let imported = names(folder)?.into_iter().map(|(name, place)| {
        let lookup = known.iter().find(|lookup| lookup.fits(&name));
        read(&place, name, lookup.and_then(Lookup::server))
    });
    Ok(imported.collect())
}

/// The names of sign-ins, each with the folder where its tokens are newest.
fn names(folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut found: BTreeMap<String, (SystemTime, PathBuf)> = BTreeMap::new();
    for place in entries(folder)? {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with("mcp-remote-") || !place.is_dir() {
            continue;
        }
        for file in entries(&place)? {
            let Some(name) = sign_in(&file) else {
                continue;
            };
            let written = fs::metadata(&file).and_then(|metadata| metadata.modified());
            let written = written.unwrap_or(UNIX_EPOCH);
            let known = found.get(&name);
            if known.is_none_or(|(other, _)| *other < written) {
                found.insert(name, (written, place.clone()));
            }
        }
    }
    let places = found.into_iter().map(|(name, (_, place))| (name, place));
    Ok(places.collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            let path = folder.to_owned();
            return Err(ImportError::Io { path, source });
        }
    };
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// The name of the sign-in whose tokens are in a file.
fn sign_in(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?.strip_suffix(TOKENS)?;
    let is_hash = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| name.to_owned())
}

fn read(place: &Path, name: String, server: Option<url::Url>) -> Result<Imported> {
    let at = |end: &str| place.join(format!("{name}{end}"));
    let tokens = object(&at(TOKENS))?;
    let client = object(&at(CLIENT))?;
    let issuer = [&tokens, &client]
        .into_iter()
        .find_map(|file| text(&file.as_ref()?.0, "issuer"));
    let requested = tokens
        .as_ref()
        .and_then(|(tokens, _)| text(tokens, "requested_scope"))
        .unwrap_or_default();
    Ok(Imported {
        server,
        issuer,
        client: client.and_then(|(client, _)| registration(&client)),
        tokens: tokens.and_then(|(tokens, written)| token_set(&tokens, written)),
        requested: requested.split_whitespace().map(str::to_owned).collect(),
        name,
    })
}

/// A file and the time when it was written; `None` if there is no such file.
fn object(path: &Path) -> Result<Option<(Map<String, Value>, Timestamp)>> {
    let failed = |source| ImportError::Io {
        path: path.to_owned(),
        source,
    };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let modified = file.metadata().and_then(|metadata| metadata.modified());
    let since = modified.map_err(failed)?.duration_since(UNIX_EPOCH);
    let written = Timestamp(since.unwrap_or_default().as_secs());
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(failed)?;
    // The error of serde_json may show a part of a token.
    let object = serde_json::from_slice(&bytes).map_err(|_| ImportError::Format {
        path: path.to_owned(),
    })?;
    Ok(Some((object, written)))
}

fn token_set(file: &Map<String, Value>, written: Timestamp) -> Option<Tokens> {
    let life = number(file, "expires_in").map(Duration::from_secs);
    // In milliseconds; older versions noted the lifetime alone.
    let expires_at = number(file, "expires_at").map(|time| Timestamp(time / 1000));
    let expires = expires_at.or_else(|| Some(written.after(life?)));
    let issued = match (expires, life) {
        (Some(expires), Some(life)) => Timestamp(expires.0.saturating_sub(life.as_secs())),
        _ => written,
    };
    let kind = text(file, "token_type").unwrap_or_default();
    Some(Tokens {
        access: Secret::new(text(file, "access_token")?),
        dpop: kind.eq_ignore_ascii_case("DPoP"),
        refresh: text(file, "refresh_token").map(Secret::new),
        id_token: text(file, "id_token").map(Secret::new),
        issued,
        expires,
        scope: text(file, "scope"),
    })
}

fn registration(file: &Map<String, Value>) -> Option<Registration> {
    let secret = text(file, "client_secret");
    let method = text(file, "token_endpoint_auth_method");
    let auth = match (method.as_deref(), &secret) {
        (Some("client_secret_post"), Some(_)) => ClientAuth::ClientSecretPost,
        // What RFC 7591 §2 says if nothing is said.
        (_, Some(_)) => ClientAuth::ClientSecretBasic,
        (_, None) => ClientAuth::None,
    };
    let uris = file.get("redirect_uris").and_then(Value::as_array);
    let uris = uris.into_iter().flatten().filter_map(Value::as_str);
    Some(Registration {
        client_id: text(file, "client_id")?,
        client_secret: secret.map(Secret::new),
        auth,
        redirect_uris: uris.map(str::to_owned).collect(),
        // Zero: never.
        expires: number(file, "client_secret_expires_at")
            .filter(|time| *time > 0)
            .map(Timestamp),
        scope: None,
        dynamic: true,
    })
}

fn text(file: &Map<String, Value>, name: &str) -> Option<String> {
    file.get(name)?.as_str().map(str::to_owned)
}

/// Some authorization servers send numbers as text, and mcp-remote keeps what it gets.
fn number(file: &Map<String, Value>, name: &str) -> Option<u64> {
    let value = file.get(name)?;
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
    // Saturates; a negative number becomes zero.
    Some(number as u64)
}
