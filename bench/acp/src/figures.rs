//! The measured figures, as JSON. A figure that was not measured is null, never zero.

#[derive(Default)]
pub struct Figures {
    pub start_ms: f64,
    pub p50_us: Option<f64>,
    pub p99_us: Option<f64>,
    pub calls: usize,
    pub cpu_us: Option<f64>,
    pub idle_kb: Option<u64>,
    pub after_kb: Option<u64>,
    pub peak_kb: Option<u64>,
    /// Without pages that are mapped from the program's file.
    pub own_idle_kb: Option<u64>,
    pub own_after_kb: Option<u64>,
    pub updates: u64,
    pub updates_per_s: Option<f64>,
}

impl Figures {
    pub fn to_json(&self) -> String {
        let kb = |value: Option<u64>| value.map(|kb| kb as f64);
        let numbers = [
            ("start_ms", Some(self.start_ms)),
            ("p50_us", self.p50_us),
            ("p99_us", self.p99_us),
            ("calls", Some(self.calls as f64)),
            ("cpu_us", self.cpu_us),
            ("idle_kb", kb(self.idle_kb)),
            ("after_kb", kb(self.after_kb)),
            ("peak_kb", kb(self.peak_kb)),
            ("own_idle_kb", kb(self.own_idle_kb)),
            ("own_after_kb", kb(self.own_after_kb)),
            ("updates", Some(self.updates as f64)),
            ("updates_per_s", self.updates_per_s),
        ];
        let members = numbers.map(|(name, value)| {
            let value = value.map_or("null".to_owned(), |value| format!("{value:.3}"));
            format!("\"{name}\":{value}")
        });
        format!("{{{}}}", members.join(","))
    }
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
