//! Progress of the work on a large file.

/// Receives the progress.
pub trait Progress {
    /// A task starts, with this many bytes; 0 if unknown.
    fn begin(&self, action: &'static str, bytes: u64);

    /// This many bytes are done. May exceed the announced size, if the data was compressed.
    fn at(&self, bytes: u64);

    /// The task has ended.
    fn end(&self);
}

/// Progress that is not shown.
impl Progress for () {
    fn begin(&self, _: &'static str, _: u64) {}

    fn at(&self, _: u64) {}

    fn end(&self) {}
}
