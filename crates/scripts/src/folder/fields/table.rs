//! The table. One row per field, however long.

/// The places where a field is allowed, as a bit set.
pub(in crate::folder) type Places = u8;
pub(in crate::folder) const SERVER: Places = 1;
pub(in crate::folder) const TOOL: Places = 2;
pub(in crate::folder) const PROMPT: Places = 4;
pub(in crate::folder) const RESOURCE: Places = 8;
pub(in crate::folder) const COMPLETION: Places = 16;
pub(in crate::folder) const PROVIDER: Places = 32;
const ENTRY: Places = TOOL | PROMPT | RESOURCE | COMPLETION | PROVIDER;
const LISTED: Places = TOOL | PROMPT | RESOURCE;
const ALL: Places = SERVER | ENTRY;

/// The names of the places in messages and in the manual.
pub(super) const PLACES: [(Places, &str); 6] = [
    (SERVER, "server"),
    (TOOL, "tool"),
    (PROMPT, "prompt"),
    (RESOURCE, "resource"),
    (COMPLETION, "completion"),
    (PROVIDER, "provider"),
];

/// A field.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) places: Places,
    pub(super) takes: Takes,
    pub(super) default: &'static str,
    pub(super) doc: &'static str,
}

/// The type of a field.
pub(super) enum Takes {
    Text,
    /// A text, or a number or flag in its original spelling.
    Scalar,
    Flag,
    Number,
    /// A whole number within these bounds.
    Count(u64, u64),
    Seconds,
    Bytes,
    Word(&'static [&'static str]),
    /// A list of texts, numbers and flags.
    Scalars,
    /// A list of TCP ports.
    Ports,
    List,
    Map,
    /// A map of names of variables to texts, numbers and flags.
    Variables,
    /// A map with only these members.
    Fields(&'static [Field]),
    /// A list of maps with these members.
    ListOf(&'static [Field]),
    /// A map whose members are maps with these members.
    MapOf(&'static [Field]),
    Either(&'static Takes, &'static Takes),
}

const fn field(
    name: &'static str,
    places: Places,
    takes: Takes,
    default: &'static str,
    doc: &'static str,
) -> Field {
    Field {
        name,
        places,
        takes,
        default,
        doc,
    }
}

use Takes::{
    Bytes, Count, Either, Fields, Flag, List, ListOf, Map, MapOf, Number, Ports, Scalar, Scalars,
    Seconds, Text, Variables, Word,
};

#[rustfmt::skip]
pub(super) const FIELDS: &[Field] = &[
    // Identity.
    field("name", SERVER, Text, "the folder's name", "The name of the server."),
    field("name", TOOL | PROMPT, Text, "the file's name without its extension", "The name for clients: letters, digits, `_` and `-`, at most 64."),
    field("name", RESOURCE, Text, "the path below `resources/`", "What clients show."),
    field("version", SERVER, Scalar, "`0.0.0`", "The version of the server."),
    field("title", SERVER | LISTED, Text, "", "The display name."),
    field("description", SERVER | LISTED, Text, "the first comment of a script", "The description. For a tool, the model decides by it."),
    field("websiteUrl", SERVER, Text, "", "A page about the server."),
    field("instructions", SERVER, Text, "the text of `instructions.md`", "For the model: how to use the tools together."),
    field("icons", SERVER | LISTED, List, "", "Icons as MCP defines them."),
    field("_meta", LISTED, Map, "", "Passed to clients unchanged."),
    field("enabled", ENTRY, Flag, "`true`", "`false` leaves the entry out."),
    // Server settings.
    field("allow", SERVER, Scalars, "all", "The tools that are offered, by name; `*` at the end matches any rest."),
    field("deny", SERVER, Scalars, "none", "Tools that are not offered; stronger than `allow`."),
    field("pageSize", SERVER, Count(1, 10_000), "`1000`", "Entries per page of a list."),
    field("concurrency", SERVER, Count(1, 4_096), "`16`", "Limit of concurrent calls of all clients; further calls wait."),
    // Arguments and results of tools.
    field("arguments", TOOL, Either(&Map, &List), "", "Short form of `inputSchema`: a map of names to a type or a schema, or a list of schemas with `name`. `required: true` makes an argument required; without a type it is a string."),
    field("inputSchema", TOOL, Map, "any object", "JSON Schema of the arguments. They are checked before the tool runs."),
    field("outputSchema", TOOL, Map, "", "JSON Schema of the structured result. It is checked before clients see it."),
    field("annotations", TOOL, Fields(TOOL_HINTS), "", "Hints for clients about the tool."),
    field("annotations", RESOURCE, Fields(RESOURCE_HINTS), "", "Hints for clients about the resource."),
    field("exec", TOOL, Scalars, "", "Only in `*.tool.yaml` and other formats of it: the command line, with `{{name}}` for arguments. No shell is used."),
    field("mode", TOOL, Word(&["once", "worker", "mcp"]), "`once`", "`once`: a process for each call. `worker`: processes that stay. `mcp`: the file is a server of its own, whose tools are offered."),
    field("workers", TOOL, Fields(WORKERS), "", "For `mode: worker`."),
    field("prefix", TOOL, Text, "its name and `_`", "For `mode: mcp`: the prefix of the names of its tools. May be empty."),
    // Prompts.
    field("arguments", PROMPT, Either(&ListOf(ARGUMENT), &MapOf(ARGUMENT)), "the placeholders `{{…}}` of the text", "The arguments of the prompt: a list, or a map of names to these members."),
    field("role", PROMPT, Word(&["user", "assistant"]), "`user`", "Who says it."),
    field("messages", PROMPT, ListOf(MESSAGE), "the text of the file", "Several messages. In a text, lines such as `--- assistant ---` do the same."),
    field("text", PROMPT, Text, "the text of the file", "The text of the prompt, for a prompt without a file of its own."),
    // Resources.
    field("uri", RESOURCE, Text, "`file://` and the path; `script:///` and the name for a program, `text:///` for a text", "Its address."),
    field("uriTemplate", RESOURCE, Text, "", "Makes it a template (RFC 6570)."),
    field("arguments", RESOURCE, Either(&ListOf(ARGUMENT), &MapOf(ARGUMENT)), "", "For a template: its variables, with `completions`."),
    field("mimeType", RESOURCE, Text, "by the extension, else by the contents", "The media type of the contents."),
    field("size", RESOURCE, Bytes, "that of the file", "The size of the contents in bytes, if known."),
    field("provider", RESOURCE, Text, "the scheme of its address", "The provider that reads it, for a resource without a file of its own."),
    field("text", RESOURCE, Text, "", "Its contents, for a resource without a file of its own."),
    // Completions.
    field("prompt", COMPLETION, Text, "the first part of the file's name", "The prompt whose argument is completed."),
    field("uriTemplate", COMPLETION, Text, "", "The template whose variable is completed."),
    field("argument", COMPLETION, Text, "the second part of the file's name", "The argument."),
    field("values", COMPLETION, Scalars, "", "The values, for a completion without a file of its own."),
    // Execution.
    field("timeoutSecs", ALL, Seconds, "`30`", "The time limit of a call."),
    field("timeoutHint", ALL, Text, "", "Text for the model when a call times out."),
    field("progressExtendsTimeout", ALL, Flag, "`false`", "Whether progress restarts the time limit."),
    field("maxTimeoutSecs", ALL, Seconds, "`600`", "Upper limit of a call's time, progress included."),
    field("graceSecs", ALL, Seconds, "`1`", "Between TERM and KILL."),
    field("maxOutputBytes", ALL, Bytes, "`10 MiB`", "Largest output of a call."),
    field("progressPerMinute", ALL, Count(0, 100_000), "`100`", "Progress notifications of a call that are forwarded per minute; the last one always is."),
    field("logsPerMinute", ALL, Count(0, 100_000), "`100`", "Log messages of a call that are forwarded per minute."),
    field("concurrency", ENTRY, Count(1, 4_096), "as the server", "Limit of concurrent calls of this entry."),
    field("cwd", ALL, Text, "the folder", "The working directory; relative to the folder, and inside it."),
    field("env", ALL, Fields(ENV), "", "The environment variables that it gets."),
    field("limits", ALL, Fields(LIMITS), "", "Resource limits."),
    field("sandbox", ALL, Either(&Count(0, 2), &Fields(SANDBOX)), "`1`", "The files and ports that it may access; a number is the level."),
];

#[rustfmt::skip]
pub(super) const TOOL_HINTS: &[Field] = &[
    field("title", TOOL, Text, "", "The display name."),
    field("readOnlyHint", TOOL, Flag, "`false`", "It changes nothing."),
    field("destructiveHint", TOOL, Flag, "`true`", "It may destroy something."),
    field("idempotentHint", TOOL, Flag, "`false`", "Calling it twice does no more than calling it once."),
    field("openWorldHint", TOOL, Flag, "`true`", "It interacts with the outside world."),
];

#[rustfmt::skip]
pub(super) const RESOURCE_HINTS: &[Field] = &[
    field("audience", RESOURCE, Scalars, "", "`user`, `assistant`, or both."),
    field("priority", RESOURCE, Number, "", "From 0 (optional) to 1 (required)."),
    field("lastModified", RESOURCE, Text, "", "ISO 8601."),
];

#[rustfmt::skip]
pub(super) const WORKERS: &[Field] = &[
    field("count", TOOL, Count(1, 256), "`1`", "The maximum number of processes."),
    field("concurrency", TOOL, Count(1, 4_096), "`1`", "Concurrent calls per process."),
    field("idleSecs", TOOL, Seconds, "`300`", "When an idle process is ended."),
    field("maxCalls", TOOL, Count(1, u64::MAX), "no limit", "A process is replaced after this many calls."),
];

#[rustfmt::skip]
pub(super) const ARGUMENT: &[Field] = &[
    field("name", PROMPT | RESOURCE, Text, "", "Its name."),
    field("title", PROMPT | RESOURCE, Text, "", "The display name."),
    field("description", PROMPT | RESOURCE, Text, "", "The description."),
    field("required", PROMPT | RESOURCE, Flag, "`false`", "Whether it is required."),
    field("default", PROMPT | RESOURCE, Scalar, "an empty text", "The value if it is missing."),
    field("completions", PROMPT | RESOURCE, Scalars, "", "The completion values."),
];

#[rustfmt::skip]
pub(super) const MESSAGE: &[Field] = &[
    field("role", PROMPT | RESOURCE, Word(&["user", "assistant"]), "`user`", "Who says it."),
    field("text", PROMPT | RESOURCE, Text, "", "What is said."),
];

#[rustfmt::skip]
pub(super) const ENV: &[Field] = &[
    field("mode", ALL, Word(&["minimal", "allowlist", "inherit"]), "`minimal`", "`minimal`: `PATH`, `HOME` and the other variables that most programs need. `allowlist`: only the listed variables. `inherit`: everything."),
    field("allow", ALL, Scalars, "", "More variables, by name or by a prefix and `*`."),
    field("set", ALL, Variables, "", "Variables that are set for it; those of the server's file stay."),
];

#[rustfmt::skip]
pub(super) const LIMITS: &[Field] = &[
    field("cpuSecs", ALL, Seconds, "", "Seconds of a processor."),
    field("memoryBytes", ALL, Bytes, "", "Address space."),
    field("openFiles", ALL, Count(3, 1 << 32), "", "Open files."),
    field("fileSizeBytes", ALL, Bytes, "", "The size of a file that it writes."),
    field("processes", ALL, Count(1, 1 << 32), "", "Processes of this user, all of them."),
];

#[rustfmt::skip]
pub(super) const SANDBOX: &[Field] = &[
    field("level", ALL, Count(0, 2), "`1`", "0: none. 1: no privilege gain (setuid), and the limits. 2: also only the files and ports below."),
    field("read", ALL, Scalars, "", "Files and folders that it may read, besides those that every program needs; relative to the folder."),
    field("write", ALL, Scalars, "", "Files and folders that it may write."),
    field("net", ALL, Either(&Flag, &Ports), "`true`", "TCP ports that it may connect to; `false` is none, `true` is all."),
    field("roots", ALL, Flag, "`false`", "Whether it may read and write the client's roots as well."),
    field("optional", ALL, Flag, "`false`", "Whether it may run where the system cannot enforce this."),
];
