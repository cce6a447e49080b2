//! Two buffers, one of which is copied into the other, should not be too much alike.

/// Something that is put together in a buffer begins so many bytes after the buffer's beginning.
///
/// Large buffers begin with a page, so that a content would be copied to nearly the same place within
/// a page as it comes from. Processors compare loads with stores that are still on their way by those
/// bits alone: each load seems to want what was just stored, and copying takes twice as long.
pub(crate) const APART: usize = 1024;
