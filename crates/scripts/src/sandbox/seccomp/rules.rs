//! The conditions of a filter.

use std::collections::BTreeMap;

use seccompiler::{BackendError, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

/// The rules by call: a call matches if all conditions of one of its rules hold.
pub(super) type Rules = BTreeMap<i64, Vec<SeccompRule>>;

pub(super) fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

pub(super) fn not(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

/// A pointer argument that is not null.
pub(super) fn pointer(argument: u8) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}

pub(super) fn masked(
    argument: u8,
    mask: u64,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    let op = SeccompCmpOp::MaskedEq(mask);
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value)
}
