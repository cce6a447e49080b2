//! Tables of flags, and how words are matched with them.

use linkspan_schema::nearest;

use crate::error::LineError;
use crate::program::Program;

/// A flag of a program.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// With its dashes.
    pub name: &'static str,
    /// What its value is, if it takes one.
    pub value: Option<&'static str>,
    /// What it does with us.
    pub help: &'static str,
}

impl Flag {
    /// A flag without a value.
    pub(crate) const fn bare(name: &'static str, help: &'static str) -> Self {
        let value = None;
        Self { name, value, help }
    }

    /// A flag with a value.
    pub(crate) const fn with(name: &'static str, value: &'static str, help: &'static str) -> Self {
        let value = Some(value);
        Self { name, value, help }
    }
}

/// The lines of a help text, one for each flag.
pub(crate) fn listed(flags: &[Flag]) -> String {
    let line = |flag: &Flag| {
        let shown = match flag.value {
            Some(value) => format!("{} {value}", flag.name),
            None => flag.name.to_owned(),
        };
        format!("  {shown:<40} {}\n", flag.help)
    };
    flags.iter().map(line).collect()
}

/// The error for a flag that is in no table.
pub(crate) fn unknown(program: Program, flag: &str, flags: &[Flag]) -> LineError {
    let names = flags.iter().map(|flag| flag.name);
    let names = names.chain(["--help", "--version"]);
    LineError::Unknown {
        program,
        near: nearest(flag, names),
        flag: flag.to_owned(),
    }
}
