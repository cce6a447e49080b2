//! Policies as configurations have them.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::alias::Alias;
use crate::config::GatewayConfig;
use crate::list::ListKind;
use crate::names::Naming;

const SERVERS: &str =
    r#"{"Git Hub": {"command": "x", "linkspan": {"as": "git"}}, "fs": {"command": "x"}}"#;
const READS: &str = r#"{"annotations":{"readOnlyHint":true}}"#;
const ADDS: &str = r#"{"annotations":{"destructiveHint":false}}"#;

fn policy(settings: &str) -> Policy {
    let text = format!(r#"{{"mcpServers":{SERVERS},"linkspan":{{{settings}}}}}"#);
    match GatewayConfig::read("f", &text) {
        Ok(config) => config.settings.policy,
        Err(errors) => panic!("{errors}"),
    }
}

fn with_key(name: &str) -> Sender {
    verified(Some(name), &[], &[])
}

fn verified(key: Option<&str>, claims: &[(&str, &str)], views: &[&str]) -> Sender {
    Sender::Verified {
        id: key.unwrap_or_default().into(),
        key: key.map(str::to_owned),
        claims: claims
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        views: views.iter().map(|view| (*view).to_owned()).collect(),
    }
}

/// A tool of `git` or `fs`, or a resource for a name with a colon.
struct Item<'a> {
    sender: Sender,
    view: Option<&'a View>,
    alias: Alias,
    own: &'a str,
    definition: Option<&'a str>,
}

impl<'a> Item<'a> {
    fn new(name: &'a str) -> Self {
        let (alias, own) = name.split_once("__").unwrap();
        Self {
            sender: Sender::Local,
            view: None,
            alias: Alias::new(alias).unwrap(),
            own,
            definition: None,
        }
    }

    fn of(self, sender: &Sender) -> Self {
        let sender = sender.clone();
        Self { sender, ..self }
    }

    fn in_view(self, view: Option<&'a View>) -> Self {
        Self { view, ..self }
    }

    fn like(self, definition: &'a str) -> Self {
        let definition = Some(definition);
        Self { definition, ..self }
    }

    fn access(&self) -> Access<'_> {
        let kind = if self.own.contains(':') {
            ListKind::Resources
        } else {
            ListKind::Tools
        };
        let definition = self.definition.map(|text| Json::parse(text).unwrap());
        let named = (&self.alias, self.own);
        Access::new(
            &self.sender,
            self.view,
            kind,
            Naming::default(),
            named,
            definition,
        )
    }

    fn is_shown(&self, policy: &Policy) -> bool {
        policy.shows(&self.access())
    }

    /// The decision as a word.
    fn decided(&self, policy: &Policy, arguments: &str) -> &'static str {
        let arguments = Json::parse(arguments).unwrap();
        match policy.decide(&self.access(), Some(arguments)) {
            Decision::Allow => "allow",
            Decision::Deny(_) => "deny",
            Decision::Confirm { .. } => "confirm",
            Decision::Limit { .. } => "limit",
        }
    }
}

#[test]
fn without_rules_everything_is_shown_and_allowed() {
    let policy = Policy::default();
    for name in ["git__x", "fs__file:///x"] {
        assert!(Item::new(name).is_shown(&policy));
        assert_eq!(Item::new(name).decided(&policy, "{}"), "allow");
    }
}

#[test]
fn a_view_filters_lists_and_requests() {
    let policy = policy(
        r#""views": {"v": {"servers": ["Git Hub"], "deny": ["git__delete_*"]}, "r": {"readOnly": true},
                     "one": {"allow": ["git__log", "fs__file:///a/*"]}}"#,
    );
    let has = |view: &str, item: Item<'_>| {
        let view = policy.select(Some(view), &Sender::Local).unwrap();
        let item = Item { view, ..item };
        let shown = item.is_shown(&policy);
        assert_eq!(shown, item.decided(&policy, "{}") == "allow");
        shown
    };
    assert!(has("v", Item::new("git__log")));
    assert!(has("v", Item::new("git__repo://x")));
    assert!(!has("v", Item::new("git__delete_repo")));
    assert!(!has("v", Item::new("fs__read")));
    assert!(!has("v", Item::new("fs__file:///x")));
    assert!(has("r", Item::new("git__log").like(READS)));
    assert!(!has("r", Item::new("git__log").like(ADDS)));
    assert!(!has("r", Item::new("git__log")));
    assert!(has("r", Item::new("fs__file:///x")));
    assert!(has("one", Item::new("git__log")));
    assert!(!has("one", Item::new("git__log2")));
    assert!(has("one", Item::new("fs__file:///a/b")));
    assert!(!has("one", Item::new("fs__file:///b")));
}

