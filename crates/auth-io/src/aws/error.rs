//! Why requests cannot be signed for AWS.

use std::io;
use std::path::PathBuf;

use linkspan_auth::aws::AwsCredentialsError;

/// Why requests cannot be signed for AWS.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AwsError {
    /// The host does not show its service.
    #[error("the name `{0}` does not show an AWS service")]
    NoService(String),
    /// No region is known.
    #[error("there is no AWS region for `{0}`")]
    NoRegion(String),
    /// A header that the signature sets.
    #[error("the header `{0}` belongs to the signature")]
    Header(&'static str),
    /// There are no credentials.
    #[error("there are no AWS credentials")]
    NoCredentials,
    /// There is no such profile.
    #[error("there is no AWS profile `{0}`")]
    NoProfile(String),
    /// A profile without keys.
    #[error("the AWS profile `{0}` has no keys")]
    NoKeys(String),
    /// A profile whose keys come from somewhere that is not supported.
    #[error(
        "the AWS profile `{profile}` gets its keys by `{setting}`, which linkspan does not do itself"
    )]
    Unsupported {
        /// The profile.
        profile: String,
        /// The setting.
        setting: &'static str,
    },
    /// A file of profiles cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file with a command that other users can change.
    #[error("the credential_process in {} is not run: {why}", path.display())]
    Untrusted {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The program for the keys has failed.
    #[error("the credential_process of the AWS profile `{profile}` has failed: {why}")]
    Process {
        /// The profile.
        profile: String,
        /// How.
        why: String,
    },
    /// The endpoint of the container has failed.
    #[error("the credentials endpoint of the container has failed: {0}")]
    Container(String),
    /// The keys cannot be used.
    #[error("{place} has no AWS credentials that can be used: {error}")]
    Keys {
        /// Where they are from.
        place: &'static str,
        /// What is wrong.
        error: AwsCredentialsError,
    },
}

impl AwsError {
    /// A hint for the user.
    pub fn hint(&self) -> String {
        let hint = match self {
            Self::NoService(_) => {
                "name it with --aws-service, for example bedrock-agentcore, execute-api or lambda"
            }
            Self::NoRegion(_) => "name it with --aws-region, or set AWS_REGION",
            Self::Header(_) => "leave it out; --aws-sigv4 sets it",
            Self::NoCredentials => {
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --aws-profile"
            }
            Self::NoProfile(_) => "`aws configure list-profiles` shows all profiles",
            Self::NoKeys(_) => "`aws configure` sets them",
            Self::Unsupported { profile, .. } => {
                return format!(
                    "add `credential_process = aws configure export-credentials --profile {profile} \
                     --format process` to that profile or to another one, and sign in with `aws`"
                );
            }
            Self::File { .. } => {
                "AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name other files of profiles"
            }
            Self::Untrusted { .. } => {
                "the file must belong to you or to root, and no other user may write to it: chown, chmod go-w"
            }
            Self::Process { .. } => "run its command in a terminal to see why",
            Self::Container(_) => "the next request tries again",
            Self::Keys { .. } => "check where they come from",
        };
        hint.to_owned()
    }
}
