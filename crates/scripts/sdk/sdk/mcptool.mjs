// Helpers for tools written for Node 18 or later. One file, nothing to install.
//
// A tool that runs once per call:
//
//   const mcp = await import(process.env.MCP_SDK + "/mcptool.mjs");
//   await mcp.run(async (args) => {
//     mcp.progress(1, 2, "half way");
//     return `Hello, ${args.name}`;
//   });
//
// A tool that stays (mode: worker) gives its functions by name: `mcp.serve({ greet: fn })`.
//
// What a function returns is the result: a string is text, what `image`, `resourceLink` and
// `result` return is a whole result, and anything else is structured content.

import fs from "node:fs";

const env = process.env;
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** What `fail` throws: the call fails, and a worker goes on. */
export class Failure extends Error {
  constructor(message, data) {
    super(message);
    this.data = data;
  }
}

/** The client or the server said no to a question. */
export class Refused extends Error {}

// --- the channel ------------------------------------------------------------------------------

/** Splits what comes into messages. */
function lines(onMessage) {
  let rest = "";
  return (chunk) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part.trim()) onMessage(JSON.parse(part));
  };
}

function settle(waiting, message) {
  const question = waiting.get(message.id);
  if (!question) return;
  waiting.delete(message.id);
  if (message.error) question.reject(new Refused(message.error.message ?? "no answer"));
  else question.resolve(message.result);
}

/** One call in this process: arguments from the environment or stdin, the channel on a descriptor. */
class Once {
  #fd = env.MCP_CTRL_FD ? Number(env.MCP_CTRL_FD) : null;
  #socket = null;
  #waiting = new Map();
  #next = 0;
  #cancelled = false;
  #args;

  args() {
    if (this.#args === undefined) {
      let text = env.MCP_TOOL_ARGS_JSON;
      if (env.MCP_TOOL_ARGS_FILE) text = fs.readFileSync(env.MCP_TOOL_ARGS_FILE, "utf8");
      else if (!text) text = fs.readFileSync(0, "utf8");
      this.#args = JSON.parse(text || "{}");
    }
    return this.#args;
  }

  meta() {
    return JSON.parse(env.MCP_TOOL_META_JSON || "{}");
  }

  cancelled() {
    return this.#cancelled || Boolean(env.MCP_CANCEL_FILE && fs.existsSync(env.MCP_CANCEL_FILE));
  }