#[test]
fn a_long_name_does_not_evade_a_pattern() {
    let policy = policy(r#""rules": [{"tool": "*_delete", "then": "deny"}]"#);
    let long = format!("git__{}_delete", "x".repeat(80));
    let item = Item::new(&long);
    assert!(!item.access().name().ends_with("_delete"));
    assert_eq!(item.decided(&policy, "{}"), "deny");
}

#[test]
fn a_rule_is_about_the_enabled_one_of_two_servers_with_the_same_alias() {
    let text = r#"{"mcpServers": {"test": {"disabled": true, "linkspan": {"as": "db"}},
                                    "live": {"command": "x", "linkspan": {"as": "db"}}},
                    "linkspan": {"rules": [{"server": "db", "then": "deny"}, {"server": "test", "then": "allow"}]}}"#;
    let policy = GatewayConfig::read("f", text).unwrap().settings.policy;
    assert_eq!(Item::new("db__x").decided(&policy, "{}"), "deny");
    assert_eq!(policy.rules[1].servers, Some(Vec::new()));
}

#[test]
fn an_empty_list_allows_nothing() {
    let policy = policy(r#""views": {"v": {"allow": []}, "w": {"servers": []}}"#);
    for view in &policy.views {
        assert!(!Item::new("git__log").in_view(Some(view)).is_shown(&policy));
    }
}

#[test]
fn the_first_rule_that_matches_decides() {
    let policy = policy(
        r#""rules": [{"tool": "git__get_*", "then": "allow"},
                     {"server": "git", "when": {"readOnly": false, "destructive": false}, "then": "confirm"},
                     {"server": ["Git Hub"], "then": {"deny": "not today"}},
                     {"then": {"limit": {"perMinute": 6}}}]"#,
    );
    let decided = |name: &str, like: &str| Item::new(name).like(like).decided(&policy, "{}");
    assert_eq!(decided("git__get_x", "{}"), "allow");
    assert_eq!(decided("git__add", ADDS), "confirm");
    assert_eq!(decided("git__add", "{}"), "deny");
    assert_eq!(decided("git__repo://x", ADDS), "deny");
    assert_eq!(decided("fs__x", ADDS), "limit");
    let item = Item::new("git__x");
    let Decision::Deny(denial) = policy.decide(&item.access(), None) else {
        panic!("not denied");
    };
    assert_eq!(denial.to_string(), "not today");
    assert!(denial.hint().contains("rule 3"));
}

#[test]
fn a_limit_counts_each_sender() {
    let policy = policy(r#""rules": [{"then": {"limit": {"perMinute": 60, "burst": 2}}}]"#);
    let item = Item::new("git__x");
    let Decision::Limit { rule, rate } = policy.decide(&item.access(), None) else {
        panic!("no limit");
    };
    let (mut limits, now) = (Limits::default(), Instant::now());
    let mut take = |sender: &Sender| limits.take(sender, rule, rate, now);
    assert!(take(&Sender::Local).is_ok() && take(&Sender::Local).is_ok());
    assert_eq!(take(&Sender::Local), Err(Duration::from_secs(1)));
    assert!(take(&with_key("ci")).is_ok());
}

#[test]
fn what_is_always_denied_is_not_shown() {
    let policy = policy(
        r#""rules": [{"tool": "git__a", "when": {"arguments": {"path": "/etc/*"}}, "then": "deny"},
                     {"tool": "git__b", "when": {"arguments": {"path": "/tmp/*"}}, "then": "allow"},
                     {"tool": ["git__b", "git__c"], "then": "deny"}]"#,
    );
    assert!(Item::new("git__a").is_shown(&policy));
    assert!(Item::new("git__b").is_shown(&policy));
    assert!(!Item::new("git__c").is_shown(&policy));
    assert!(Item::new("fs__c").is_shown(&policy));
}

#[test]
fn rules_tell_senders_and_views_apart() {
    let policy = policy(
        r#""views": {"v": {}, "w": {}},
           "rules": [{"who": "local", "view": ["v"], "then": "allow"}, {"who": "anonymous", "then": "deny"},
                     {"who": {"keys": "ci-*"}, "then": "confirm"},
                     {"who": {"claim": {"groups": ["admin", "ops-*"], "iss": "https://as"}}, "then": "allow"},
                     {"then": "deny"}]"#,
    );
    let decided = |sender: &Sender, view: Option<&View>| {
        Item::new("fs__x")
            .of(sender)
            .in_view(view)
            .decided(&policy, "{}")
    };
    assert_eq!(decided(&Sender::Local, Some(&policy.views[0])), "allow");
    assert_eq!(decided(&Sender::Local, Some(&policy.views[1])), "deny");
    assert_eq!(decided(&Sender::Local, None), "deny");
    assert_eq!(decided(&Sender::Anonymous, None), "deny");
    assert_eq!(decided(&with_key("ci-1"), None), "confirm");
    let claims = |claims: &[(&str, &str)]| decided(&verified(None, claims, &[]), None);
    assert_eq!(
        claims(&[("groups", "x"), ("groups", "ops-1"), ("iss", "https://as")]),
        "allow"
    );
    assert_eq!(
        claims(&[("groups", "admin"), ("iss", "https://other")]),
        "deny"
    );
    assert_eq!(claims(&[("groups", "admin")]), "deny");
    assert!(policy.depends_on_sender());
}

