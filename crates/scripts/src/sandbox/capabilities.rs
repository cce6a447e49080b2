//! Reduces the capabilities of root at level 2 to file access of other users within Landlock's limits. With the
//! capabilities to trace processes, craft packets or load kernel modules, a program is not confined to files
//! and ports, and with those over owners and modes not to the writable files.

use std::io;

/// Drops the capabilities of this process for good. Does nothing for ordinary users.
#[cfg(target_os = "linux")]
pub(super) fn give_up() -> io::Result<()> {
    use rustix::io::Errno;
    use rustix::thread::{
        CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities,
    };

    let kept = CapabilitySet::DAC_OVERRIDE;
    let have = capabilities(None)?;
    if kept.contains(have.permitted) {
        return Ok(());
    }
    // Without this root would regain all capabilities with every executed program.
    for bit in 0..64 {
        let one = CapabilitySet::from_bits_retain(1 << bit);
        if kept.contains(one) {
            continue;
        }
        match remove_capability_from_bounding_set(one) {
            // Above the last capability of this kernel.
            Err(Errno::INVAL) => break,
            done => done?,
        }
    }
    clear_ambient_capability_set()?;
    set_capabilities(
        None,
        CapabilitySets {
            effective: have.effective & kept,
            permitted: have.permitted & kept,
            inheritable: CapabilitySet::empty(),
        },
    )?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn give_up() -> io::Result<()> {
    Ok(())
}
