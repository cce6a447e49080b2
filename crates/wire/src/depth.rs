//! The scanner's stack: one bit for each open bracket.

/// Which brackets are open, innermost in the lowest bit (1 = object, 0 = array).
///
/// A peer chooses how deep its text nests, so the stack must be neither the call stack nor the heap.
#[derive(Clone, Copy)]
pub(crate) struct Depth {
    bits: u128,
    /// Those further out.
    outer: u128,
    open: usize,
    max: usize,
}

/// What fits.
pub(crate) const MOST: usize = 256;

impl Depth {
    /// A stack for up to `max` brackets.
    pub(crate) fn of(max: usize) -> Self {
        Self {
            bits: 0,
            outer: 0,
            open: 0,
            max: max.min(MOST),
        }
    }

    /// Opens a bracket; `false` if that exceeds the limit.
    pub(crate) fn push(&mut self, object: bool) -> bool {
        if self.open == self.max {
            return false;
        }
        self.outer = self.outer << 1 | self.bits >> 127;
        self.bits = self.bits << 1 | u128::from(object);
        self.open += 1;
        true
    }

    pub(crate) fn pop(&mut self) {
        self.bits = self.bits >> 1 | self.outer << 127;
        self.outer >>= 1;
        self.open -= 1;
    }

    pub(crate) fn is_empty(self) -> bool {
        self.open == 0
    }

    pub(crate) fn in_object(self) -> bool {
        self.bits & 1 == 1
    }
}
