//! Calls that change the meaning of paths: mounts, namespaces and roots. Landlock refuses some of them, but not
//! a new namespace or a copy of a mount, in which the server (`metadata.rs`) would resolve paths differently.

use seccompiler::{BackendError, SeccompRule};

use super::rules::{Rules, masked};

/// Newer than our `libc`.
const OPEN_TREE_ATTR: i64 = 467;

const CALLS: [i64; 14] = [
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    // Opens a file without its path.
    libc::SYS_open_by_handle_at,
];

/// Refuses these calls, and processes in new mount or user namespaces. `clone3` has its flags in memory: see
/// `missing`.
pub(super) fn mounts(rules: &mut Rules) -> Result<(), BackendError> {
    rules.extend(CALLS.map(|call| (call, Vec::new())));
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        for flag in [libc::CLONE_NEWNS, libc::CLONE_NEWUSER] {
            let flag = flag as u64;
            let rule = SeccompRule::new(vec![masked(0, flag, flag)?])?;
            rules.entry(call).or_default().push(rule);
        }
    }
    Ok(())
}
