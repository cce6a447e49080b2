//! The verbs of mcp-bash, and what they use of the rest of this program.

pub(crate) mod theirs;

use linkspan_scripts::author::{names, scaffold};

use crate::commands::doctor;
use crate::folder as reading;

mod args {
    pub(super) use crate::args::folder::{Compat, FolderArgs};
    pub(super) use crate::commands::serve::ServeArgs;
}

mod open {
    pub(super) use crate::commands::serve::run_with;
    pub(super) use crate::folder::{folder, options};
}

mod validate {
    pub(super) use linkspan_scripts::author::Report;

    pub(super) use crate::folder::look;

    pub(super) mod fixing {
        pub(in crate::serve) use crate::folder::repair as mend;
    }
}
