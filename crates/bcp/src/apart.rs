//! Avoids 4K aliasing between the source and the target of a copy.

/// The offset in a buffer at which a body or a rendered block starts.
///
/// Large buffers start at a page boundary, so a content would be copied to nearly the same offset within a
/// page as its source. Processors match loads against pending stores by these low address bits only: each
/// load would appear to depend on a store just made, and copying would take twice as long.
pub(crate) const APART: usize = 1024;
