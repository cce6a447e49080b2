//! Returns freed memory to the system. Unrelated to processes, but this is the only crate with `unsafe`.

/// Returns freed memory to the system. glibc keeps freed memory below a block that is still in use: after 2,000
/// sessions of 70 KB each, all of it. Does nothing with other allocators.
///
/// Blocks for some milliseconds if there is much to return.
pub fn release_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` takes no pointer and is thread-safe.
    unsafe {
        libc::malloc_trim(0);
    }
}
