#!/usr/bin/env node
// Starts the program of this system's package, in place of Node where Node can do that.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");

// Windows on arm64 runs the program for x64.
const cpu = process.platform === "win32" ? "x64" : process.arch;
const name = `@linkspan/cli-${process.platform}-${cpu}`;
const file = process.platform === "win32" ? "linkspan.exe" : "linkspan";

let program;
try {
  program = require.resolve(`${name}/${file}`);
} catch {
  console.error(
    `error: the package ${name} is not installed\n` +
      "hint: install linkspan without --omit=optional or --no-optional; " +
      "if there is no such package, there is no program for this system yet",
  );
  process.exit(1);
}
const args = process.argv.slice(2);

// Node 22.15, 23.11 and newer, except on Windows. It returns only by an error.
if (typeof process.execve === "function" && process.platform !== "win32") {
  try {
    process.execve(program, [program, ...args], process.env);
  } catch {
    // A child process instead.
  }
}

const child = spawn(program, args, { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`error: ${program} does not start: ${error.message}`);
  process.exit(1);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) {
  // A terminal sends its signals to the child as well.
  const isOfTerminal = ["SIGINT", "SIGHUP", "SIGQUIT"].includes(signal) && isatty(0);
  try {
    process.on(signal, () => isOfTerminal || child.kill(signal));
  } catch {
    // Not a signal of this system.
  }
}
child.on("exit", (code, signal) => {
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
});
