//! The processes of one tool.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use linkspan_wire::RpcError;
use tokio::sync::{Mutex, Semaphore, oneshot};

use super::calls::{Answer, Told, Waiting};
use super::process::{Handle, Load, Order, start};
use crate::folder::{Tool, WorkerSettings};
use crate::run::Runner;
use crate::run::clock::Clock;
use crate::run::observer::CallObserver;

/// How often a call is passed to another process because the previous one was about to end.
const TRIES: usize = 3;

/// A call for a process.
pub(crate) struct Task {
    /// The arguments in the client's spelling.
    pub(crate) arguments: String,
    pub(crate) meta: String,
    /// The progress token in the client's spelling.
    pub(crate) token: Option<String>,
    pub(crate) timeout: Option<Duration>,
}

pub(super) struct Pool {
    tool: Arc<Tool>,
    stamp: Stamp,
    settings: WorkerSettings,
    places: Arc<Semaphore>,
    processes: Mutex<Vec<Handle>>,
    last: AtomicU64,
}

/// The state of a tool's file, checked for every call, so that edits take effect at once.
type Stamp = Option<(SystemTime, u64)>;

fn stamp(tool: &Tool) -> Stamp {
    let known = std::fs::metadata(&tool.source).ok()?;
    Some((known.modified().ok()?, known.len()))
}

impl Pool {
    pub(super) fn new(tool: Arc<Tool>, settings: WorkerSettings) -> Self {
        let places = settings.count.max(1) * settings.concurrency.max(1);
        Self {
            stamp: stamp(&tool),
            tool,
            settings,
            places: Arc::new(Semaphore::new(places)),
            processes: Mutex::default(),
            last: AtomicU64::new(0),
        }
    }

    /// Whether the pool runs the current version of the tool.
    pub(super) fn serves(&self, tool: &Tool) -> bool {
        self.stamp == stamp(tool)
            && self.tool.program == tool.program
            && self.tool.mode == tool.mode
            && self.tool.run == tool.run
    }

    pub(super) async fn call(
        &self,
        runner: &Arc<Runner>,
        task: Task,
        mut observer: CallObserver,
    ) -> Result<Answer, RpcError> {
        for _ in 0..TRIES {
            let place = self.places.clone().acquire_owned().await;
            let place = place.map_err(|_| RpcError::server("the tool is being removed"))?;
            let call = self.last.fetch_add(1, Ordering::Relaxed) + 1;
            let (reply, told) = oneshot::channel();
            let line = line(call, &self.tool.name, &task);
            let orders = {
                let mut processes = self.processes.lock().await;
                let process = self.free(&mut processes, runner).await?;
                process.calls += 1;
                let waiting = Waiting {
                    observer,
                    clock: Clock::new(&self.tool.run, task.timeout),
                    reply,
                    place: Box::new((place, Load::new(&process.load))),
                };
                let orders = process.orders.clone();
                let waiting = Box::new(waiting);
                let order = Order::Call {
                    call,
                    line,
                    waiting,
                };
                if let Err(refused) = orders.try_send(order) {
                    // The process has just ended.
                    let Order::Call { waiting, .. } = refused.into_inner() else {
                        break;
                    };
                    observer = waiting.observer;
                    continue;
                }
                orders
            };
            let cancel = CancelOnDrop {
                call,
                orders: Some(orders),
            };
            let Ok(Told {
                answer,
                observer: back,
            }) = told.await
            else {
                break;
            };
            cancel.done();
            observer = back;
            if !matches!(answer, Answer::NotBegun) {
                observer.last_words().await;
                return Ok(answer);
            }
        }
        Err(RpcError::server(
            "the tool's process ended before it saw the call: try again",
        ))
    }

    /// A process with room; starts another one if allowed.
    async fn free<'a>(
        &self,
        processes: &'a mut Vec<Handle>,
        runner: &Arc<Runner>,
    ) -> Result<&'a mut Handle, RpcError> {
        let most = self.settings.max_calls.unwrap_or(u64::MAX);
        // Dropping a handle lets the process finish its calls and end.
        processes.retain(|process| !process.orders.is_closed() && process.calls < most);
        let concurrency = self.settings.concurrency.max(1);
        let load = |process: &Handle| process.load.load(Ordering::Relaxed);
        let quiet = processes
            .iter()
            .enumerate()
            .min_by_key(|(_, process)| load(process))
            .filter(|(_, process)| load(process) < concurrency)
            .map(|(at, _)| at);
        let at = match quiet {
            Some(at) => at,
            None => {
                let started = start(runner, &self.tool, &self.settings).await;
                let started = started.map_err(|e| {
                    RpcError::internal(format!("`{}` did not start: {e}", self.tool.name))
                })?;
                processes.push(started);
                processes.len() - 1
            }
        };
        processes
            .get_mut(at)
            .ok_or_else(|| RpcError::internal("there is no process"))
    }
}

fn line(call: u64, tool: &str, task: &Task) -> String {
    let token = task
        .token
        .as_ref()
        .map_or_else(String::new, |token| format!(r#","progressToken":{token}"#));
    let (arguments, meta) = (
        crate::run::on_one_line(&task.arguments),
        crate::run::on_one_line(&task.meta),
    );
    format!(
        "{{\"id\":{call},\"method\":\"call\",\"params\":{{\"tool\":{},\"arguments\":{arguments},\"meta\":{meta}{token}}}}}\n",
        linkspan_wire::quote(tool),
    )
}

/// Cancels the call in the process when its caller is dropped.
struct CancelOnDrop {
    call: u64,
    orders: Option<tokio::sync::mpsc::Sender<Order>>,
}

impl CancelOnDrop {
    fn done(mut self) {
        self.orders = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(orders) = &self.orders {
            let _ = orders.try_send(Order::Cancel(self.call));
        }
    }
}
