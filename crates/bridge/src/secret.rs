//! Secrets that name parked calls.

use data_encoding::HEXLOWER;

/// 128 random bits in hexadecimal. Empty if the system has no randomness: the caller then refuses to
/// park calls, because any other value could be guessed.
pub(crate) fn secret() -> String {
    let mut bytes = [0; 16];
    match getrandom::fill(&mut bytes) {
        Ok(()) => HEXLOWER.encode(&bytes),
        Err(_) => String::new(),
    }
}
