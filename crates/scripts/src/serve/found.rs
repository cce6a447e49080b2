//! Resolves URIs to resources.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Folder;
use super::files;
use super::jobs::find;
use super::snapshot::Snapshot;
use super::uri_template::UriTemplate;
use crate::folder::{Catalogue, Read, Resource, RunSettings};
use crate::uri;

/// The resource of a URI.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) read: Read,
    /// The folder that must contain the file.
    pub(super) inside: PathBuf,
    pub(super) run: RunSettings,
    pub(super) mime: Option<String>,
    /// The values of the template's variables.
    pub(super) values: Map<String, Value>,
}

/// Resolves a URI: listed resources first, then templates, then built-in schemes and providers.
pub(super) fn resolve(folder: &Folder, uri: &str) -> Option<Found> {
    let snapshot: Arc<Snapshot> = folder.snapshot();
    let all = &snapshot.catalogue;
    if let Some(resource) = listed(all, uri) {
        return Some(Found {
            name: resource.uri.clone(),
            read: resource.read.clone(),
            inside: folder.runner.root().to_owned(),
            run: resource.run.clone(),
            mime: mime(&resource.shown),
            values: Map::new(),
        });
    }
    let matching = all.templates.iter().filter_map(|template| {
        let pattern = UriTemplate::new(&template.uri_template);
        let values = pattern.values(uri)?;
        Some((pattern.literals(), template, values))
    });
    if let Some((_, template, values)) = matching.max_by_key(|(literals, _, _)| *literals) {
        return Some(Found {
            name: template.uri_template.clone(),
            read: template.read.clone(),
            inside: folder.runner.root().to_owned(),
            run: template.run.clone(),
            mime: mime(&template.shown),
            values: values.into_iter().map(|(n, v)| (n, v.into())).collect(),
        });
    }
    let scheme = uri::scheme(uri)?;
    let unlisted = |read, run| Found {
        name: uri.to_owned(),
        read,
        inside: folder.runner.root().to_owned(),
        run,
        mime: None,
        values: Map::new(),
    };
    if let Some(provider) = find(&all.providers, |provider| provider.scheme == scheme) {
        return Some(unlisted(
            Read::Provider(scheme.to_owned()),
            provider.run.clone(),
        ));
    }
    let run = RunSettings::default();
    match scheme {
        "file" => {
            // Resolved before the comparison, so `..` and links count by their target.
            let path = files::resolved(&uri::to_file(uri)?)?;
            let mut roots = folder.options.roots.iter();
            let inside = roots.find(|root| path.starts_with(root))?.clone();
            Some(Found {
                inside,
                ..unlisted(Read::File(path), run)
            })
        }
        "https" if folder.options.https.is_some() => {
            Some(unlisted(Read::Provider("https".to_owned()), run))
        }
        "git" | "git+https" | "git+file" if folder.options.git => {
            Some(unlisted(Read::Provider("git".to_owned()), run))
        }
        _ => None,
    }
}

/// A listed resource. A file may match by path, because clients escape different characters.
fn listed<'a>(all: &'a Catalogue, uri: &str) -> Option<&'a Arc<Resource>> {
    find(&all.resources, |resource| resource.uri == uri).or_else(|| {
        let path = uri::to_file(uri)?;
        find(&all.resources, |resource| {
            uri::to_file(&resource.uri).is_some_and(|other| other == path)
        })
    })
}

fn mime(shown: &Value) -> Option<String> {
    Some(shown.get("mimeType")?.as_str()?.to_owned())
}
