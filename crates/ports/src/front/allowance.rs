//! What requests may weigh that belong to no session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use linkspan_session::Budget;

use super::house::Principal;

/// A budget for each principal: a server that does not read holds up nobody else's requests.
pub(super) struct Allowances {
    each: usize,
    budgets: Mutex<HashMap<Principal, Arc<Budget>>>,
}

impl Allowances {
    pub(super) fn new(each: usize) -> Self {
        Self {
            each,
            budgets: Mutex::default(),
        }
    }

    pub(super) fn of(&self, who: &Principal) -> Arc<Budget> {
        let mut budgets = self.budgets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(budget) = budgets.get(who) {
            return Arc::clone(budget);
        }
        if budgets.len() == budgets.capacity() {
            budgets.retain(|_, budget| Arc::strong_count(budget) > 1 || !budget.is_whole());
        }
        let budget = Arc::new(Budget::new(self.each));
        budgets.insert(who.clone(), Arc::clone(&budget));
        budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_has_something_under_way_is_not_forgotten() {
        let allowances = Allowances::new(1 << 20);
        let who = |name: &str| Principal(Some(name.as_bytes().into()));
        let credit = allowances.of(&who("busy")).take(1 << 20).await;
        for n in 0..1000 {
            allowances.of(&who(&n.to_string()));
        }
        assert!(allowances.budgets.lock().unwrap().len() < 10);
        assert!(!allowances.of(&who("busy")).is_whole());
        drop(credit);
        assert!(allowances.of(&who("busy")).is_whole());
    }
}
