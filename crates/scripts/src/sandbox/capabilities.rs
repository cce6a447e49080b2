//! What root may do besides: at level 2 it may read and write files of other users where Landlock lets it,
//! and nothing else. With the power to trace processes, craft packets or load kernel modules a program is
//! not confined to files and ports, and with that over owners and modes not to the files that it may write.

use std::io;

/// Takes the capabilities away, from this process and for good. Does nothing for ordinary users.
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
    // Root gets all of these anew with every program that is executed.
    for bit in 0..64 {
        let one = CapabilitySet::from_bits_retain(1 << bit);
        if kept.contains(one) {
            continue;
        }
        match remove_capability_from_bounding_set(one) {
            // The last one that this kernel knows was before.
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
