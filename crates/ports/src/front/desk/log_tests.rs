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
fn what_was_sent_can_be_asked_for_again() {
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

#[test]
fn a_large_message_is_forgotten_once_it_has_been_written() {
    let mut stream = Stream::default();
    stream.attach();
    stream.push(note(1));
    stream.push(answer(100_000));
    stream.take();
    stream.take();
    stream.rewind(0);
    assert_eq!(
        numbers(&mut stream),
        [1, 2],
        "its connection may have broken"
    );
    stream.rewind(0);
    assert_eq!(numbers(&mut stream), [1]);
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
fn what_nobody_comes_for_is_bounded() {
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