#[test]
fn a_list_cannot_carry_a_value_past_a_rule() {
    let allows = policy(
        r#""rules": [{"tool": "fs__*", "when": {"arguments": {"paths": ["/tmp/*", "/srv/*"]}}, "then": "allow"},
                     {"then": "deny"}]"#,
    );
    let denies =
        policy(r#""rules": [{"when": {"arguments": {"paths": "/etc/*"}}, "then": "deny"}]"#);
    let decided =
        |policy: &Policy, arguments: &str| Item::new("fs__read").decided(policy, arguments);
    for (arguments, allowed, denied) in [
        (r#"{"paths":"/tmp/a"}"#, "allow", "allow"),
        (r#"{"paths":["/tmp/a","/srv/b"]}"#, "allow", "allow"),
        (r#"{"paths":["/tmp/a","/etc/b"]}"#, "deny", "deny"),
        (
            r#"{"paths":"/tmp/a","paths":"\u002fetc/b"}"#,
            "deny",
            "deny",
        ),
        (r#"{"paths":["/tmp/a",7]}"#, "deny", "allow"),
        (r#"{"paths":[]}"#, "deny", "allow"),
        ("{}", "deny", "allow"),
    ] {
        assert_eq!(decided(&allows, arguments), allowed, "{arguments}");
        assert_eq!(decided(&denies, arguments), denied, "{arguments}");
    }
}

#[test]
fn a_question_shows_what_would_be_called() {
    let policy = policy(
        r#""rules": [{"tool": "fs__*", "then": {"confirm": "Really?"}}, {"then": "confirm"}]"#,
    );
    let question = |name: &str, arguments: &str| {
        let item = Item::new(name);
        match policy.decide(&item.access(), Some(Json::parse(arguments).unwrap())) {
            Decision::Confirm { question, .. } => question,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        question("fs__rm", r#"{"path":"/x"}"#),
        "Really?\nfs__rm {\"path\":\"/x\"}"
    );
    let long = question("git__a\u{202e}b", &format!("\"{}\"", "y".repeat(5000)));
    assert!(
        long.starts_with("Allow this call?\ngit__a\\u{202e}b \"yyy"),
        "{long}"
    );
    assert!(long.len() < 1000 && long.ends_with('…'));
}

#[test]
fn senders_that_a_view_names_have_that_view_only() {
    let policy = policy(
        r#""views": {"open": {}, "dev": {"keys": ["dev", "ci"]}, "ops": {"claim": {"groups": "ops"}, "keys": "ci"}}"#,
    );
    let select = |name: Option<&str>, sender: &Sender| {
        let view = policy.select(name, sender);
        view.map(|view| view.map_or("everything", |view| &view.name))
    };
    let refused = |name: &str| Err(NoView::Refused(name.to_owned()));
    let ci = with_key("ci");
    assert_eq!(select(None, &ci), Ok("dev"));
    assert_eq!(select(Some("ops"), &ci), Ok("ops"));
    assert_eq!(select(Some("open"), &ci), refused("open"));
    assert_eq!(select(Some("ops"), &with_key("dev")), refused("ops"));
    assert_eq!(
        select(None, &verified(None, &[("groups", "ops")], &[])),
        Ok("ops")
    );
    let other = with_key("other");
    assert_eq!(select(None, &other), Err(NoView::Nothing));
    assert_eq!(select(Some("open"), &other), Ok("open"));
    assert_eq!(select(Some("dev"), &other), refused("dev"));
    assert_eq!(select(None, &Sender::Anonymous), Err(NoView::Nothing));
    assert_eq!(select(None, &Sender::Local), Ok("everything"));
    assert_eq!(select(Some("dev"), &Sender::Local), Ok("dev"));
    assert_eq!(
        select(Some("nope"), &Sender::Local),
        Err(NoView::Unknown("nope".to_owned()))
    );
}

#[test]
fn the_views_of_an_api_key_limit_it() {
    let policy = policy(r#""views": {"a": {}, "b": {}}"#);
    let select = |name: Option<&str>, views: &[&str]| {
        let sender = verified(Some("k"), &[], views);
        let view = policy.select(name, &sender);
        view.map(|view| view.map(|view| view.name.clone()))
    };
    assert_eq!(select(None, &[]), Ok(None));
    assert_eq!(select(None, &["b"]), Ok(Some("b".to_owned())));
    assert_eq!(
        select(Some("a"), &["b"]),
        Err(NoView::Refused("a".to_owned()))
    );
    assert_eq!(select(None, &["gone"]), Err(NoView::Nothing));
}

#[test]
fn mistakes_in_rules_are_found() {
    let found = |rule: &str| {
        let text = format!(
            r#"{{"mcpServers":{SERVERS},"linkspan":{{"views":{{"v":{{}}}},"rules":[{rule}]}}}}"#
        );
        GatewayConfig::read("f", &text).unwrap_err().to_string()
    };
    for (rule, part) in [
        ("{}", "`then` is missing in `linkspan.rules[0]`"),
        (r#"{"then":"alow"}"#, "did you mean `allow`?"),
        (r#"{"then":{"limit":{}}}"#, "`perMinute` is missing"),
        (r#"{"then":{"limit":{"perMinute":0}}}"#, "is not from 1 to"),
        (
            r#"{"then":{"limit":{"perMinute":1,"perHour":1}}}"#,
            "has both `perMinute` and `perHour`",
        ),
        (
            r#"{"then":{"deny":"x","confirm":"y"}}"#,
            "has both `deny` and `confirm`",
        ),
        (
            r#"{"then":"deny","tools":"git__x"}"#,
            "did you mean `tool`?",
        ),
        (
            r#"{"then":"deny","tool":"gti__x"}"#,
            "fits no name; names are as in git__NAME",
        ),
        (r#"{"then":"deny","view":"w"}"#, "did you mean `v`?"),
        (r#"{"then":"deny","server":"fz"}"#, "did you mean `fs`?"),
        (
            r#"{"then":"deny","who":"root"}"#,
            "allowed: `local`, `anonymous`",
        ),
        (
            r#"{"then":"deny","when":{"destructiveHint":true}}"#,
            "did you mean `destructive`?",
        ),
        (
            r#"{"then":"deny","when":{"arguments":{"a..b":"x"}}}"#,
            "is not a path such as repository.owner",
        ),
        (
            r#"{"then":"deny","when":{"arguments":{"a":7}}}"#,
            "is not a text or a list of texts",
        ),
    ] {
        let found = found(rule);
        assert!(found.contains(part), "{rule}: {found}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

#[test]
fn patterns_are_bounded() {
    let patterns = vec![r#""git__*""#; 10_001].join(",");
    let text = format!(
        r#"{{"mcpServers":{SERVERS},"linkspan":{{"views":{{"v":{{"allow":[{patterns}]}}}}}}}}"#
    );
    let errors = GatewayConfig::read("f", &text).unwrap_err();
    assert_eq!(errors.errors.len(), 1);
    assert!(errors.to_string().contains("more than 10000 patterns"));
}

fn rules() -> impl Strategy<Value = String> {
    let part = |parts: Vec<&'static str>| prop::sample::select(parts);
    let rule = (
        part(vec![
            "",
            r#""tool":"git__*","#,
            r#""tool":"git__a","#,
            r#""server":"fs","#,
        ]),
        part(vec![
            "",
            r#""who":"local","#,
            r#""who":"anonymous","#,
            r#""who":{"keys":"k"},"#,
        ]),
        part(vec![
            "",
            r#""when":{"readOnly":true},"#,
            r#""when":{"arguments":{"p":"1"}},"#,
            r#""when":{"destructive":true,"arguments":{"p":"*"}},"#,
        ]),
        part(vec![
            r#""allow""#,
            r#""deny""#,
            r#""confirm""#,
            r#"{"limit":{"perHour":9}}"#,
        ]),
    );
    let rule =
        rule.prop_map(|(what, who, when, then)| format!("{{{what}{who}{when}\"then\":{then}}}"));
    prop::collection::vec(rule, 0..6).prop_map(|rules| rules.join(","))
}

proptest! {
    #[test]
    fn what_is_not_shown_is_always_denied(
        rules in rules(),
        name in prop::sample::select(vec!["git__a", "git__b", "fs__a", "git__x://a"]),
        definition in prop::sample::select(vec!["{}", READS, ADDS]),
        arguments in prop::sample::select(vec!["{}", r#"{"p":1}"#, r#"{"p":[1,2]}"#, r#"{"p":"x"}"#]),
        sender in prop::sample::select(vec![Sender::Local, Sender::Anonymous, with_key("k")]),
    ) {
        let policy = policy(&format!(r#""rules":[{rules}]"#));
        let item = Item::new(name).like(definition).of(&sender);
        if !item.is_shown(&policy) {
            prop_assert_eq!(item.decided(&policy, arguments), "deny");
        }
    }
}
