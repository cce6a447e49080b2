// A legacy MCP client of a stdio server that may be killed at any time.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const ANSWER = 20_000;
const HANDSHAKE = 60_000;

export class StdioClient {
  #child;
  #waiting = new Map();
  #next = 0;
  isKilled = false;

  constructor([command, ...args]) {
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdin.on("error", () => {});
    this.#child.on("error", (error) => this.#end(error.message));
    this.#child.on("exit", (code) => this.#end(`the process ended with code ${code}`));
    createInterface(this.#child.stdout).on("line", (line) => this.#take(line));
  }

  get pid() {
    return this.#child.pid;
  }

  async initialize() {
    const clientInfo = { name: "storm", version: "1.0.0" };
    await this.#request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }, HANDSHAKE);
    this.#send({ method: "notifications/initialized" });
  }

  async call(name) {
    const result = await this.#request("tools/call", { name, arguments: {} }, ANSWER);
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return result;
  }

  kill() {
    this.isKilled = true;
    this.#child.kill("SIGKILL");
  }

  #request(method, params, limit) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const late = () => this.#settle(id, { error: { message: `no answer to ${method} after ${limit} ms` } });
      this.#waiting.set(id, { resolve, reject, timer: setTimeout(late, limit) });
      this.#send({ id, method, params });
    });
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #take(line) {
    if (!line.startsWith("{")) return this.#end(`not a message: ${line}`);
    const message = JSON.parse(line);
    // Of what a server may ask, a client without capabilities hears only this.
    if (message.method === "ping") this.#send({ id: message.id, result: {} });
    else if (!message.method) this.#settle(message.id, message);
  }

  #settle(id, { result, error }) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error) waiting.reject(new Error(error.message));
    else waiting.resolve(result);
  }

  #end(why) {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, { error: { message: why } });
  }
}
