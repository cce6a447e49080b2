//! Tools with long-running processes: `mode: worker`.
//!
//! Each process is owned by one task ([`process`]); a [`Pool`] starts processes on demand and assigns each call
//! to one with room.

mod calls;
mod pool;
mod process;

use std::collections::HashMap;
use std::sync::Arc;

use linkspan_wire::RpcError;
use parking_lot::Mutex;

use crate::folder::{Tool, WorkerSettings};
use crate::run::Runner;
use crate::run::observer::CallObserver;
pub(crate) use calls::Answer;
use pool::Pool;
pub(crate) use pool::Task;
pub(crate) use process::{Pipes, spawn};

/// All pools of a folder.
#[derive(Default)]
pub(crate) struct Pools(Mutex<HashMap<String, Arc<Pool>>>);

impl Pools {
    /// Passes a call to a process of the tool.
    pub(crate) async fn call(
        &self,
        runner: &Arc<Runner>,
        tool: &Arc<Tool>,
        settings: &WorkerSettings,
        task: Task,
        observer: CallObserver,
    ) -> Result<Answer, RpcError> {
        let pool = self.pool(tool, settings);
        pool.call(runner, task, observer).await
    }

    /// The pool of the current version of a tool. Processes of a previous version finish their calls.
    fn pool(&self, tool: &Arc<Tool>, settings: &WorkerSettings) -> Arc<Pool> {
        let mut pools = self.0.lock();
        match pools.get(&tool.name) {
            Some(pool) if pool.serves(tool) => pool.clone(),
            _ => {
                let pool = Arc::new(Pool::new(tool.clone(), settings.clone()));
                pools.insert(tool.name.clone(), pool.clone());
                pool
            }
        }
    }

    /// Lets every process go.
    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }
}
