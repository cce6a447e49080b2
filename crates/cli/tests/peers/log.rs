//! A file for the stderr of a child, to be read after a failed test.

use std::fs::{self, File};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::installed;

/// A new file `.peers/logs/NAME-N.log`.
pub fn file(name: &str) -> Stdio {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let folder = installed::folder().join("logs");
    fs::create_dir_all(&folder).expect("the logs' folder can be made");
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("{name}-{}-{number}.log", std::process::id()));
    File::create(path).expect("a log file can be made").into()
}
