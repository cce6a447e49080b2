// npm mcp-proxy bridges stdio to HTTP only as a library call; this is that call.
// It is copied beside the installed package so that the import resolves there.
import { ServerType, startStdioServer } from "mcp-proxy";

await startStdioServer({ serverType: ServerType.HTTPStream, url: process.argv[2] });
