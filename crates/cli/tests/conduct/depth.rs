//! Messages at the nesting limit arrive or are refused; every request is answered.
//!
//! An envelope adds a level, so the limit for messages in envelopes is higher.

use crate::setup::{Passing, answer, id, nested, pass, passing, passing_through, played};

/// The maximum nesting of a message, including its own object and its parameters.
const MOST: usize = 128;

/// Chains of all dialects, in both orders.
const CHAINS: [&[&str]; 4] = [
    &[],
    &["D5"],
    &["D0", "D1", "D2", "D5"],
    &["D5", "D2", "D1", "D0"],
];

/// Parameters or a result, for a message of that many levels.
fn value(levels: usize) -> String {
    let arrays = levels - 2;
    format!(r#"{{"a":{}{}}}"#, "[".repeat(arrays), "]".repeat(arrays))
}

fn request(id: &str, levels: usize) -> String {
    let params = value(levels);
    format!(r#"{{"jsonrpc":"2.0","method":"_a","params":{params},"id":{id}}}"#)
}

/// Sends messages at the limit in both directions, with answers.
fn talk(chain: &Passing, through: &str) {
    let Passing { editor, agent, .. } = chain;
    let deep = value(MOST);
    editor.send(&request("\"down\"", MOST));
    let down = agent.heard("_a");
    assert_eq!(down.params.as_deref(), Some(&*deep), "{through}");
    answer(agent, &down, &deep);
    let back = editor.answer("\"down\"");
    assert_eq!(back.result.as_deref(), Some(&*deep), "{through}");
    agent.say(&request("\"up\"", MOST));
    let up = editor.heard("_a");
    assert_eq!(up.params.as_deref(), Some(&*deep), "{through}");
    let here = id(&up);
    editor.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{here},"result":{deep}}}"#
    ));
    let back = agent.answer("\"up\"");
    assert_eq!(back.result.as_deref(), Some(&*deep), "{through}");
}

#[test]
fn messages_at_the_nesting_limit_arrive_through_every_envelope() {
    for dialects in CHAINS {
        let chain = passing(dialects);
        talk(&chain, &format!("{dialects:?}"));
        chain.end();
    }
}

#[test]
fn messages_at_the_nesting_limit_arrive_through_nested_conductors() {
    let inner = nested(&[pass("D0"), pass("D5")]);
    let chain = passing_through(vec![pass("D2"), inner]);
    talk(&chain, "a conductor");
    chain.end();
}

#[test]
fn messages_beyond_the_nesting_limit_are_answered() {
    for dialects in CHAINS {
        let chain = passing(dialects);
        let Passing { editor, agent, .. } = &chain;
        for levels in [MOST + 1, 1000, 100_000] {
            editor.send(&request("\"down\"", levels));
            let refused = editor.answer("\"down\"");
            assert_eq!(refused.code(), Some(-32700), "{}", refused.text);
        }
        for levels in [1000, 100_000] {
            agent.say(&request("\"up\"", levels));
            let refused = agent.answer("\"up\"");
            assert_eq!(refused.code(), Some(-32700), "{}", refused.text);
        }
        editor.send(&request("1", 3));
        answer(agent, &agent.heard("_a"), &value(1000));
        let failed = editor.answer("1");
        assert_eq!(failed.code(), Some(-32603), "{}", failed.text);
        chain.end();
    }
}

#[test]
fn messages_just_beyond_the_limit_arrive_or_are_answered_towards_the_editor() {
    for dialects in CHAINS {
        let chain = passing(dialects);
        let Passing { editor, agent, .. } = &chain;
        for levels in MOST + 1..MOST + 8 {
            agent.say(&request("\"up\"", levels));
            // No message overtakes another.
            agent.say(r#"{"jsonrpc":"2.0","method":"_behind"}"#);
            editor.heard("_behind");
            if editor.unread().iter().any(|line| line.contains("\"_a\"")) {
                let up = editor.heard("_a");
                let here = id(&up);
                editor.send(&format!(r#"{{"jsonrpc":"2.0","id":{here},"result":1}}"#));
            }
            agent.answer("\"up\"");
        }
        chain.end();
    }
}

#[test]
fn messages_just_beyond_the_limit_arrive_or_are_answered_towards_the_agent() {
    let chain = played(&[], 1);
    let (proxy, agent) = (&chain.proxies[0], &chain.agent);
    for levels in MOST..MOST + 8 {
        let params = value(levels);
        proxy.say(&format!(
            r#"{{"jsonrpc":"2.0","id":"down","method":"proxy/successor","params":{{"method":"_a","params":{params}}}}}"#
        ));
        proxy.say(r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"_behind"}}"#);
        agent.heard("_behind");
        if agent.unheard().iter().any(|line| line.contains("\"_a\"")) {
            answer(agent, &agent.heard("_a"), "1");
        }
        proxy.answer("\"down\"");
    }
}
