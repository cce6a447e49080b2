//! Where the keys for AWS are: variables, profiles, the endpoint of a container.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linkspan_auth::Secret;
use linkspan_auth::aws::{AwsCredentials, AwsProfiles, AwsScope, AwsSource, scope_of_host};

use super::container::Container;
use super::error::AwsError;
use super::process;
use crate::resource::read_trusted;

/// How much of a file is read.
const LARGEST: u64 = 1 << 20;
const DEFAULT: &str = "default";

/// What a user says about the signature.
#[derive(Debug, Clone, Default)]
pub struct AwsFlags {
    /// The service, if the name of the host does not show it.
    pub service: Option<String>,
    /// The region, in place of the one that the host or the environment names.
    pub region: Option<String>,
    /// The profile whose keys sign.
    pub profile: Option<String>,
}

impl AwsFlags {
    /// The command line that says the same.
    pub fn words(&self) -> Vec<String> {
        let named = [
            ("--aws-service", &self.service),
            ("--aws-region", &self.region),
            ("--aws-profile", &self.profile),
        ];
        let named = named.into_iter();
        let given = named.filter_map(|(flag, value)| Some([flag.to_owned(), value.clone()?]));
        std::iter::once("--aws-sigv4".to_owned())
            .chain(given.flatten())
            .collect()
    }
}

/// What the environment says about keys and regions.
#[derive(Debug, Default)]
pub struct AwsEnvironment {
    keys: Option<(String, Secret, Option<Secret>)>,
    profile: Option<String>,
    region: Option<String>,
    credentials_file: Option<PathBuf>,
    config_file: Option<PathBuf>,
    container: Option<Container>,
    /// Variables that the program of a profile does not inherit.
    without_env: Vec<OsString>,
}

