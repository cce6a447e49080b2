//! Lists of scopes.

/// The scopes of a text.
pub(super) fn parse(text: &str) -> Vec<String> {
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

/// Both lists, without repetition, in their order.
pub fn union(first: &[String], second: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for scope in first.iter().chain(second) {
        if !all.contains(scope) {
            all.push(scope.clone());
        }
    }
    all
}

/// What asks for a refresh token (OpenID Connect).
pub(super) const OFFLINE: &str = "offline_access";

/// The scopes to ask for: those of the user, else of the challenge, else all that the resource has; `None` leaves
/// the parameter out. Scopes that were asked for before stay, and `offline_access` is added where the authorization
/// server knows it.
pub(super) fn chosen(
    user: Option<&[String]>,
    demanded: Option<&[String]>,
    supported: Option<&[String]>,
    before: &[String],
    offline: bool,
) -> Option<Vec<String>> {
    let wanted = user.or(demanded).or(supported).unwrap_or_default();
    let mut all = union(before, wanted);
    if all.is_empty() {
        return None;
    }
    if offline && !all.iter().any(|scope| scope == OFFLINE) {
        all.push(OFFLINE.to_owned());
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        parse(text)
    }

    #[test]
    fn the_user_comes_before_the_challenge_and_the_challenge_before_the_metadata() {
        let (user, demanded, supported) = (list("u"), list("d"), list("s1 s2"));
        let choose = |user: Option<&[String]>, demanded: Option<&[String]>| {
            chosen(user, demanded, Some(&supported), &[], false)
        };
        assert_eq!(choose(Some(&user), Some(&demanded)), Some(list("u")));
        assert_eq!(choose(None, Some(&demanded)), Some(list("d")));
        assert_eq!(choose(None, None), Some(list("s1 s2")));
        assert_eq!(chosen(None, None, None, &[], true), None);
    }

    #[test]
    fn a_step_up_keeps_what_was_asked_for_before() {
        let all = chosen(None, Some(&list("b a")), None, &list("a"), false);
        assert_eq!(all, Some(list("a b")));
    }

    #[test]
    fn offline_access_is_added_once_and_never_alone() {
        let all = chosen(None, Some(&list("a")), None, &[], true);
        assert_eq!(all, Some(list("a offline_access")));
        let again = chosen(None, Some(&list("a offline_access")), None, &[], true);
        assert_eq!(again, Some(list("a offline_access")));
    }
}
