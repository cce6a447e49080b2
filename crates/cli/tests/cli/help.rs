//! `--help`.

use insta::assert_snapshot;

use crate::setup::{COMMANDS, Run, linkspan};

#[test]
fn the_help_says_what_there_is_and_how_it_ends() {
    assert_snapshot!(linkspan(&["--help"]), @"
    The bridge between any AI client and any tool server

    Usage: linkspan [OPTIONS] <COMMAND>

    Commands:
      connect      Connect a stdio client to any server
      expose       Offer a server over HTTP
      shrink       Shorten tool results without loss, to save tokens
      conduct      Connect an editor to an agent through proxies (ACP)
      agent        Serve an ACP agent as an MCP server
      mcp          Connect an agent to an MCP server inside a `conduct` chain (agents run this)
      tools        List the tools of a server
      call         Call a tool
      resources    List the resources of a server, and its templates
      read         Print a resource
      prompts      List the prompts of a server
      prompt       Print a prompt
      ping         Check that a server answers, and how fast
      serve        Serve a folder of scripts as an MCP server
      new          Create a folder of scripts
      scaffold     Add a tool, prompt, resource or completion to a folder
      validate     Show what clients will see of a folder, and its problems
      run-tool     Run one tool of a folder, without a client
      config       Print the configuration that a client needs for a server
      doctor       Check this machine for problems with scripts and clients
      sdk          Write out the SDKs for tools in Bash, Python and Node
      jq           Run the built-in jq
      bcp          Work with BCP files: context packed for a model
      completions  Print a completion script for a shell
      man          Print the manual page
      help         Print this message or the help of the given subcommand(s)

    Options:
      -v, --verbose...       Write a log to stderr
          --debug            Same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>  Also write the log to FILE
      -h, --help             Print help (see a summary with '-h')
      -V, --version          Print version

    Examples:
      See what a server offers, and call a tool:
        linkspan tools https://mcp.example.com/mcp
        linkspan call git_log repo_path=. -- uvx mcp-server-git

      Connect a stdio client (Claude Code, an editor) to a remote server:
        claude mcp add example -- linkspan connect https://mcp.example.com/mcp

      Serve a stdio server over HTTP:
        linkspan expose -- npx -y @modelcontextprotocol/server-everything

      Shorten tool results without loss, to save tokens:
        claude mcp add git -- linkspan shrink -- uvx mcp-server-git

      Make a folder of scripts an MCP server, and configure a client for it:
        linkspan new my-server && linkspan config my-server

      Put a proxy between an editor and its agent (ACP), or use an agent as a tool:
        linkspan conduct ./my-proxy 'npx -y @zed-industries/claude-code-acp'
        claude mcp add helper -- linkspan agent -- ./my-agent acp

    Exit codes:
      0    it worked (connect: the client closed its side)
      1    the server answered with an error; bcp, validate: something is not valid
      2    the command line is wrong, or names a folder that does not exist
      3    the target cannot be reached or started
      4    the peer broke the protocol or died
      5    the tool says that it failed (isError)
      6    no answer in time
      129  hung up (SIGHUP)
      130  interrupted (SIGINT)
      143  terminated (SIGTERM)
    ");
}

#[test]
fn without_arguments_there_is_help_too() {
    let ran = linkspan(&[]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.stdout, "", "stdout is for answers");
    assert_eq!(ran.stderr, linkspan(&["-h"]).stdout);
}

#[test]
fn the_help_of_connect_has_examples() {
    assert_snapshot!(linkspan(&["connect", "--help"]), @r#"
    Connect a stdio client to any server

    Usage: linkspan connect [OPTIONS] (URL | FOLDER | -- COMMAND…)

    Arguments:
      [TARGET]      The server: a URL, a folder of scripts, or a command after `--`
      [COMMAND]...  Command that runs a server on stdin and stdout

    Options:
          --drain <SECONDS>   Wait this long for pending answers after stdin closes [default: 1]
          --record <FILE>     Record every message to FILE as ndjson; secrets are masked
          --shrink[=<LEVEL>]  Shorten tool results without loss; see `linkspan shrink` [possible values:
                              safe, balanced, max]
      -v, --verbose...        Write a log to stderr
          --debug             Same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>   Also write the log to FILE
      -h, --help              Print help (see a summary with '-h')

    Protocol era:
          --client-era <ERA>  MCP era of the client: legacy (2024-11-05 to 2025-11-25) or modern
                              (2026-07-28) [default: auto] [possible values: auto, legacy, modern]
          --server-era <ERA>  MCP era of the server, as above [default: auto] [alias: --era] [possible
                              values: auto, legacy, modern]

    Remote server:
      -H, --header <NAME: VALUE>       Send this header with every request; ${VAR} is replaced from the
                                       environment; never logged
          --bearer-env <VAR>           Send the environment variable VAR as bearer token; never logged
          --transport <TRANSPORT>      Transport: Streamable HTTP or the older HTTP+SSE [default: auto]
                                       [possible values: auto, http, sse]
          --timeout <SECONDS>          Give up after this long without an answer or progress, and after
                                       30 s without a first answer if this is not given; 0 never gives
                                       up [default: 3600]
          --connect-timeout <SECONDS>  Give up one connection attempt after this long [default: 10]
          --retries <N>                Retry a failed connection this many times [default: 3]
          --retry-delay <MS>           Milliseconds before the first retry; doubles each time [default:
                                       100]
          --ca <FILE>                  Also trust the certificates in FILE (PEM)
          --insecure-http              Allow plain http:// to other machines, which is not encrypted
          --max-message <SIZE>         Largest message, for example 64MiB [default: 256MiB]

    Agent:
          --acp                The command is an ACP agent, used as by `linkspan agent`
          --permission <WHAT>  How to answer the agent's permission requests [default: ask] [possible
                               values: ask, allow, deny]

    Speaks MCP on stdin and stdout and passes every message on to the server and back; only the id of a
    message changes, and messages between protocol eras are translated. If the server is down, each call
    is answered with an error that says why, and the next call tries again. When stdin closes, the exit
    code is 0.

    Examples:
      linkspan connect https://mcp.example.com/mcp
      linkspan connect --bearer-env TOKEN https://mcp.example.com/mcp
      linkspan connect -H 'X-Api-Key: ${API_KEY}' https://mcp.example.com/mcp
      linkspan connect --record talk.ndjson https://mcp.example.com/mcp
      linkspan connect --transport sse http://localhost:37373/mcp
      linkspan connect --server-era legacy -- uvx mcp-server-git

    In a client's configuration:
      {"mcpServers":{"example":{"command":"linkspan",
        "args":["connect","https://mcp.example.com/mcp"]}}}
    "#);
}

#[test]
fn the_help_of_shrink_says_what_it_promises_and_how_to_see_for_oneself() {
    assert_snapshot!(linkspan(&["shrink", "--help"]), @r#"
    Shorten tool results without loss, to save tokens

    Usage: linkspan shrink [OPTIONS] (URL | FOLDER | -- COMMAND…)
           linkspan shrink try [FILE]…
           linkspan shrink decode [FILE]
           linkspan shrink stats

    Commands:
      try     Show a text before and after, what is saved, and whether it is lossless
      decode  Restore the original of a shortened text
      stats   Show what was saved so far, by server, tool and kind
      help    Print this message or the help of the given subcommand(s)

    Arguments:
      [TARGET]      The server: a URL, a folder of scripts, or a command after `--`
      [COMMAND]...  Command that runs a server on stdin and stdout

    Options:
          --http             Serve over HTTP instead of stdin and stdout, and print the URL
          --drain <SECONDS>  Wait this long for pending answers after stdin closes [default: 10]
          --record <FILE>    Record every message to FILE as ndjson; secrets are masked
      -v, --verbose...       Write a log to stderr
          --debug            Same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>  Also write the log to FILE
      -h, --help             Print help (see a summary with '-h')

    Listening:
      -p, --port <PORT>     Port to listen on; 0 picks a free one [default: 8808]
          --host <ADDRESS>  Address to listen on; any other than loopback needs --token-env [default:
                            127.0.0.1]
          --path <PATH>     URL path of the MCP endpoint [default: /mcp]
          --sse             Also serve the older HTTP+SSE, at /sse and /messages

    Shorter texts:
          --level <LEVEL>         How compact a text may become; every level is lossless [default: max]
                                  [possible values: safe, balanced, max]
          --render <HOW>          Format of results: auto is lossless, the formats of `bcp decode` are
                                  not [alias: --render-mode] [possible values: auto, xml, markdown,
                                  minimal]
          --tokens <VOCABULARY>   Tokenizer for counting [default: o200k] [possible values: o200k,
                                  cl100k, estimate]
          --threshold <NUMBER>    Least confidence (0 to 1) that a format is recognised with [default:
                                  0.7]
          --min-saving <PERCENT>  Keep the original if less than this is saved, in percent [default: 10]
          --lossy <WHAT>          Allow loss, marked in the text: diff-context=N, failures-only,
                                  html-to-text

    Results:
          --shadow                   Change nothing, only measure what would be saved
          --only <TOOL>              Shorten only these tools; `*` matches anything
          --except <TOOL>            Leave these tools alone; `*` matches anything
          --budget <TOKENS>          Most tokens of a result; a larger one becomes an outline, and
                                     bcp_fetch gives the rest
          --store <DIR>              Keep every original in DIR, as a BCP file that only you may read
          --dedup                    Replace repeated text in a session by a reference
          --structured <[TOOL=]HOW>  structuredContent that repeats the text: auto, keep, mirror or drop
          --slim-tools               Remove descriptions inside tool schemas from the list of tools
          --no-bcp-tools             Do not add read_bcp_file and the other BCP tools
          --root <DIR>               Folder where the BCP tools may read and write; the current one by
                                     default
          --time-box <MS>            Pass a result unchanged after this many milliseconds of work
                                     [default: 500]
          --stats-file <FILE>        File for the statistics, in place of the usual one
          --no-stats                 Write no statistics

    Access:
          --token-env <VAR>           Require the environment variable VAR as bearer token from clients
          --insecure-no-token         Listen on other addresses than loopback without a token
          --allow-origin <ORIGIN>     Also allow calls from web pages of this origin; `*` allows all
          --allow-host <HOST>         Also allow this host name in requests; `*` allows all
          --header-timeout <SECONDS>  Close a connection that takes longer than this to send a request,
                                      or a part of it [default: 30]

    Protocol era:
          --client-era <ERA>  MCP era of the client: legacy (2024-11-05 to 2025-11-25) or modern
                              (2026-07-28) [default: auto] [possible values: auto, legacy, modern]
          --server-era <ERA>  MCP era of the server, as above [default: auto] [alias: --era] [possible
                              values: auto, legacy, modern]

    Remote server:
      -H, --header <NAME: VALUE>       Send this header with every request; ${VAR} is replaced from the
                                       environment; never logged
          --bearer-env <VAR>           Send the environment variable VAR as bearer token; never logged
          --transport <TRANSPORT>      Transport: Streamable HTTP or the older HTTP+SSE [default: auto]
                                       [possible values: auto, http, sse]
          --timeout <SECONDS>          Give up after this long without an answer or progress, and after
                                       30 s without a first answer if this is not given; 0 never gives
                                       up [default: 3600]
          --connect-timeout <SECONDS>  Give up one connection attempt after this long [default: 10]
          --retries <N>                Retry a failed connection this many times [default: 3]
          --retry-delay <MS>           Milliseconds before the first retry; doubles each time [default:
                                       100]
          --ca <FILE>                  Also trust the certificates in FILE (PEM)
          --insecure-http              Allow plain http:// to other machines, which is not encrypted
          --max-message <SIZE>         Largest message, for example 64MiB [default: 256MiB]

    Agent:
          --acp                The command is an ACP agent, used as by `linkspan agent`
          --permission <WHAT>  How to answer the agent's permission requests [default: ask] [possible
                               values: ask, allow, deny]

    Runs between a client and a server and rewrites tool results so that they need fewer tokens. A
    result is replaced only if the original can be restored from the new text, which is checked each
    time, and if the new text has fewer tokens. Errors, images and everything that is not a tool result
    are never changed.

    Examples:
      linkspan shrink -- npx -y @modelcontextprotocol/server-filesystem .
      linkspan shrink --shadow https://mcp.example.com/mcp   # only measure
      linkspan shrink --budget 8000 --store ~/.cache/results -- ./my-server
      linkspan shrink try result.json                        # before and after
      linkspan shrink try --text result.json | linkspan shrink decode
      linkspan shrink stats                                  # what was saved

    In a client's configuration:
      {"mcpServers":{"files":{"command":"linkspan","args":["shrink","--","npx","-y",
        "@modelcontextprotocol/server-filesystem","."]}}}

    Other commands do the same with --shrink. docs/shrink.md in the sources has the details.
    "#);
    assert_snapshot!(linkspan(&["shrink", "try", "-h"]), @"
    Show a text before and after, what is saved, and whether it is lossless

    Usage: linkspan shrink try [OPTIONS] [FILE]...

    Arguments:
      [FILE]...  Files with text as a tool would print it; stdin by default

    Options:
          --text        Print only the text that a model would get
          --json        Print the figures as JSON, one line per file
      -v, --verbose...  Write a log to stderr
      -h, --help        Print help (see more with '--help')

    Shorter texts:
          --level <LEVEL>  How compact a text may become; every level is lossless [default: max]
                           [possible values: safe, balanced, max]
          --lossy <WHAT>   Allow loss, marked in the text: diff-context=N, failures-only, html-to-text

    Examples:
      linkspan shrink try result.json
      git log -p -3 | linkspan shrink try
      linkspan shrink try --level safe *.json
    ");
    assert_snapshot!(linkspan(&["shrink", "decode", "-h"]), @"
    Restore the original of a shortened text

    Usage: linkspan shrink decode [OPTIONS] [FILE]

    Arguments:
      [FILE]  File with the shortened text; stdin by default

    Options:
      -v, --verbose...  Write a log to stderr
      -h, --help        Print help (see more with '--help')

    Example:
      linkspan shrink try --text result.json | linkspan shrink decode
    ");
    assert_snapshot!(linkspan(&["shrink", "stats", "-h"]), @"
    Show what was saved so far, by server, tool and kind

    Usage: linkspan shrink stats [OPTIONS]

    Options:
          --json               Print JSON, one line per server, tool and kind
          --reset              Delete the statistics
          --stats-file <FILE>  File with the statistics, in place of the usual one
      -v, --verbose...         Write a log to stderr
      -h, --help               Print help (see more with '--help')

    Example:
      linkspan shrink stats --json
    ");
}

#[test]
fn the_help_of_the_reader_server_has_a_configuration() {
    assert_snapshot!(linkspan(&["bcp", "mcp", "--help"]), @r#"
    Let an MCP client read, inspect and create BCP files

    Usage: linkspan bcp mcp [OPTIONS]

    Options:
          --root <DIR>        Folder where files may be read and written; may be repeated; the current
                              one by default
          --http              Serve over HTTP instead of stdin and stdout, and print the URL
          --shrink[=<LEVEL>]  Shorten tool results without loss; see `linkspan shrink` [possible values:
                              safe, balanced, max]
          --no-color          No colours, even on a terminal
      -v, --verbose...        Write a log to stderr
          --debug             Same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>   Also write the log to FILE
      -h, --help              Print help (see a summary with '-h')

    Listening:
      -p, --port <PORT>     Port to listen on; 0 picks a free one [default: 8808]
          --host <ADDRESS>  Address to listen on; any other than loopback needs --token-env [default:
                            127.0.0.1]
          --path <PATH>     URL path of the MCP endpoint [default: /mcp]
          --sse             Also serve the older HTTP+SSE, at /sse and /messages

    Access:
          --token-env <VAR>           Require the environment variable VAR as bearer token from clients
          --insecure-no-token         Listen on other addresses than loopback without a token
          --allow-origin <ORIGIN>     Also allow calls from web pages of this origin; `*` allows all
          --allow-host <HOST>         Also allow this host name in requests; `*` allows all
          --header-timeout <SECONDS>  Close a connection that takes longer than this to send a request,
                                      or a part of it [default: 30]

    Serves the tools read_bcp_file, inspect_bcp_file and encode_bcp_file on stdin and stdout, or over
    HTTP, in every revision of MCP from 2024-11-05 to 2026-07-28.

    Files are read and written in the given folders only, wherever links lead. Over stdio the client may
    offer further folders (roots); over HTTP it may not, because any client could offer any folder.

    Examples:
      linkspan bcp mcp
      linkspan bcp mcp --root ~/contexts --root /srv/shared
      linkspan bcp mcp --http --port 9000
      TOKEN=… linkspan bcp mcp --http --host 0.0.0.0 --token-env TOKEN

    In a client's configuration:
      {"mcpServers":{"bcp":{"command":"linkspan",
        "args":["bcp","mcp","--root","/home/me/contexts"]}}}

    Environment:
      BCP_RENDER_MODE     default format: xml, markdown or minimal
      BCP_CLI_TIMEOUT_MS  time limit of a call in milliseconds (30000); 0 is none
      BCP_LOG_LEVEL       what is logged without -v: debug, info, warn or error
    "#);
}

#[test]
fn the_help_of_serve_says_what_a_folder_is_and_what_is_safe() {
    assert_snapshot!(linkspan(&["serve", "--help"]), @r#"
    Serve a folder of scripts as an MCP server

    Usage: linkspan serve [OPTIONS] [DIR]

    Arguments:
      [DIR]  The folder; the current one by default

    Options:
          --http              Serve over HTTP instead of stdin and stdout, and print the URL
          --drain <SECONDS>   Wait this long for pending answers after stdin closes [default: 10]
          --no-watch          Do not watch the folder for changes
          --minimal           Offer only the handshake, ping and logging, to test a client's connection
          --health            Check whether the folder can be served, and exit with 0 or 1 [alias:
                              --ready]
          --shrink[=<LEVEL>]  Shorten tool results without loss; see `linkspan shrink` [possible values:
                              safe, balanced, max]
      -v, --verbose...        Write a log to stderr
          --debug             Same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>   Also write the log to FILE
      -h, --help              Print help (see a summary with '-h')

    Listening:
      -p, --port <PORT>     Port to listen on; 0 picks a free one [default: 8808]
          --host <ADDRESS>  Address to listen on; any other than loopback needs --token-env [default:
                            127.0.0.1]
          --path <PATH>     URL path of the MCP endpoint [default: /mcp]
          --sse             Also serve the older HTTP+SSE, at /sse and /messages

    Folder:
          --compat <LAYOUT>           Folder layout: linkspan's own or mcp-bash's [default: auto]
                                      [possible values: auto, native, mcp-bash]
          --root <PATH>               File or folder that clients may read by file: URIs; may be
                                      repeated
          --allow-provider <SCHEME>   Let clients read URIs of this scheme, which reach other machines;
                                      may be repeated [possible values: git, https]
          --https-host <HOST[:PORT]>  Allow only this host in https: and git+https: URIs; *.HOST means
                                      its subdomains; with a port it may be on this machine or in a
                                      private network; may be repeated
          --sandbox <LEVEL>           Minimum sandbox level: 0 none, 1 no privilege gain (setuid), 2
                                      only declared files and ports
          --concurrency <N>           Most calls at once; further ones wait
          --insecure-writable         Accept a folder that other users can write to, and so decide what
                                      runs

    Access:
          --token-env <VAR>           Require the environment variable VAR as bearer token from clients
          --insecure-no-token         Listen on other addresses than loopback without a token
          --allow-origin <ORIGIN>     Also allow calls from web pages of this origin; `*` allows all
          --allow-host <HOST>         Also allow this host name in requests; `*` allows all
          --header-timeout <SECONDS>  Close a connection that takes longer than this to send a request,
                                      or a part of it [default: 30]

    Every executable in DIR/tools is a tool, every file in DIR/resources a resource, every text in
    DIR/prompts a prompt. A file beside them (greet.meta.yaml) or a comment inside them can give their
    name, description and arguments. Served on stdin and stdout, or over HTTP, in every revision of MCP
    from 2024-11-05 to 2026-07-28. Changes in the folder take effect at once.

    No script is executed to describe it. A folder that other users can write to is refused, because
    they would decide what runs. See docs/serve in the sources for the details.

    Examples:
      linkspan serve my-server
      linkspan serve my-server --http --port 9000
      linkspan serve my-server --sandbox 2 --root ~/notes
      TOKEN=… linkspan serve my-server --http --host 0.0.0.0 --token-env TOKEN
      linkspan tools ./my-server           # a folder is a target, too
      linkspan config my-server --client claude-code

    In a client's configuration:
      {"mcpServers":{"mine":{"command":"linkspan",
        "args":["serve","/home/me/my-server"]}}}
    "#);
}

#[test]
fn the_short_help_of_the_commands_for_authors() {
    assert_snapshot!(linkspan(&["run-tool", "-h"]), @"
    Run one tool of a folder, without a client

    Usage: linkspan run-tool [OPTIONS] <DIR> <NAME> [NAME=VALUE]...

    Arguments:
      <DIR>            The folder
      <NAME>           The tool
      [NAME=VALUE]...  Its arguments as NAME=VALUE

    Options:
          --args <JSON>        Its arguments as a JSON object, @file, or - for stdin
          --timeout <SECONDS>  Time limit, in place of the tool's `timeoutSecs` and up to its
                               `maxTimeoutSecs`
          --roots <PATH>       Folder that the client would offer as a root; may be repeated, or
                               separated by commas
          --dry-run            Check the arguments and print what would run
          --json               Print the result as a client would get it
      -v, --verbose...         Write a log to stderr
      -h, --help               Print help (see more with '--help')

    Folder:
          --compat <LAYOUT>          Folder layout: linkspan's own or mcp-bash's [default: auto]
                                     [possible values: auto, native, mcp-bash]
          --root <PATH>              File or folder that clients may read by file: URIs; may be repeated
          --allow-provider <SCHEME>  Let clients read URIs of this scheme, which reach other machines;
                                     may be repeated [possible values: git, https]
          --sandbox <LEVEL>          Minimum sandbox level: 0 none, 1 no privilege gain (setuid), 2 only
                                     declared files and ports
          --insecure-writable        Accept a folder that other users can write to, and so decide what
                                     runs
    ");
    assert_snapshot!(linkspan(&["validate", "-h"]), @"
    Show what clients will see of a folder, and its problems

    Usage: linkspan validate [OPTIONS] [DIR]

    Arguments:
      [DIR]  The folder; the current one by default

    Options:
          --fix              Fix what can be fixed safely, and report it
          --json             Print JSON
          --strict           Warnings count as errors
          --compat <LAYOUT>  Folder layout: linkspan's own or mcp-bash's [default: auto] [possible
                             values: auto, native, mcp-bash]
      -v, --verbose...       Write a log to stderr
      -h, --help             Print help (see more with '--help')
    ");
    assert_snapshot!(linkspan(&["config", "-h"]), @"
    Print the configuration that a client needs for a server

    Usage: linkspan config [OPTIONS] [FOLDER | URL | -- COMMAND…]

    Arguments:
      [TARGET]      The server: a folder of scripts (the current one by default), a URL, or a command
                    after `--`
      [COMMAND]...  Command that runs a server on stdin and stdout

    Options:
          --client <CLIENT>       The client; all of them by default [possible values: claude-code,
                                  claude-desktop, cursor, vscode, zed]
          --name <NAME>           Name of the server in the client; by default that of the folder, host
                                  or program
          --http <URL>            Give the client this URL, where the server runs already (linkspan
                                  serve --http)
          --with-path             Give the server this shell's PATH; GUI apps often have a shorter one
                                  [alias: --wrapper-env]
      -H, --header <NAME: VALUE>  Send this header with every request to the URL; name secrets as ${VAR}
          --bearer-env <VAR>      Send the environment variable VAR as bearer token to the URL
          --json                  Print JSON
          --write                 Add it to the client's configuration file, and keep the rest of the
                                  file
          --file <FILE>           Configuration file, in place of the usual one
          --inspector             Print the command that opens the server in the MCP Inspector
      -v, --verbose...            Write a log to stderr
      -h, --help                  Print help (see more with '--help')
    ");
    assert_snapshot!(linkspan(&["scaffold", "-h"]), @"
    Add a tool, prompt, resource or completion to a folder

    Usage: linkspan scaffold [OPTIONS] <KIND> <NAME> [DIR]

    Arguments:
      <KIND>  What to add [possible values: tool, prompt, resource, completion]
      <NAME>  Its name
      [DIR]   The folder; the current one by default

    Options:
          --lang <LANG>  Language to write it in [possible values: bash, python, node]
      -v, --verbose...   Write a log to stderr
      -h, --help         Print help (see more with '--help')
    ");
}

#[test]
fn the_short_help_of_call_has_examples_too() {
    assert_snapshot!(linkspan(&["call", "-h"]), @r#"
    Call a tool

    Usage: linkspan call [OPTIONS] TOOL ['JSON' | NAME=VALUE…] (URL | FOLDER | -- COMMAND…)

    Arguments:
      <NAME [ARGUMENTS] TARGET>...  Name, then arguments ('JSON', name=value…, @file or -), then the
                                    target
      [COMMAND]...                  Command that runs a server on stdin and stdout

    Options:
          --shrink[=<LEVEL>]  Shorten tool results without loss; see `linkspan shrink` [possible values:
                              safe, balanced, max]
          --json              Print the result as JSON, exactly as the server sent it
      -v, --verbose...        Write a log to stderr
      -h, --help              Print help (see more with '--help')

    Remote server:
      -H, --header <NAME: VALUE>   Send this header with every request; ${VAR} is replaced from the
                                   environment; never logged
          --bearer-env <VAR>       Send the environment variable VAR as bearer token; never logged
          --transport <TRANSPORT>  Transport: Streamable HTTP or the older HTTP+SSE [default: auto]
                                   [possible values: auto, http, sse]
          --timeout <SECONDS>      Give up after this long without an answer or progress, and after 30 s
                                   without a first answer if this is not given; 0 never gives up
                                   [default: 3600]

    Examples:
      linkspan call echo '{"message":"hi"}' https://mcp.example.com/mcp
      linkspan call git_log repo_path=. -- uvx mcp-server-git
      linkspan call import @arguments.json https://mcp.example.com/mcp
    "#);
}

#[test]
fn every_command_has_help_with_an_example_that_names_it() {
    for command in COMMANDS {
        let ran = linkspan(&[command, "--help"]);
        assert_eq!(ran.code, Some(0), "{command}");
        let examples = ran
            .stdout
            .split_once("Example")
            .unwrap_or_else(|| panic!("{command} has no example"))
            .1;
        assert!(
            examples.contains(&format!("linkspan {command}")),
            "{command}:\n{ran}"
        );
    }
}

#[test]
fn flags_stand_under_the_heading_they_belong_to() {
    for (command, flag) in [
        ("connect", "--drain"),
        ("connect", "--record"),
        ("tools", "[COMMAND]..."),
        ("serve", "--no-watch"),
        ("connect", "--shrink"),
        ("expose", "--shrink"),
        ("serve", "--shrink"),
        ("call", "--shrink"),
    ] {
        let help = linkspan(&[command, "--help"]).stdout;
        let before = help.split_once(&format!("  {flag}")).unwrap().0;
        let heading = before
            .lines()
            .rfind(|line| !line.starts_with(' ') && line.ends_with(':'));
        let specific = [
            "Remote server:",
            "Folder:",
            "Access:",
            "Protocol era:",
            "Logging:",
            "Listening:",
        ];
        assert!(
            heading.is_none_or(|heading| !specific.contains(&heading)),
            "{flag} of {command}"
        );
    }
}

#[test]
fn where_to_listen_has_a_heading_of_its_own() {
    for command in ["expose", "serve", "shrink", "agent"] {
        let help = linkspan(&[command, "--help"]).stdout;
        let part = help.split_once("\nListening:\n").expect("a heading").1;
        let part = part.split("\n\n").next().unwrap_or_default();
        assert!(part.contains("-p, --port"), "{command}: {part}");
    }
}

#[test]
fn the_short_help_leaves_rare_flags_to_the_long_one() {
    for (command, rare) in [
        ("connect", "--retry-delay"),
        ("connect", "--max-message"),
        ("shrink", "--threshold"),
        ("shrink", "--allow-host"),
        ("expose", "--park-timeout"),
        ("call", "--permission"),
    ] {
        let short = linkspan(&[command, "-h"]).stdout;
        assert!(!short.contains(rare), "{rare} is in {command} -h");
        let long = linkspan(&[command, "--help"]).stdout;
        assert!(long.contains(rare), "{rare} is not in {command} --help");
    }
    for (command, most) in [
        ("connect", 35),
        ("shrink", 60),
        ("expose", 45),
        ("call", 45),
    ] {
        let lines = linkspan(&[command, "-h"]).stdout.lines().count();
        assert!(lines <= most, "{command} -h has {lines} lines");
    }
}

#[test]
fn the_long_help_is_short_enough_to_be_read_and_has_every_flag() {
    for (command, most) in [("connect", 90), ("shrink", 160)] {
        let ran = Run::new(&[command, "--help"]).env("COLUMNS", "80").end();
        let lines = ran.stdout.lines().count();
        assert!(lines <= most, "{command} --help has {lines} lines\n{ran}");
        let same = linkspan(&["help", command]).stdout;
        assert_eq!(same, linkspan(&[command, "--help"]).stdout);
    }
    let connect = linkspan(&["connect", "--help"]).stdout;
    for flag in [
        "--drain",
        "--record",
        "--shrink",
        "--debug",
        "--client-era",
        "--server-era",
        "--ca",
        "--acp",
    ] {
        assert!(connect.contains(flag), "{flag}\n{connect}");
    }
    let words: Vec<&str> = connect.split_whitespace().collect();
    assert!(
        words.join(" ").contains("30 s without a first answer"),
        "{connect}"
    );
}

#[test]
fn the_version_is_one_line() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        linkspan(&["--version"]).stdout,
        format!("linkspan {version}\n")
    );
}

#[test]
fn the_help_of_expose_teaches_with_examples_and_says_what_is_safe() {
    let page = linkspan(&["expose", "--help"]).stdout;
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "linkspan expose -- npx",
        "--token-env",
        "--share",
        "http://127.0.0.1:PORT/mcp",
        "Only this machine can connect",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
}
