//! Messages from one peer to another, answers included, arrive in the order in which they were sent.

use crate::setup::{id, passing};

const MANY: u64 = 2000;

const CHAINS: [&[&str]; 8] = [
    &[],
    &["D5"],
    &["D5"; 2],
    &["D5"; 3],
    &["D5"; 4],
    &["D5"; 5],
    &["D0", "D1", "D2"],
    &["D2", "D5", "D1", "D5", "D0"],
];

#[test]
fn two_thousand_updates_and_the_answer_after_them_arrive_in_order_through_all_chains() {
    for dialects in CHAINS {
        let chain = passing(dialects);
        chain
            .editor
            .send(r#"{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{}}"#);
        let prompt = chain.agent.heard("session/prompt");
        chain
            .agent
            .command(&format!("flood {MANY} 100 session/update"));
        let here = id(&prompt);
        chain.agent.say(&format!(
            r#"{{"jsonrpc":"2.0","id":{here},"result":{{"stopReason":"end_turn"}}}}"#
        ));
        for number in 1..=MANY {
            let update = chain.editor.line();
            assert!(
                update.contains(&format!(r#""params":{{"n":{number},"#)),
                "{dialects:?}: update {number} is {update}"
            );
        }
        assert_eq!(
            chain.editor.line(),
            r#"{"jsonrpc":"2.0","id":"p","result":{"stopReason":"end_turn"}}"#
        );
        chain.end();
    }
}

#[test]
fn requests_and_notifications_of_the_editor_arrive_in_order_through_all_chains() {
    for dialects in CHAINS {
        let chain = passing(dialects);
        let mut all = String::new();
        for number in 0..500 {
            all += &match number % 3 {
                0 => format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"_ask\",\"params\":[{number}]}}\n"
                ),
                _ => {
                    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"_note\",\"params\":[{number}]}}\n")
                }
            };
        }
        chain.editor.send_bytes(all.as_bytes());
        for number in 0..500 {
            let heard = chain.agent.next();
            assert_eq!(heard.params, Some(format!("[{number}]")), "{dialects:?}");
            assert_eq!(heard.id.is_some(), number % 3 == 0);
            if heard.id.is_some() {
                crate::setup::answer(&chain.agent, &heard, "[]");
            }
        }
        for number in (0..500).filter(|number| number % 3 == 0) {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{number},"result":[]}}"#);
            assert_eq!(chain.editor.line(), line, "{dialects:?}");
        }
        chain.end();
    }
}
