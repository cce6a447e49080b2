use super::*;
use proptest::prelude::*;

fn read(chunks: &[&[u8]], limits: Limits) -> Vec<SseItem> {
    let mut reader = SseReader::new(limits);
    let mut items = Vec::new();
    for chunk in chunks {
        reader.push(chunk);
        while let Some(item) = reader.next() {
            items.push(item);
        }
    }
    items
}

fn events(text: &str) -> Vec<Event> {
    read(&[text.as_bytes()], Limits::default())
        .into_iter()
        .map(|item| match item {
            SseItem::Event(event) => event,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn data(text: &'static str) -> Event {
    Event {
        data: Some(Bytes::from_static(text.as_bytes())),
        ..Event::default()
    }
}

#[test]
fn every_field_is_read() {
    let all = events("event: message\nid: 7\nretry: 500\ndata: {}\n\n");
    assert_eq!(
        all,
        [Event {
            name: Some("message".into()),
            data: Some("{}".into()),
            id: Some("7".into()),
            retry: Some(500),
        }]
    );
}

#[test]
fn lines_end_in_cr_lf_or_both() {
    for end in ["\n", "\r", "\r\n"] {
        let text = format!("data: a{end}data: b{end}{end}data: c{end}{end}");
        assert_eq!(events(&text), [data("a\nb"), data("c")], "{end:?}");
    }
}

#[test]
fn an_lf_after_a_cr_may_come_in_the_next_chunk() {
    let items = read(
        &[b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n"],
        Limits::default(),
    );
    assert_eq!(items, [SseItem::Event(data("a\nb"))]);
}

#[test]
fn comments_are_skipped_and_one_space_is_taken_off() {
    assert_eq!(
        events(": ping\n\ndata:  x\n: y\ndata:z\n\n"),
        [data(" x\nz")]
    );
}

#[test]
fn a_priming_event_has_an_id_and_empty_data() {
    let all = events("id: 1\ndata:\n\n");
    assert_eq!(all[0].id.as_deref(), Some(&b"1"[..]));
    assert_eq!(all[0].data.as_deref(), Some(&b""[..]));
}

#[test]
fn a_byte_order_mark_at_the_start_is_skipped() {
    assert_eq!(events("\u{feff}data: a\n\n"), [data("a")]);
}

#[test]
fn an_unfinished_event_is_not_reported() {
    assert_eq!(events("data: a\n\ndata: b\n"), [data("a")]);
}

#[test]
fn bad_retry_and_ids_with_nul_are_ignored() {
    let all = events("retry: 5x\nid: a\0b\ndata: c\n\n");
    assert_eq!(all, [data("c")]);
}

#[test]
fn an_event_that_is_too_large_costs_itself_only() {
    let big = format!("id: 9\ndata: {}\n\ndata: ok\n\n", "x".repeat(500));
    let many = format!("id: 9\n{}\ndata: ok\n\n", "data: xxxxxxxxxx\n".repeat(50));
    for text in [big, many] {
        for size in [1, 13, 10_000] {
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            assert_eq!(
                read(&chunks, Limits::new(100)),
                [
                    SseItem::TooLarge {
                        id: Some("9".into()),
                        why: WireError::TooLarge {
                            limit: 100,
                            id: None,
                            is_answer: true,
                        }
                    },
                    SseItem::Event(data("ok"))
                ],
                "{size}"
            );
        }
    }
}

#[test]
fn the_message_in_an_event_that_is_too_large_can_still_be_answered_for() {
    let long = "x".repeat(500);
    let first = format!("data: {{\"id\":7,\"result\":\"{long}\"}}\n\n");
    let last = format!("data: {{\"result\":\"{long}\",\"id\":7}}\n\n");
    for text in [first, last] {
        for size in [1, 13, 10_000] {
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            let SseItem::TooLarge { why, .. } = &read(&chunks, Limits::new(100))[0] else {
                panic!("{text}")
            };
            assert_eq!(why.answered_hop(), Some(crate::Hop(7)), "{size}");
        }
    }
}

#[test]
fn a_line_that_never_ends_does_not_grow_the_buffer() {
    let mut reader = SseReader::new(Limits::new(1000));
    for _ in 0..10_000 {
        reader.push(&[b'x'; 100]);
        assert_eq!(reader.next(), None);
        assert!(reader.pending() <= 1100);
    }
}

#[test]
fn a_written_event_is_read_back() {
    let mut out = String::new();
    write_event(&mut out, Some("message"), Some("3"), "a\nb");
    assert_eq!(out, "event: message\nid: 3\ndata: a\ndata: b\n\n");
    assert_eq!(events(&out)[0].data.as_deref(), Some(&b"a\nb"[..]));
}

proptest! {
    #[test]
    fn chunk_borders_do_not_matter(
        text in "(data: ?[a-c]{0,4}|id: ?[0-9]{0,2}|retry: 7|event: e|:c|\r|\n|\r\n){0,40}",
        size in 1usize..6,
    ) {
        let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        prop_assert_eq!(
            read(&chunks, Limits::default()),
            read(&[text.as_bytes()], Limits::default())
        );
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read(&[&bytes], Limits::new(40));
    }
}
