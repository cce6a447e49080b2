//! What the client of a command waits for, on the terminal.

use linkspan_auth_io::Account;
use linkspan_client::Observer;
use linkspan_console::StatusLine;

use crate::exit;
use crate::show::on_one_line;

pub(crate) struct Status {
    line: StatusLine,
    /// The account that may have to sign in.
    account: Option<Account>,
}

impl Status {
    pub(crate) fn new() -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            line: StatusLine::new(is_dumb),
            account: None,
        }
    }

    /// The same for a server that may require a sign-in.
    pub(crate) fn signing_in(mut self, account: Option<&Account>) -> Self {
        self.account = account.cloned();
        self
    }
}

impl Observer for Status {
    fn shows_progress(&self) -> bool {
        self.line.is_visible()
    }

    fn begin(&mut self, what: String) {
        self.line.begin(what);
    }

    fn progress(&mut self, text: &str) {
        self.line.progress(on_one_line(text));
    }

    fn tick(&mut self) {
        self.line.tick();
    }

    fn clear(&mut self) {
        self.line.clear();
    }

    fn waits_for_person(&self) -> bool {
        let account = self.account.as_ref();
        account.is_some_and(|account| account.prompts().borrow().is_some())
    }

    fn warn(&mut self, text: &str) {
        exit::warn(text);
    }
}
