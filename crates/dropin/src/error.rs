//! Command lines that are refused.

use std::io;
use std::path::PathBuf;

use linkspan_ports::OptionsError;

use crate::program::Program;

/// Why a command line is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// A flag that the program does not have.
    #[error("{} has no flag `{flag}`{}", program.name(), meant(*near))]
    Unknown {
        /// The program.
        program: Program,
        /// The flag.
        flag: String,
        /// The flag that was probably meant.
        near: Option<&'static str>,
    },
    /// A flag without its value.
    #[error("`{flag}` needs a value")]
    NoValue {
        /// The program.
        program: Program,
        /// The flag.
        flag: &'static str,
    },
    /// A value that the original refuses as well.
    #[error("`{flag}` takes {takes}")]
    Value {
        /// The flag.
        flag: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// A value that is not JSON. It is not shown, because it may hold a secret.
    #[error("the value of `{flag}` is not a JSON object")]
    Json {
        /// The flag.
        flag: &'static str,
    },
    /// A file that a flag names.
    #[error("cannot read {}: {source}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What is missing or too much.
    #[error("{what}")]
    Form {
        /// In words.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// A URL or a header that cannot be used.
    #[error(transparent)]
    Options(#[from] OptionsError),
}

fn meant(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

impl LineError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown { program, .. } | Self::NoValue { program, .. } => {
                format!("linkspan {} --help lists the flags", program.name())
            }
            Self::Value { .. } | Self::Json { .. } => {
                "--help lists the flags and their values".to_owned()
            }
            Self::File { .. } => "check the path, and who may read the file".to_owned(),
            Self::Form { hint, .. } => (*hint).to_owned(),
            Self::Options(OptionsError::PlainHttp(_)) => {
                "use https, or accept that by --allow-http".to_owned()
            }
            Self::Options(error) => error.hint().to_string(),
        }
    }
}
