//! Tests of `log.rs` and `stream.rs`.

use super::*;
use linkspan_session::Envelope;
use linkspan_wire::{Id, Message};

fn note(weight: usize) -> Outbound {
    let params = format!(r#"{{"text":"{}"}}"#, "x".repeat(weight));
    Outbound::One(Envelope::new(Message::notification("m", Some(&params))))
}

fn answer(weight: usize) -> Outbound {
    let result = format!(r#""{}""#, "x".repeat(weight));
    Outbound::One(Envelope::new(Message::result(&Id::number(1), &result)))
}

fn numbers(stream: &mut Stream) -> Vec<u32> {
    std::iter::from_fn(|| stream.take().map(|(number, _)| number)).collect()
}

#[test]
fn sent_events_can_be_fetched_again() {
    let mut stream = Stream::default();
    stream.attach();
    for _ in 0..3 {
        stream.push(note(1));
    }
    assert_eq!(numbers(&mut stream), [1, 2, 3]);
    stream.detach();
    stream.push(note(1));
    stream.rewind(1);
    assert_eq!(numbers(&mut stream), [2, 3, 4]);
    stream.rewind(99);
    assert_eq!(numbers(&mut stream), [0; 0]);
}

/// A stream whose answer was given to its connection.
fn answered(log: &mut Log, number: u32, weight: usize) {
    let stream = log.open(number);
    stream.set_asked([Id::number(1).key()].into());
    stream.attach();
    stream.push(note(1));
    stream.push(answer(weight));
    stream.finish(Instant::now());
    numbers(stream);
    log.trim();
}

fn texts(stream: &mut Stream) -> Vec<String> {
    let items = std::iter::from_fn(|| stream.take());
    let texts = items.map(|(_, item)| match item {
        Outbound::One(envelope) => envelope.msg.text(),
        Outbound::Array(_) => String::new(),
    });
    texts.collect()
}

#[test]
fn a_large_answer_is_kept_once_it_has_been_written() {
    let mut log = Log::default();
    answered(&mut log, 1, MOST.bytes / 2);
    let stream = log.recall(1).unwrap();
    stream.detach();
    for _ in 0..2 {
        stream.rewind(0);
        assert_eq!(numbers(stream), [1, 2], "its connection may have broken");
    }
}

#[test]
fn resuming_for_an_answer_that_was_not_kept_is_an_error() {
    let mut log = Log::default();
    answered(&mut log, 1, 10);
    answered(&mut log, 2, MOST.bytes);
    assert_eq!(log.kept().events, 3, "nothing else goes for what is huge");
    log.get(1).unwrap().detach();
    log.get(2).unwrap().detach();
    log.expire(Instant::now() + 2 * KEEP);
    for number in 1..=2 {
        assert!(log.get(number).is_none());
        let stream = log.recall(number).unwrap();
        stream.rewind(2);
        assert!(stream.is_sent(), "it has arrived");
        log.tidy(number);
        for _ in 0..2 {
            let stream = log.recall(number).unwrap();
            stream.rewind(1);
            let texts = texts(stream);
            assert_eq!(texts.len(), 1);
            assert!(texts[0].contains("answer_lost"), "{texts:?}");
            assert!(texts[0].contains(r#""id":1"#), "{texts:?}");
        }
    }
    assert!(log.recall(3).is_none());
}

#[test]
fn the_traces_of_lost_answers_are_bounded() {
    let mut log = Log::default();
    for number in 1..=3000 {
        answered(&mut log, number, 10);
        log.get(number).unwrap().detach();
    }
    assert!(log.traces.len() <= TRACES && log.traced == log.traces.len());
    assert!(log.recall(1).is_none());
    assert!(log.recall(3000).is_some());
}

#[test]
fn a_question_that_is_dropped_is_reported() {
    let mut log = Log::default();
    for number in 0..300 {
        let question = Message::request(&Id::number(number), "roots/list", None);
        log.open(0).push(Outbound::One(Envelope::new(question)));
        log.trim();
    }
    let unheard = log.unheard();
    assert_eq!(unheard.len(), 300 - MOST.events);
    assert_eq!(unheard[0], Id::number(0));
    assert!(log.unheard().is_empty());
}

#[test]
fn an_answer_that_cannot_be_kept_becomes_an_error() {
    let mut stream = Stream::default();
    stream.push(answer(MOST.bytes));
    let Some((1, Outbound::One(kept))) = stream.take() else {
        panic!("something is kept");
    };
    assert!(kept.msg.text().contains("answer_lost"), "{:?}", kept.msg);
    assert_eq!(kept.msg.id(), Some(Id::number(1)));
}

#[test]
fn a_new_reader_takes_the_place_of_the_old_one() {
    let mut stream = Stream::default();
    let first = stream.attach();
    let second = stream.attach();
    assert!(!stream.is_turn_of(first));
    assert!(stream.is_turn_of(second));
}

#[test]
fn finished_streams_are_forgotten_first_and_the_oldest_before_the_others() {
    let now = Instant::now();
    let mut log = Log::default();
    for number in 1..=3 {
        let stream = log.open(number);
        stream.attach();
        for _ in 0..100 {
            stream.push(note(1));
        }
        numbers(stream);
        if number > 1 {
            stream.detach();
            stream.finish(now);
        }
    }
    log.trim();
    assert!(log.get(2).is_none());
    assert_eq!(log.kept().events, 200);
    log.open(4);
    for _ in 0..100 {
        log.open(4).push(note(1));
    }
    log.trim();
    assert!(log.get(3).is_none(), "it is over");
    assert_eq!(log.kept().events, 200, "what has not been seen is kept");
}

#[test]
fn uncollected_answers_are_bounded() {
    let mut log = Log::default();
    for _ in 0..1000 {
        log.open(0).push(note(10_000));
        log.trim();
    }
    let kept = log.kept();
    assert!(kept.events <= MOST.events && kept.bytes <= MOST.bytes);
    let stream = log.open(0);
    stream.attach();
    assert_eq!(numbers(stream).last(), Some(&1000), "the newest are kept");
}

#[test]
fn a_reader_that_falls_behind_stops_the_session_and_loses_nothing() {
    let mut log = Log::default();
    log.open(0).attach();
    let mut pushed = 0;
    while !log.is_full() {
        log.open(0).push(note(1));
        log.trim();
        pushed += 1;
    }
    assert_eq!(numbers(log.open(0)).len(), pushed);
    assert!(!log.is_full());
}

#[test]
fn streams_that_are_over_expire() {
    let now = Instant::now();
    let mut log = Log::default();
    log.open(0);
    log.open(1).finish(now);
    log.expire(now + KEEP / 2);
    assert!(log.get(1).is_some());
    log.expire(now + KEEP);
    assert!(log.get(1).is_none());
    assert!(log.get(0).is_some());
}
