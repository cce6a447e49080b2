// Which process has a connection; Linux only.
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

// The process with this text in its environment that is connected from one port of the loopback to another.
export function ownerOf(from, to, environment) {
  const inode = inodeOf(from, to);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.find((pid) => inode && owns(pid, inode, environment));
}

function inodeOf(from, to) {
  const address = (port) => `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "utf8").split("\n").map((row) => row.trim().split(/\s+/));
  return rows.find((row) => row[1] === address(from) && row[2] === address(to))?.[9];
}

function owns(pid, inode, environment) {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(environment)) return false;
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((fd) => readlinkSync(`${folder}/${fd}`) === `socket:[${inode}]`);
  } catch {
    // The process has ended, or closed a file meanwhile.
    return false;
  }
}

// The process that started another one.
export function parentOf(pid) {
  try {
    // After the name in parentheses: the state, then the parent.
    const [, rest] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    return Number(rest.split(" ")[1]);
  } catch {
    return null;
  }
}
