//! Calls that change files in ways that Landlock ignores.

use seccompiler::{BackendError, SeccompCondition, SeccompRule};

use super::metadata::{CALLS, FCHMODAT2};
use super::rules::{Rules, is, masked, pointer};

const SET_USER_ID: u64 = 0o4000;
const SET_GROUP_ID: u64 = 0o2000;
/// `O_TMPFILE` without the `O_DIRECTORY` bit that it contains.
const TMPFILE: u64 = 0o20_000_000;

/// Refuses `call` if its argument has one of the two set-id bits and all conditions of `also` hold.
fn bits(
    rules: &mut Rules,
    call: i64,
    argument: u8,
    also: &[SeccompCondition],
) -> Result<(), BackendError> {
    for bit in [SET_USER_ID, SET_GROUP_ID] {
        let mut all = vec![masked(argument, bit, bit)?];
        all.extend_from_slice(also);
        rules.entry(call).or_default().push(SeccompRule::new(all)?);
    }
    Ok(())
}

/// Refuses modes with a set-user-id or set-group-id bit.
pub(super) fn set_id_bits(rules: &mut Rules) -> Result<(), BackendError> {
    let mut modes = vec![
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (FCHMODAT2, 2),
        (libc::SYS_mknodat, 2),
    ];
    let mut opens = vec![(libc::SYS_openat, 2, 3)];
    #[cfg(target_arch = "x86_64")]
    {
        modes.extend([
            (libc::SYS_chmod, 1),
            (libc::SYS_creat, 1),
            (libc::SYS_mknod, 1),
        ]);
        opens.push((libc::SYS_open, 1, 2));
    }
    for (call, mode) in modes.drain(..) {
        bits(rules, call, mode, &[])?;
    }
    for (call, flags, mode) in opens.drain(..) {
        // The mode matters only if a file is created.
        for makes in [libc::O_CREAT as u64, TMPFILE] {
            bits(rules, call, mode, &[masked(flags, makes, makes)?])?;
        }
    }
    Ok(())
}

/// Commands of `ioctl` that change a file which is open for reading.
const INODES: [u64; 15] = [
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x4008_7602, // FS_IOC_SETVERSION
    0x4004_7602, // FS_IOC32_SETVERSION
    0x4080_6685, // FS_IOC_ENABLE_VERITY
    0x800c_6613, // FS_IOC_SET_ENCRYPTION_POLICY
    0x4004_7211, // FAT_IOCTL_SET_ATTRIBUTES
    0x5000_9401, // BTRFS_IOC_SNAP_CREATE
    0x5000_9417, // BTRFS_IOC_SNAP_CREATE_V2
    0x5000_940e, // BTRFS_IOC_SUBVOL_CREATE
    0x5000_9418, // BTRFS_IOC_SUBVOL_CREATE_V2
    0x5000_940f, // BTRFS_IOC_SNAP_DESTROY
    0x5000_943f, // BTRFS_IOC_SNAP_DESTROY_V2
    0x4008_941a, // BTRFS_IOC_SUBVOL_SETFLAGS
];

/// Refuses these commands. The kernel uses the low 32 bits, and so does the rule.
pub(super) fn inodes(rules: &mut Rules) -> Result<(), BackendError> {
    for command in INODES {
        let rule = SeccompRule::new(vec![is(1, command)?])?;
        rules.entry(libc::SYS_ioctl).or_default().push(rule);
    }
    Ok(())
}

/// Refuses changes of modes, owners, times and extended attributes.
pub(super) fn metadata(rules: &mut Rules) -> Result<(), BackendError> {
    for call in CALLS {
        rules.insert(*call, Vec::new());
    }
    // Setting the time of an open file to the present stays allowed: `touch` does it.
    let (by_path, other_time) = (pointer(1)?, pointer(2)?);
    let rule = |condition| SeccompRule::new(vec![condition]);
    rules.insert(libc::SYS_utimensat, vec![rule(by_path)?, rule(other_time)?]);
    Ok(())
}
