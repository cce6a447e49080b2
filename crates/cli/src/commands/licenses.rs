//! `linkspan licenses`: the licences of the software that is part of the program.

use std::env::consts::{ARCH, OS};
use std::sync::LazyLock;

use crate::exit::Exit;
use crate::show;

/// The packages and their texts: `cargo xtask notices` writes them.
const PACKED: &[u8] = include_bytes!("../../notices.zst");
/// More than the list.
const MOST: usize = 8 << 20;

/// What `--version` prints behind the name: version, commit and system of the build, and the licence.
pub(crate) static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    // `cargo xtask dist` names the commit.
    let commit =
        option_env!("LINKSPAN_COMMIT").map_or(String::new(), |commit| format!("{commit}, "));
    let musl = if cfg!(target_env = "musl") {
        "-musl"
    } else {
        ""
    };
    format!(
        "{} ({commit}{ARCH}-{OS}{musl})\n{}; `linkspan licenses` prints the licences of what it contains",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_LICENSE")
    )
});

pub(crate) fn run() -> Exit {
    let list = zstd::bulk::decompress(PACKED, MOST).expect("the list is ours and whole");
    show::print(|out| {
        let own = env!("CARGO_PKG_LICENSE");
        writeln!(out, "linkspan is available under {own}. It contains:\n")?;
        out.write_all(&list)
    });
    Exit::Ok
}
