//! A real browser: on the login form of a real authorization server, and on the page of a server's question.

use crate::lacking::{asking, last_text, python_server, told};
use crate::machine::Machine;
use crate::oauth::{Realm, assert_echoes};

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs, and Chromium"]
fn a_person_signs_in_with_chromium() {
    let chromium = std::env::var("CHROMIUM").expect("CHROMIUM names the browser");
    let realm = Realm::start(&[]);
    let machine = Machine::with_browser("chromium_login.mjs").env("CHROMIUM", &chromium);
    assert_echoes(&machine.connect(realm.url(), &[]), "clicked");
    realm.assert_logins(&machine, 1);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs, and Chromium"]
fn a_user_answers_a_question_with_the_keyboard() {
    let chromium = std::env::var("CHROMIUM").expect("CHROMIUM names the browser");
    let variables = [format!("CHROMIUM={chromium}"), "ANSWER=Ada".to_owned()];
    let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
    let target = asking("chromium_answer.mjs", &variables, &python_server(&[]));
    let told = told("legacy", "ask_user", "{}", &target);
    assert_eq!(last_text(&told), "accept: Ada");
}
