//! What goes wrong with files, as a person is told.

use linkspan_bcp::{Error, Reason, Report};

use crate::bcp::opening::FileArg;
use crate::exit::{Exit, Failure};

/// A file that is not what it should be.
pub(crate) fn broken(file: &FileArg, error: &Error) -> Failure {
    Failure::new(Exit::Invalid, format!("{}: {error}", file.name())).hint(hint(&error.reason))
}

/// How many blocks are left out, as the rest of a sentence; nothing if the text has a line for that.
pub(crate) fn others(report: &Report) -> String {
    match report.left_out {
        0 => String::new(),
        _ if report.noted => String::new(),
        1 => "; 1 other block is left out".to_owned(),
        count => format!("; {count} other blocks are left out"),
    }
}

/// What to do about it.
pub(crate) fn hint(reason: &Reason) -> &'static str {
    match reason {
        Reason::Magic => {
            "`linkspan bcp encode` makes a BCP file of a manifest, of files or folders"
        }
        Reason::Version(..) => "a newer linkspan may be able to read it",
        Reason::Truncated { .. } | Reason::NoEnd => "the file is cut off: fetch or make it again",
        Reason::Unresolved(_) => "--store DIR names the folder that has these contents",
        Reason::TooLarge { .. } | Reason::TooMany(_) | Reason::TooDeep(_) => {
            "nothing beyond the limits is read, because a small file could ask for all memory"
        }
        Reason::Io(..) => "is the disk full, or the file gone?",
        _ => "the file is damaged: fetch or make it again",
    }
}
