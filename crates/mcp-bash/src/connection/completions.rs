//! `completion/complete`

use linkspan_local::{Call, Params};
use linkspan_wire::RpcError;

use super::super::completion;
use super::super::limits;
use super::Connection;
use super::resources::perform;
use linkspan_scripts::folder::RunSettings;
use linkspan_scripts::host::{Ended, Printed};

impl Connection {
    pub(super) async fn complete(
        &self,
        params: Params<'_>,
        _: &mut Call,
    ) -> Result<String, RpcError> {
        let snapshot = self.held()?;
        let project = &snapshot.project;
        let params = serde_json::from_str(&params.to_string()).unwrap_or_default();
        let asked = completion::asked(&params, project)?;
        let completer = completion::completer(&asked, project)?;
        if completer.words.is_empty() {
            return Ok(completion::made_up(&asked, &completer));
        }
        let settings = RunSettings {
            timeout: completer.timeout,
            ..limits::of_others(&project.vars)
        };
        let env = completion::env(&asked, &completer);
        let words = completer.words.clone();
        let ran = perform(&self.folder, &snapshot, "completion", words, env, &settings).await?;
        match (&ran.stdout, ran.ended) {
            (Printed::Whole(bytes), Ended::Code(0)) => {
                completion::result_of(&String::from_utf8_lossy(bytes), &asked, &completer)
            }
            (_, Ended::TimedOut(_)) => Err(completion::failed("Completion provider timed out")),
            (Printed::Large(_), _) | (_, Ended::Flooded) => {
                Err(completion::failed("Completion provider printed too much"))
            }
            _ => Err(completion::failed(&ran.stderr)),
        }
    }
}
