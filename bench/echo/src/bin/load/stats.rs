//! Small statistics.

use std::time::Duration;

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The smallest value that `share` (0 to 1) of all values do not exceed.
pub fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let rank = (share * values.len() as f64).ceil() as usize;
    values.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_hundred() {
        let mut values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(quantile(&mut values, 0.5), Some(50.0));
        assert_eq!(quantile(&mut values, 0.99), Some(99.0));
        assert_eq!(quantile(&mut [], 0.5), None);
    }
}
