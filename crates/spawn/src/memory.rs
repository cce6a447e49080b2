//! Memory that was freed. It has nothing to do with processes; but this is the crate for `unsafe`.

/// Gives memory that was freed back to the system. The allocator of glibc keeps it otherwise when something
/// behind it is still in use: after 2,000 sessions of 70 KB each, all of it. Does nothing with
/// other allocators.
///
/// Blocks for some milliseconds if there is much of it.
pub fn release_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes no pointer, and may be called by any thread at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}
