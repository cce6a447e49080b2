//! Replacing values inside a message without parsing it again.

use linkspan_wire::{Id, Json, Message};

#[test]
fn edits_in_a_row_read_like_the_text_that_they_make() {
    let orders = [
        r#"{"jsonrpc":"2.0","id":"é1","method":"m","params":P}"#,
        r#"{"params":P,"id":"é1","jsonrpc":"2.0","method":"m"}"#,
        r#"{ "method":"m" , "params" : P , "jsonrpc":"2.0", "id" : "é1"}"#,
        r#"{"id":5,"result":P,"jsonrpc":"2.0"}"#,
        r#"{"result":P,"x":1,"id":5,"jsonrpc":"2.0"}"#,
        "{\"error\":P,\n\"jsonrpc\":\"2.0\",\"id\":5}",
    ];
    for o in orders {
        for p in [
            r#"{"a":{"b":1},"c":[1,2],"é":"x"}"#,
            "{\"a\" : {\"b\":\n1}}",
        ] {
            for first in ["1", r#"{"b":"ééééééééé"}"#, "[]", "{\"b\":\n2}"] {
                for all in [false, true] {
                    for ren in [0, 1, 2] {
                        let mut m = Message::parse(o.replace('P', p).into()).unwrap();
                        if ren == 1 {
                            m = m.with_id(Id::string("long-long-long"));
                        }
                        m = m.with_value(m.body().unwrap().path(&["a", "b"]).unwrap(), first);
                        if ren == 2 {
                            m = m.with_id(Id::number(7));
                        }
                        m = m.with_value(
                            m.body().unwrap().get("a").unwrap(),
                            r#"{"b":"q","z":[0]}"#,
                        );
                        if all {
                            m = m.with_value(m.body().unwrap(), r#"{"n":{}}"#);
                            m = m.with_value(m.body().unwrap().get("n").unwrap(), "\"end of it\"");
                        }
                        let r = Message::parse(m.to_bytes()).unwrap();
                        assert_eq!(r.kind(), m.kind(), "{}", m.text());
                        assert_eq!(r.id(), m.id());
                        assert_eq!(r.method(), m.method());
                        assert_eq!(r.body().map(Json::text), m.body().map(Json::text));
                        assert!(r.is_one_line() || !m.is_one_line(), "{}", m.text());
                    }
                }
            }
        }
    }
}
