//! Limits of this process.

/// Limits the address space, in bytes, and the processor time, in seconds, of this process. Does nothing where the
/// system has no such limits.
pub fn limit_this_process(memory: u64, seconds: u64) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let most = |number| Rlimit {
            current: Some(number),
            maximum: Some(number),
        };
        let _ = setrlimit(Resource::As, most(memory));
        let _ = setrlimit(Resource::Cpu, most(seconds));
    }
    #[cfg(not(unix))]
    let _ = (memory, seconds);
}
