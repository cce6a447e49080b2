//! What the operator should know about a document.

use linkspan_openapi::Api;
use linkspan_wire::escape_line;

/// Logs what is served, and what is not.
pub(crate) fn log(api: &Api, has_credentials: bool) {
    let (count, url) = (api.operations().len(), api.base_url());
    tracing::info!("{count} operations of {url}");
    match api.elsewhere() {
        0 => {}
        count => tracing::warn!(
            "{count} operations are on other servers and are left out; --base-url sends all requests to one server"
        ),
    }
    match api.too_large() {
        0 => {}
        count => tracing::warn!("{count} operations have too many parameters and are left out"),
    }
    let supported = api.schemes().iter().find(|scheme| scheme.is_supported());
    if let Some(scheme) = supported.filter(|_| !has_credentials) {
        let name = escape_line(scheme.name());
        tracing::info!(
            "no credentials are sent; `--credential-env '{name}=VAR'` gives those for the scheme {name}"
        );
    }
}