impl AwsEnvironment {
    /// Reads the variables that other programs for AWS read. `without_env` are variables with secrets of ours.
    pub fn read(variable: &dyn Fn(&str) -> Option<String>, without_env: Vec<OsString>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let home = set(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let home = home.as_deref().map(Path::new);
        let file = |name: &str, usual: &str| match set(name) {
            Some(path) => Some(match path.strip_prefix("~/").zip(home) {
                Some((rest, home)) => home.join(rest),
                None => path.into(),
            }),
            None => Some(home?.join(usual)),
        };
        let keys = set("AWS_ACCESS_KEY_ID").zip(set("AWS_SECRET_ACCESS_KEY"));
        Self {
            keys: keys.map(|(id, key)| {
                let token = set("AWS_SESSION_TOKEN").map(Secret::new);
                (id, Secret::new(key), token)
            }),
            profile: set("AWS_PROFILE").or_else(|| set("AWS_DEFAULT_PROFILE")),
            region: set("AWS_REGION").or_else(|| set("AWS_DEFAULT_REGION")),
            credentials_file: file("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"),
            config_file: file("AWS_CONFIG_FILE", ".aws/config"),
            container: Container::named_by(&set),
            without_env,
        }
    }

    /// The service and region that requests to a host are signed for.
    pub(super) fn scope(&self, flags: &AwsFlags, host: &str) -> Result<AwsScope, AwsError> {
        let shown = scope_of_host(host);
        let (service, region) = match shown {
            Some(shown) => (Some(shown.service), Some(shown.region)),
            None => (None, None),
        };
        let service = flags.service.clone().or(service);
        let region = flags.region.clone().or(region);
        let region = region.or_else(|| self.region.clone()).or_else(|| {
            let profiles = self.profiles().ok()?;
            profiles.region(self.profile(flags)).map(str::to_owned)
        });
        Ok(AwsScope {
            service: service.ok_or_else(|| AwsError::NoService(host.to_owned()))?,
            region: region.ok_or_else(|| AwsError::NoRegion(host.to_owned()))?,
        })
    }

    /// Whether asking again can give other keys.
    pub(super) fn can_change(&self, flags: &AwsFlags) -> bool {
        self.keys.is_none() || flags.profile.is_some()
    }

    /// Gets the keys.
    pub(super) async fn load(
        self: Arc<Self>,
        flags: &AwsFlags,
    ) -> Result<AwsCredentials, AwsError> {
        if let (Some((id, key, token)), None) = (&self.keys, &flags.profile) {
            return checked(
                "the environment",
                (id, key.expose(), token.as_ref().map(Secret::expose)),
            );
        }
        let name = self.profile(flags).to_owned();
        let here = Arc::clone(&self);
        let profiles = match tokio::task::spawn_blocking(move || here.profiles()).await {
            Ok(profiles) => profiles?,
            Err(broken) => std::panic::resume_unwind(broken.into_panic()),
        };
        let is_named = flags.profile.is_some() || self.profile.is_some();
        match profiles.source(&name) {
            Some(AwsSource::Keys(id, key, token)) => checked("the profile", (id, key, token)),
            Some(AwsSource::Process(command)) => {
                self.check_files()?;
                process::run(command, &self.without_env)
                    .await
                    .map_err(|why| AwsError::Process { profile: name, why })
            }
            Some(AwsSource::Other(setting)) => Err(AwsError::Unsupported {
                profile: name,
                setting,
            }),
            None if is_named && !profiles.contains(&name) => Err(AwsError::NoProfile(name)),
            None if is_named => Err(AwsError::NoKeys(name)),
            None => match &self.container {
                Some(container) => container.fetch().await,
                None => Err(AwsError::NoCredentials),
            },
        }
    }

    fn profile<'a>(&'a self, flags: &'a AwsFlags) -> &'a str {
        let named = flags.profile.as_deref().or(self.profile.as_deref());
        named.unwrap_or(DEFAULT)
    }

    fn profiles(&self) -> Result<AwsProfiles, AwsError> {
        let credentials = text(self.credentials_file.as_deref())?;
        let config = text(self.config_file.as_deref())?;
        Ok(AwsProfiles::parse(&credentials, &config))
    }

    /// Refuses files with a command if another user could have written it.
    fn check_files(&self) -> Result<(), AwsError> {
        let files = [&self.credentials_file, &self.config_file];
        for path in files.into_iter().flatten().filter(|path| path.exists()) {
            let why = match read_trusted(path) {
                Err(why) => why.to_string(),
                Ok(_) if is_of_another_user(path) => "it belongs to another user".to_owned(),
                Ok(_) => continue,
            };
            return Err(AwsError::Untrusted {
                path: path.clone(),
                why,
            });
        }
        Ok(())
    }
}

fn checked(
    place: &'static str,
    (id, key, token): (&str, &str, Option<&str>),
) -> Result<AwsCredentials, AwsError> {
    AwsCredentials::new(id, key, token).map_err(|error| AwsError::Keys { place, error })
}

/// Whether a file belongs to a user that is neither this one nor root.
#[cfg(unix)]
fn is_of_another_user(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let ours = [0, rustix::process::geteuid().as_raw()];
    std::fs::metadata(path).map_or(true, |file| !ours.contains(&file.uid()))
}

#[cfg(not(unix))]
fn is_of_another_user(_: &Path) -> bool {
    false
}

/// The text of a file of profiles; empty if there is none.
fn text(path: Option<&Path>) -> Result<String, AwsError> {
    match path.map(beginning) {
        None => Ok(String::new()),
        Some(Err(AwsError::File { source, .. })) if source.kind() == io::ErrorKind::NotFound => {
            Ok(String::new())
        }
        Some(read) => read,
    }
}

/// As much of a file as is read of any.
pub(super) fn beginning(path: &Path) -> Result<String, AwsError> {
    let mut bytes = Vec::new();
    let file = File::open(path);
    match file.and_then(|file| file.take(LARGEST).read_to_end(&mut bytes)) {
        Err(source) => Err(AwsError::File {
            path: path.to_owned(),
            source,
        }),
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}
