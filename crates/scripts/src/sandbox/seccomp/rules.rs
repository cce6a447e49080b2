//! The conditions under which a filter acts on a call.

use std::collections::BTreeMap;

use seccompiler::{BackendError, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

/// Which calls, under which conditions: any rule of a call will do, with all that it asks for.
pub(super) type Rules = BTreeMap<i64, Vec<SeccompRule>>;

pub(super) fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

pub(super) fn not(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

/// A pointer that points somewhere.
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
