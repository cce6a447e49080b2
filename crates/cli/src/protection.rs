//! The flags of a protected resource as values.

use std::path::Path;
use std::sync::Arc;

use linkspan_auth::Secret;
use linkspan_auth_io::resource::{
    JwksSetting, KeyFile, ResourceOptions, ResourceSettings, read_trusted,
};

use crate::args::auth_guard::AuthArgs;
use crate::args::listen::ListenArgs;
use crate::exit::Failure;
use crate::remote::token_of;
use crate::show::path as shown;

/// What the flags say about access tokens and keys; `None` if they say nothing.
pub(crate) fn options(
    args: &AuthArgs,
    listen: &ListenArgs,
) -> Result<Option<ResourceOptions>, Failure> {
    let jwks = args.auth_jwks.as_deref().map(|text| match text {
        url if url.contains("://") => Ok(JwksSetting::Url(url.to_owned())),
        file => read("--auth-jwks", Path::new(file)).map(JwksSetting::File),
    });
    let read_file = |flag, path: &Option<_>| path.as_deref().map(|path| read(flag, path));
    let key = read_file("--identity-key", &args.identity_key).transpose()?;
    let secret = args.auth_introspect_secret_env.as_deref();
    let secret = secret.map(|name| token_of("--auth-introspect-secret-env", name));
    let settings = ResourceSettings {
        path: listen.path.clone(),
        has_address: listen.unix.is_none() && !listen.host.is_unspecified(),
        public_url: args.public_url.clone(),
        issuers: args.auth_issuer.clone(),
        audiences: args.auth_audience.clone(),
        scopes: args.auth_scope.clone(),
        tool_scopes: args.tool_scope.clone(),
        jwks: jwks.transpose()?,
        introspect: args.auth_introspect.clone(),
        introspect_client: args.auth_introspect_client_id.clone(),
        introspect_secret: secret.transpose()?.map(Secret::new),
        dpop: args.auth_dpop,
        subject: args.auth_claim.clone(),
        accept_id_token: args.auth_accept_id_token,
        keys: args.keys.as_deref().map(api_keys).transpose()?,
        forward_identity: args.forward_identity,
        identity_key: key.map(|key| String::from_utf8_lossy(&key).into_owned()),
    };
    Ok(settings.options()?)
}

fn api_keys(path: &Path) -> Result<Arc<KeyFile>, Failure> {
    let opened = KeyFile::open(path).map(Arc::new);
    opened.map_err(|e| Failure::usage(format!("--keys {}: {e}", shown(path))).hint(e.hint()))
}

fn read(flag: &str, path: &Path) -> Result<Vec<u8>, Failure> {
    read_trusted(path).map_err(|e| {
        Failure::usage(format!("{flag} {}: {e}", shown(path)))
            .hint("it must be a file that you can read and no other user can write")
    })
}
