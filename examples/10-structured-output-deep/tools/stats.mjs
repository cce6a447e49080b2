#!/usr/bin/env node
const mcp = await import(process.env.MCP_SDK + "/mcptool.mjs");

await mcp.run(({ numbers, broken }) => {
  const sum = numbers.reduce((a, b) => a + b, 0);
  const stats = { count: numbers.length, sum, range: { min: Math.min(...numbers), max: Math.max(...numbers) } };
  // The schema promises numbers; this is what happens when a tool does not keep its promise.
  return broken ? { ...stats, sum: "a lot" } : stats;
});