  tell(message) {
    if (this.#fd === null) tellFiles(message);
    else this.#write(message);
  }

  async ask(method, params) {
    if (this.#fd === null) return askFiles(method, params);
    await this.#open();
    const id = ++this.#next;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.ref();
    this.#write({ id, method, params });
    try {
      return await answer;
    } finally {
      // No question is open: the channel must not keep the process alive.
      if (this.#waiting.size === 0) this.#socket.unref();
    }
  }

  #write(message) {
    const line = JSON.stringify(message) + "\n";
    if (this.#socket) this.#socket.write(line);
    else fs.writeSync(this.#fd, line);
  }

  async #open() {
    if (this.#socket) return;
    const net = await import("node:net");
    const socket = new net.Socket({ fd: this.#fd, readable: true, writable: true });
    socket.setEncoding("utf8");
    const take = lines((message) => {
      if (message.method === "cancel") {
        this.#cancelled = true;
        this.#refuse("the call was cancelled");
      } else settle(this.#waiting, message);
    });
    socket.on("data", take);
    socket.on("error", () => this.#refuse("the channel broke"));
    socket.on("end", () => this.#refuse("the server closed the channel"));
    this.#socket = socket;
  }

  #refuse(why) {
    for (const question of this.#waiting.values()) question.reject(new Refused(why));
    this.#waiting.clear();
  }
}

let once = null;
let calls = null;

function current() {
  return calls?.getStore() ?? (once ??= new Once());
}

/** Where there is no channel: the files that mcp-bash names. */
function tellFiles({ method, params }) {
  const token = env.MCP_PROGRESS_TOKEN;
  let file;
  if (method === "progress" && token) {
    params = { ...params, progressToken: /^[0-9]+$/.test(token) ? Number(token) : token };
    [file, method] = [env.MCP_PROGRESS_STREAM, "notifications/progress"];
  } else if (method === "log") [file, method] = [env.MCP_LOG_STREAM, "notifications/message"];
  if (file) fs.appendFileSync(file, JSON.stringify({ jsonrpc: "2.0", method, params }) + "\n");
}

async function askFiles(method, params) {
  const { MCP_ELICIT_REQUEST_FILE: request, MCP_ELICIT_RESPONSE_FILE: response } = env;
  if (method !== "elicit" || !request || !response) throw new Refused("there is no way to the client");
  fs.rmSync(response, { force: true });
  fs.writeFileSync(`${request}.tmp`, JSON.stringify({ ...params, mode: params.url ? "url" : "form" }));
  fs.renameSync(`${request}.tmp`, request);
  const until = Date.now() + 1000 * Number(env.MCPBASH_ELICITATION_TIMEOUT || 30);
  while (!fs.existsSync(response)) {
    if (current().cancelled()) return { action: "cancel" };
    if (Date.now() > until) throw new Refused("no answer in time");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return JSON.parse(fs.readFileSync(response, "utf8"));
}

// --- what a tool is given ---------------------------------------------------------------------

/** The arguments of the call. */
export const args = () => current().args();
/** The _meta of the request. */
export const meta = () => current().meta();
/** True once the client does not want the answer any more. */
export const cancelled = () => current().cancelled();
/** True if the client can do something: elicitation, elicitation.url, sampling, roots. */
export const can = (what) => (env.MCP_CAPABILITIES ?? "").split(" ").includes(what);

// --- telling the client -----------------------------------------------------------------------

/** How far the call has come. */
export function progress(progress, total, message) {
  current().tell({ method: "progress", params: { progress, total, message } });
}

/** A message for the client's log; levels are those of RFC 5424. */
export function log(level, data, logger) {
  level = LEVELS.includes(level) ? level : "info";
  current().tell({ method: "log", params: { level, logger, data } });
}

/** A resource has changed. */
export const updated = (uri) => current().tell({ method: "updated", params: { uri } });
/** A list has changed: tools, prompts or resources. */
export const changed = (what) => current().tell({ method: "changed", params: { what } });

// --- asking the client ------------------------------------------------------------------------

/** Asks the user with a form. Resolves to {action, content}. */
export async function elicit(message, schema = { type: "object", properties: {} }) {
  if ((env.MCP_ELICIT_SUPPORTED ?? "1") !== "1") return { action: "decline", content: null };
  return current().ask("elicit", { message, schema });
}

/** Sends the user to a page. */
export async function elicitUrl(message, url) {
  if ((env.MCP_ELICIT_SUPPORTED ?? "1") !== "1") return { action: "decline", content: null };
  return current().ask("elicit", { message, url });
}

async function field(message, name, schema) {
  const answer = await elicit(message, { type: "object", properties: { [name]: schema }, required: [name] });
  return answer?.action === "accept" ? (answer.content?.[name] ?? null) : null;
}

const titled = (options) => Object.entries(options).map(([value, title]) => ({ const: value, title }));

/** A line of text, or null. */
export const askText = (message, name = "value") => field(message, name, { type: "string" });
/** true, false, or null if the user did not say. */
export const confirm = (message) => field(message, "confirmed", { type: "boolean" });

/** One of the options (an array, or an object of value to title), or null. */
export function choose(message, options) {
  const schema = Array.isArray(options) ? { enum: options } : { oneOf: titled(options) };
  return field(message, "choice", { type: "string", ...schema });
}

/** Some of the options, or null. */
export function chooseMany(message, options) {
  const items = Array.isArray(options) ? { type: "string", enum: options } : { anyOf: titled(options) };
  return field(message, "choices", { type: "array", items });
}

/** Asks the client's model. `prompt` is a text or an array of messages. */
export async function sample(prompt, { maxTokens = 1000, ...params } = {}) {
  const messages =
    typeof prompt === "string" ? [{ role: "user", content: { type: "text", text: prompt } }] : prompt;
  return current().ask("sample", { ...params, messages, maxTokens });
}

/** The text of the model's answer. */
export async function sampleText(prompt, options) {
  const { content } = await sample(prompt, options);
  return [content].flat().filter((part) => part?.type === "text").map((part) => part.text).join("\n");
}

/** The client's roots: an array of {uri, name}. */
export async function roots() {
  if (!env.MCP_CTRL_FD && !calls) return JSON.parse(env.MCP_ROOTS_JSON || "[]");
  return (await current().ask("roots", {}))?.roots ?? [];
}

// --- results ----------------------------------------------------------------------------------

/** Text as a whole result, even if it looks like JSON. */
export const text = (words) => ({ content: [{ type: "text", text: words }] });

/** A picture: its bytes, or the name of its file. */
export function image(data, mimeType = "image/png") {
  const bytes = typeof data === "string" ? fs.readFileSync(data) : Buffer.from(data);
  return { content: [{ type: "image", data: bytes.toString("base64"), mimeType }] };
}

/** Where the result can be read. */
export const resourceLink = (uri, name, more = {}) => ({
  content: [{ type: "resource_link", uri, name, ...more }],
});

/** A whole result of texts, content blocks and other results. */
export function result(parts, { structured, error = false } = {}) {
  const content = [parts ?? []].flat().flatMap((part) =>
    typeof part === "string" ? { type: "text", text: part } : (part.content ?? part),
  );
  if (structured === undefined) return { content, isError: error };
  if (content.length === 0) content.push({ type: "text", text: JSON.stringify(structured) });
  return { content, structuredContent: structured, isError: error };
}

/** Prints the result of a tool that runs once. */
export function emit(value) {
  const plain = typeof value === "string" && !/^\s*[{[]/.test(value);
  const whole = typeof value === "string" && !plain ? text(value) : value;
  writeAll(1, plain ? value : JSON.stringify(whole));
}

/** All of it: a pipe may take less at a time, or nothing for a moment. */
function writeAll(fd, words) {
  let bytes = Buffer.from(words);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(fs.writeSync(fd, bytes));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** The call fails with this message. */
export function fail(message, data) {
  throw new Failure(message, data);
}

// --- running ----------------------------------------------------------------------------------

/** Runs a tool once: its result is printed, its failure ends the process with 1. */
export async function run(fn) {
  try {
    const value = await fn(args());
    if (value !== undefined && value !== null) emit(value);
  } catch (error) {
    if (error instanceof Failure) {
      writeAll(2, `${error.message}\n`);
      if (error.data !== undefined) writeAll(2, `${JSON.stringify(error.data)}\n`);
    } else writeAll(2, `${error?.stack ?? error}\n`);
    process.exitCode = 1;
  }
}

/** A worker: functions by the name of their tool; calls run side by side. */
export async function serve(functions) {
  const { AsyncLocalStorage } = await import("node:async_hooks");
  calls = new AsyncLocalStorage();
  const running = new Map();
  const waiting = new Map();
  let next = 0;
  // Whatever a tool prints must not come between the messages.
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const send = (message) => write(JSON.stringify(message) + "\n");

  const start = async (id, params = {}) => {
    const call = {
      stopped: false,
      args: () => params.arguments ?? {},
      meta: () => params.meta ?? {},
      cancelled: () => call.stopped,
      tell: (message) => send({ ...message, call: id }),
      ask: (method, asked) =>
        new Promise((resolve, reject) => {
          const question = `q${++next}`;
          waiting.set(question, { resolve, reject });
          send({ id: question, call: id, method, params: asked });
        }),
    };
    running.set(id, call);
    try {
      const fn = functions[params.tool];
      if (!fn) fail(`this worker has no tool ${params.tool}`);
      const value = await calls.run(call, () => fn(call.args()));
      send({ id, result: value ?? "" });
    } catch (error) {
      if (!(error instanceof Failure)) console.error(error);
      send({ id, error: { message: String(error?.message ?? error), data: error?.data } });
    } finally {
      running.delete(id);
    }
  };

  const take = lines((message) => {
    const { id, method, params } = message;
    if (method === "call") start(id, params);
    else if (method === "cancel") {
      const call = running.get(params?.call);
      if (call) call.stopped = true;
    } else if (method !== undefined) {
      if (id !== undefined) send({ id, result: {} });
    } else settle(waiting, message);
  });
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) take(chunk);
  for (const question of waiting.values()) question.reject(new Refused("the server went away"));
}
