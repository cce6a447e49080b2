//! The flags of the sign-in.

use std::path::Path;
use std::time::Duration;

use linkspan_auth::Secret;
use linkspan_auth::client::Grant;
use linkspan_auth::store::ClientAuth;
use serde_json::{Map, Value};
use url::{Host, Url};

use super::values::leading_number;
use super::{Oauth, StaticClient};
use crate::error::LineError;
use crate::note::Note;
use crate::surroundings::{Surroundings, expanded};

/// Paths that mcp-remote itself uses.
const RESERVED_PATHS: [&str; 2] = ["/wait-for-auth", "/.mcp-remote/id"];
/// Parameters that belong to the flow.
const RESERVED_PARAMS: [&str; 6] = [
    "client_id",
    "redirect_uri",
    "response_type",
    "state",
    "code_challenge",
    "code_challenge_method",
];

const SUCCESS_URL: &str = "--auth-success-url";
const TOKEN_ENDPOINT: &str = "--token-endpoint";

impl Default for Oauth {
    fn default() -> Self {
        let host = if cfg!(windows) {
            "127.0.0.1"
        } else {
            "localhost"
        };
        Self {
            grant: Grant::Auto,
            host: host.to_owned(),
            path: "/oauth/callback".to_owned(),
            success_url: None,
            timeout: Duration::from_secs(300),
            resource: None,
            send_resource: true,
            authorize_params: Vec::new(),
            metadata: Map::new(),
            client: None,
            metadata_url: None,
            token_endpoint: None,
            use_id_token: false,
        }
    }
}

impl Oauth {
    /// Takes a flag with its value; `None` if it is not one of the sign-in.
    pub(super) fn take(
        &mut self,
        flag: &'static str,
        value: &str,
        around: Surroundings<'_>,
        notes: &mut Vec<Note>,
    ) -> Option<Result<(), LineError>> {
        let mut ignored = |takes| {
            let flag = flag.to_owned();
            notes.push(Note::Ignored { flag, takes });
        };
        match flag {
            "--host" => self.host = value.to_owned(),
            "--callback-path" if RESERVED_PATHS.contains(&value) => {
                ignored("another path, this one is reserved");
            }
            "--callback-path" if value.starts_with('/') => self.path = value.to_owned(),
            "--callback-path" => ignored("a path that begins with /"),
            SUCCESS_URL if self.success_url.is_some() => return Some(Err(success_url())),
            SUCCESS_URL => match Url::parse(value) {
                Ok(url) => self.success_url = Some(url),
                Err(_) => return Some(Err(success_url())),
            },
            "--auth-timeout" => match leading_number(value).filter(|seconds| *seconds > 0) {
                Some(seconds) => self.timeout = Duration::from_secs(seconds.min(1_000_000_000)),
                None => ignored("a number of seconds"),
            },
            "--resource" if value.trim().is_empty() => self.send_resource = false,
            "--resource" => match Url::parse(value.trim()) {
                Ok(_) => self.resource = Some(value.trim().to_owned()),
                Err(_) => return Some(Err(wrong(flag, "an absolute URI"))),
            },
            "--authorize-param" => return Some(self.authorize_param(flag, value)),
            "--static-oauth-client-metadata" => {
                return Some(json(flag, value, around, None).map(|it| self.metadata = it));
            }
            "--static-oauth-client-info" => {
                let info = json(flag, value, around, Some(notes));
                return Some(info.and_then(|info| {
                    self.client = Some(client(flag, &info)?);
                    Ok(())
                }));
            }
            "--client-metadata-url" => match Url::parse(value.trim()) {
                Ok(url) if url.scheme() == "https" && url.path() != "/" => {
                    self.metadata_url = Some(url);
                }
                _ => ignored("an https URL with a path"),
            },
            TOKEN_ENDPOINT => match Url::parse(value.trim()) {
                Ok(url) if is_endpoint(&url) => self.token_endpoint = Some(url),
                _ => {
                    return Some(Err(wrong(
                        flag,
                        "an https URL without credentials and fragment",
                    )));
                }
            },
            _ => return None,
        }
        Some(Ok(()))
    }

