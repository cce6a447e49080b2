//! Which level each tool gets within a budget.

use crate::level::Level;

/// The levels of tools with these tokens (in the order of [`Level::ALL`]) within a budget.
///
/// A function of its arguments only, so that a list has the same bytes whenever it is asked for: model providers cache
/// what precedes a conversation, and a list that changes costs that cache. Every tool is thin at first. Then as many as
/// fit become brief, those that need the fewest tokens more first; if all are brief, as many as fit become full.
pub(crate) fn choose(tokens: &[[u64; 3]], budget: u64) -> Vec<Level> {
    let at = |level: Level, one: &[u64; 3]| {
        let place = Level::ALL.iter().position(|other| *other == level);
        place.map_or(0, |place| one[place])
    };
    let mut levels = vec![Level::Thin; tokens.len()];
    let mut left = budget.checked_sub(tokens.iter().map(|one| at(Level::Thin, one)).sum());
    for (from, to) in [(Level::Thin, Level::Brief), (Level::Brief, Level::Full)] {
        let more = |one: &[u64; 3]| at(to, one).saturating_sub(at(from, one));
        let mut order: Vec<usize> = (0..tokens.len()).collect();
        order.sort_by_key(|at| (more(&tokens[*at]), *at));
        for at in order {
            left = left.and_then(|left| left.checked_sub(more(&tokens[at])));
            if left.is_none() {
                return levels;
            }
            levels[at] = to;
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn everything_is_full_within_the_budget() {
        assert_eq!(choose(&[[10, 5, 1], [20, 5, 1]], 30), [Level::Full; 2]);
        assert_eq!(choose(&[], 0), []);
    }

    #[test]
    fn everything_is_thin_above_the_budget() {
        assert_eq!(choose(&[[10, 5, 3], [20, 5, 3]], 4), [Level::Thin; 2]);
    }

    #[test]
    fn the_cheapest_tools_get_longer_first() {
        let tokens = [[90, 50, 1], [20, 5, 1], [20, 5, 1]];
        assert_eq!(choose(&tokens, 7), [Level::Thin, Level::Brief, Level::Thin]);
        assert_eq!(
            choose(&tokens, 75),
            [Level::Brief, Level::Full, Level::Brief]
        );
    }

    proptest! {
        #[test]
        fn the_levels_fit_the_budget_if_thin_ones_do(
            tokens in prop::collection::vec((0..9u64, 0..90u64, 0..900u64), 0..40), budget in 0..9000u64,
        ) {
            let tokens: Vec<[u64; 3]> = tokens.iter().map(|(a, b, c)| [a + b + c, a + b, *a]).collect();
            let levels = choose(&tokens, budget);
            let cost = |levels: &[Level]| -> u64 {
                let each = tokens.iter().zip(levels);
                each.map(|(one, level)| one[Level::ALL.iter().position(|l| l == level).unwrap()]).sum()
            };
            let thin = cost(&vec![Level::Thin; tokens.len()]);
            prop_assert!(cost(&levels) <= budget.max(thin));
            let more = choose(&tokens, budget + 100);
            prop_assert!(cost(&more) >= cost(&levels), "a larger budget gives no less");
        }
    }
}
