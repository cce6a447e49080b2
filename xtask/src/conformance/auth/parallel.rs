//! Runs a few scenarios at once. Each has its own ports, state folder and processes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const FEWEST: usize = 2;
const MOST: usize = 4;

/// Processes all items and returns the results in their order.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let cores = thread::available_parallelism().map_or(FEWEST, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores.clamp(FEWEST, MOST) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item);
                    if let Ok(mut done) = done.lock() {
                        done.push((index, result));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..50).collect();
        let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
        assert_eq!(map(&items, |item| item * 2), doubled);
    }
}
