//! Requests that are signed for AWS.

use clap::Args;
use linkspan_auth_io::aws::AwsFlags;

// Requests that are signed for AWS.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "AWS")]
pub(crate) struct AwsArgs {
    /// Sign requests for AWS (SigV4), with the keys that the AWS command line uses
    #[arg(long, conflicts_with = "bearer_env", hide_short_help = true)]
    pub(crate) aws_sigv4: bool,
    /// Service, if the name of the host does not show it
    #[arg(
        long,
        value_name = "NAME",
        requires = "aws_sigv4",
        hide_short_help = true
    )]
    pub(crate) aws_service: Option<String>,
    /// Region, in place of that of the host or of AWS_REGION
    #[arg(
        long,
        value_name = "NAME",
        requires = "aws_sigv4",
        hide_short_help = true
    )]
    pub(crate) aws_region: Option<String>,
    /// Profile with the keys
    #[arg(
        long,
        value_name = "NAME",
        requires = "aws_sigv4",
        hide_short_help = true
    )]
    pub(crate) aws_profile: Option<String>,
}

impl AwsArgs {
    /// What they say; `None` without `--aws-sigv4`.
    pub(crate) fn flags(&self) -> Option<AwsFlags> {
        self.aws_sigv4.then(|| AwsFlags {
            service: self.aws_service.clone(),
            region: self.aws_region.clone(),
            profile: self.aws_profile.clone(),
        })
    }

    /// The flags as words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        self.flags().map(|flags| flags.words()).unwrap_or_default()
    }
}
