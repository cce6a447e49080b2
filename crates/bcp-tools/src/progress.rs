//! How far the work on a large file is.

/// Is told how far the work is.
pub trait Progress {
    /// Work begins that takes this many bytes; 0 if that is not known.
    fn begin(&self, action: &'static str, bytes: u64);

    /// This many bytes are done: more than announced, where they were compressed.
    fn at(&self, bytes: u64);

    /// The work is over.
    fn end(&self);
}

/// Progress that is not shown.
impl Progress for () {
    fn begin(&self, _: &'static str, _: u64) {}

    fn at(&self, _: u64) {}

    fn end(&self) {}
}
