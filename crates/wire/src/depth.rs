//! The scanner's stack: one bit for each open bracket.

use crate::limits::MAX_DEPTH;

/// Which brackets are open, innermost in the lowest bit (1 = object, 0 = array).
///
/// A peer chooses how deep its text nests, so the stack must be neither the call stack nor the heap.
#[derive(Clone, Copy)]
pub(crate) struct Depth {
    bits: u128,
    open: usize,
    max: usize,
}

impl Depth {
    /// A stack that already has `outer` brackets open around it.
    pub(crate) fn below(outer: usize) -> Self {
        Self {
            bits: 0,
            open: 0,
            max: MAX_DEPTH - outer,
        }
    }

    /// Opens a bracket; `false` when that is one too many.
    pub(crate) fn push(&mut self, object: bool) -> bool {
        if self.open == self.max {
            return false;
        }
        self.bits = self.bits << 1 | u128::from(object);
        self.open += 1;
        true
    }

    pub(crate) fn pop(&mut self) {
        self.bits >>= 1;
        self.open -= 1;
    }

    pub(crate) fn is_empty(self) -> bool {
        self.open == 0
    }

    pub(crate) fn in_object(self) -> bool {
        self.bits & 1 == 1
    }
}