    fn authorize_param(&mut self, flag: &'static str, value: &str) -> Result<(), LineError> {
        let pair = value.split_once('=').filter(|(name, _)| !name.is_empty());
        let (name, value) = pair.ok_or(wrong(flag, "NAME=VALUE"))?;
        let name = name.trim();
        if RESERVED_PARAMS.contains(&name) {
            return Err(wrong(
                flag,
                "parameters that are not part of the flow itself",
            ));
        }
        self.authorize_params.retain(|(known, _)| known != name);
        self.authorize_params
            .push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// What only all flags together decide.
    pub(super) fn finish(
        &mut self,
        allow_http: bool,
        notes: &mut Vec<Note>,
    ) -> Result<(), LineError> {
        if self
            .success_url
            .as_ref()
            .is_some_and(|url| !is_success(url, allow_http))
        {
            return Err(success_url());
        }
        if self.token_endpoint.is_some() && self.grant != Grant::ClientCredentials {
            return Err(wrong(
                TOKEN_ENDPOINT,
                "effect only with --client-credentials",
            ));
        }
        if !self.send_resource && self.resource.take().is_some() {
            let what = "--disable-resource-parameter overrides --resource";
            notes.push(Note::Remark(what.to_owned()));
        }
        if self
            .authorize_params
            .iter()
            .any(|(name, _)| name == "resource")
        {
            let what = "--authorize-param resource=… is sent with the authorization request only; \
                        --resource is sent with all";
            notes.push(Note::Remark(what.to_owned()));
        }
        Ok(())
    }
}

fn wrong(flag: &'static str, takes: &'static str) -> LineError {
    LineError::Value { flag, takes }
}

fn success_url() -> LineError {
    let takes = "one https URL (http on this machine or with --allow-http) without credentials, \
                 query and fragment";
    wrong(SUCCESS_URL, takes)
}

fn is_success(url: &Url, allow_http: bool) -> bool {
    let is_safe =
        url.scheme() == "https" || (url.scheme() == "http" && (allow_http || is_here(url)));
    is_safe && is_bare(url) && url.query().is_none()
}

fn is_endpoint(url: &Url) -> bool {
    (url.scheme() == "https" || (url.scheme() == "http" && is_here(url))) && is_bare(url)
}

fn is_bare(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none() && url.fragment().is_none()
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// A JSON object, or `@FILE` with one. With `notes`, variables are expanded.
fn json(
    flag: &'static str,
    value: &str,
    around: Surroundings<'_>,
    notes: Option<&mut Vec<Note>>,
) -> Result<Map<String, Value>, LineError> {
    let mut text = match value.strip_prefix('@') {
        None => value.to_owned(),
        Some(file) => (around.read)(Path::new(file)).map_err(|source| LineError::File {
            file: file.into(),
            source,
        })?,
    };
    if let Some(notes) = notes {
        let (whole, missing) = expanded(&text, around.variable);
        notes.extend(missing.into_iter().map(Note::NotSet));
        text = whole;
    }
    serde_json::from_str(&text).map_err(|_| LineError::Json { flag })
}

fn client(flag: &'static str, info: &Map<String, Value>) -> Result<StaticClient, LineError> {
    let text = |name: &str| info.get(name).and_then(Value::as_str);
    let id = text("client_id").ok_or(wrong(flag, "an object with a client_id"))?;
    Ok(StaticClient {
        id: id.to_owned(),
        secret: text("client_secret").map(Secret::new),
        auth: match text("token_endpoint_auth_method") {
            Some("none") => Some(ClientAuth::None),
            Some("client_secret_basic") => Some(ClientAuth::ClientSecretBasic),
            Some("client_secret_post") => Some(ClientAuth::ClientSecretPost),
            _ => None,
        },
    })
}
