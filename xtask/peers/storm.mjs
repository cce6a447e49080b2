// Many processes of a bridge that share one sign-in, with tokens that expire all the time:
// `node storm.mjs [--judge] SECONDS BRIDGE…`. Each calls a tool twice a second; every few seconds one is killed,
// in turn any of them, the one that has just asked for a token, and the parent of the one that has just been given
// it; another one takes its place.
// Prints figures at the end. With `--judge` it fails unless there was one login, no failed call, one refresh per
// token, and no refresh token was used twice.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { StdioClient } from "./stdio_client.mjs";
import { ownerOf, parentOf } from "./sockets.mjs";

const PROCESSES = 20;
const TTL = 5;
const CALL_EVERY = 500;
const KILL_EVERY = 3000;
// A token request takes up to so many milliseconds.
const SLOWNESS = 150;
// Its answer is on the way, or has been read, within so many milliseconds.
const ANSWER = 30;

const args = process.argv.slice(2);
const judges = args[0] === "--judge" && Boolean(args.shift());
const [seconds, ...bridge] = args;

const state = mkdtempSync(join(tmpdir(), "linkspan-storm-"));
const log = join(state, "browsers.log");
Object.assign(process.env, {
  BROWSER: join(import.meta.dirname, "login.mjs"),
  LOGIN_LOG: log,
  LINKSPAN_STATE: join(state, "linkspan"),
  MCP_REMOTE_CONFIG_DIR: join(state, "mcp-remote"),
});

const figures = { calls: 0, failed: 0, killed: 0, aimed: 0, slowest: 0 };
const failures = new Map();
const clients = new Set();
let isOver = false;
// What is killed at the next token request: "asking", the process that makes it, or "parent", its parent once the
// authorization server has used up the old refresh token.
let aim = null;

// A script beside this one, with a function for each line that it prints; resolves with its URL.
function start(name, words, onLine = () => {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, name), ...words], { stdio: ["pipe", "pipe", "inherit"] });
  return new Promise((resolve) => {
    createInterface(child.stdout).on("line", (line) => (line.startsWith("http") ? resolve({ url: line, child }) : onLine(line)));
  });
}

function fail(why) {
  figures.failed += 1;
  failures.set(why, (failures.get(why) ?? 0) + 1);
}

// One client from its start to its end.
async function live(url) {
  const client = new StdioClient([...bridge, url]);
  clients.add(client);
  try {
    await client.initialize();
    while (!isOver) {
      const began = Date.now();
      await client.call("add_one");
      figures.calls += 1;
      figures.slowest = Math.max(figures.slowest, Date.now() - began);
      await wait(CALL_EVERY * (0.5 + Math.random()));
    }
  } catch (error) {
    if (!client.isKilled && !isOver) fail(error.message);
  } finally {
    clients.delete(client);
    client.kill();
  }
  if (!isOver) live(url);
}

// Kills a client, or a process that works for some of them, unless it has ended meanwhile.
function kill(pid, isAimed) {
  if (!pid || isOver) return;
  const client = [...clients].find((client) => client.pid === pid);
  try {
    if (client) client.kill();
    else process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
    return;
  }
  figures.killed += 1;
  figures.aimed += isAimed ? 1 : 0;
}

// A process has just asked for a token: the authorization server waits until it is told to go on, or until the
// process has gone.
async function onHeld(line) {
  const port = Number(line.split(" ")[1]);
  const pid = aim && ownerOf(port, Number(new URL(issuer.url).port), state);
  const target = pid && aim;
  if (target) aim = null;
  if (target === "asking") return kill(pid, true);
  const parent = target === "parent" ? parentOf(pid) : null;
  await wait(Math.random() * SLOWNESS);
  issuer.child.stdin.write(`go ${port}\n`);
  if (!parent) return;
  await wait(Math.random() * ANSWER);
  kill(parent, true);
}

async function chaos(end) {
  for (let round = 0; Date.now() < end; round += 1) {
    await wait(KILL_EVERY * (0.5 + Math.random()));
    if (round % 3) aim = round % 3 === 1 ? "asking" : "parent";
    else kill([...clients][Math.floor(Math.random() * clients.size)]?.pid, false);
  }
}

const issuer = await start("as.mjs", ["--ttl", String(TTL), "--hold"], onHeld);
const server = await start("protected.mjs", [issuer.url]);
const counters = async ({ url }) => (await fetch(new URL("/__counters", url))).json();

const began = Date.now();
for (let number = 0; number < PROCESSES; number += 1) live(server.url);
// The first sign-in is left alone: to kill the process of the browser is to ask the person again.
while ((await counters(issuer)).logins === 0 && Date.now() < began + 60_000) await wait(100);
await chaos(began + Number(seconds) * 1000);
const elapsed = (Date.now() - began) / 1000;
const [granted, served] = [await counters(issuer), await counters(server)];
isOver = true;
for (const client of clients) client.kill();
issuer.child.kill();
server.child.kill();

const { refreshedAt } = granted;
const early = refreshedAt.filter((at, index) => index > 0 && at - refreshedAt[index - 1] < (TTL * 1000) / 2).length;
const browsers = readFileSync(log, { encoding: "utf8", flag: "a+" }).trim().split("\n").filter(Boolean).length;
rmSync(state, { recursive: true, force: true });
const rows = {
  seconds: elapsed.toFixed(0),
  "processes killed": `${figures.killed}, of them ${figures.aimed} while they asked for a token`,
  "browsers opened": browsers,
  logins: granted.logins,
  "calls answered": figures.calls,
  "slowest call, ms": figures.slowest,
  "failed calls": figures.failed,
  "calls that ran more than once": Math.max(0, served.added - figures.calls - figures.killed - PROCESSES),
  refreshes: `${granted.refreshes} in ${(elapsed / TTL).toFixed(0)} token lifetimes`,
  "refreshes of a token with half its life left": early,
  "refresh tokens used twice": granted.reuses,
  "revoked families": granted.revokedGrants,
};
for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(46)} ${value}`);
for (const [why, times] of failures) console.log(`  failed ${times} times: ${why}`);
const isGood =
  granted.logins === 1 &&
  browsers === 1 &&
  figures.failed === 0 &&
  early === 0 &&
  granted.reuses === 0 &&
  granted.revokedGrants === 0 &&
  rows["calls that ran more than once"] === 0 &&
  figures.calls > Number(seconds) * PROCESSES;
process.exit(judges && !isGood ? 1 : 0);
