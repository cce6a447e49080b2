//! Values of flags: times.

use std::time::Duration;

/// A number of seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())?;
    // Adding it to the current time must not overflow.
    Ok(duration.min(Duration::from_secs(1_000_000_000)))
}

/// A number of milliseconds.
pub(crate) fn millis(text: &str) -> Result<Duration, String> {
    let millis = text
        .parse()
        .map_err(|_| "not a number of milliseconds".to_owned())?;
    Ok(Duration::from_millis(millis))
}
