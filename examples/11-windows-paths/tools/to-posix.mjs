#!/usr/bin/env node
// How paths of Windows look in a POSIX shell: C:\a\b is /c/a/b there, and \\host\share is //host/share.
const mcp = await import(process.env.MCP_SDK + "/mcptool.mjs");

await mcp.run(({ path }) => {
  const slashes = path.replaceAll("\\", "/");
  const drive = /^([A-Za-z]):(\/|$)/.exec(slashes);
  return drive ? `/${drive[1].toLowerCase()}${slashes.slice(2)}` : slashes;
});
