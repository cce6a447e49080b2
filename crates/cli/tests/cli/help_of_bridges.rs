//! `--help` of the commands that run in front of a server, or connect to one.

use insta::assert_snapshot;

use crate::setup::linkspan;

#[test]
fn the_help_of_connect_has_examples() {
    assert_snapshot!(linkspan(&["connect", "--help"]), @r#"
    Connect a stdio client to any server

    Usage: linkspan connect [OPTIONS] (URL | FOLDER | -- COMMAND…)

    Arguments:
      [TARGET]      The server: a URL, a folder of scripts, or a command after `--`
      [COMMAND]...  Command that runs a server on stdin and stdout

    Options:
          --drain <SECONDS>     Wait this long for pending answers after stdin closes [default: 1]
          --record <FILE>       Record every message to FILE as ndjson; secrets are masked
          --shrink[=<LEVEL>]    Shorten tool results without loss; see `linkspan shrink` [possible
                                values: safe, balanced, max]
          --long-calls          Keep calls that take longer than clients wait, for the tool `wait_for`
          --patience <SECONDS>  Answer a call after this long with a handle; 0 only sends progress
                                [default: 50]
          --elicit[=<WHERE>]    Ask the user of this machine if the client cannot: page, terminal, off
          --tools <LEVEL>       Shorter list of tools: brief, thin, auto, search
          --tools-budget <N>    Most tokens of --tools auto [default: 8000]
          --drop-output-schema  Leave out the output schemas of tools
      -v, --verbose...          Write a log to stderr
          --debug               Same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>     Also write the log to FILE
      -h, --help                Print help (see a summary with '-h')

    Protocol era:
          --client-era <ERA>  MCP era of the client: legacy (2024-11-05 to 2025-11-25) or modern
                              (2026-07-28) [default: auto] [possible values: auto, legacy, modern]
          --server-era <ERA>  MCP era of the server, as above [default: auto] [alias: --era] [possible
                              values: auto, legacy, modern]

    Remote server:
      -H, --header <NAME: VALUE>       Send this header with every request; ${VAR} is replaced from the
                                       environment; never logged
          --bearer-env <VAR>           Send variable VAR (VAR?: if set) as bearer token; never logged
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

    AWS:
          --aws-sigv4           Sign requests for AWS (SigV4), with the keys that the AWS command line
                                uses
          --aws-service <NAME>  Service, if the name of the host does not show it
          --aws-region <NAME>   Region, in place of that of the host or of AWS_REGION
          --aws-profile <NAME>  Profile with the keys

    Agent:
          --acp                The command is an ACP agent, used as by `linkspan agent`
          --permission <WHAT>  How to answer the agent's permission requests [default: ask] [possible
                               values: ask, allow, deny]

    Speaks MCP on stdin and stdout and passes every message on to the server and back; only the id of a
    message changes, and messages between protocol eras are translated. If the server is down, each call
    is answered with an error that says why, and the next call tries again. When stdin closes, the exit
    code is 0. If the server asks for a sign-in, a browser opens; `linkspan login --help` has the flags
    for signing in.

    Examples:
      linkspan connect https://mcp.example.com/mcp
      linkspan connect --bearer-env TOKEN https://mcp.example.com/mcp
      linkspan connect -H 'X-Api-Key: ${API_KEY}' https://mcp.example.com/mcp
      linkspan connect --record talk.ndjson https://mcp.example.com/mcp
      linkspan connect --transport sse http://localhost:37373/mcp
      linkspan connect unix:/run/example/mcp.sock
      linkspan connect --aws-sigv4 https://a.execute-api.us-east-1.amazonaws.com/mcp
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
      -p, --port <PORT>       Port to listen on; 0 picks a free one [default: 8808]
          --host <ADDRESS>    Address to listen on; any other than loopback needs --token-env, --keys or
                              --auth-issuer [default: 127.0.0.1]
          --unix <PATH>       Listen on a Unix socket in place of an address
          --unix-mode <MODE>  Permissions of the Unix socket, in octal [default: 600]
          --path <PATH>       URL path of the MCP endpoint [default: /mcp]
          --sse               Also serve the older HTTP+SSE, at /sse and /messages

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
          --tools <LEVEL>            Shorter list of tools: brief, thin, auto, search
          --tools-budget <N>         Most tokens of --tools auto [default: 8000]
          --drop-output-schema       Leave out the output schemas of tools
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
          --bearer-env <VAR>           Send variable VAR (VAR?: if set) as bearer token; never logged
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

    AWS:
          --aws-sigv4           Sign requests for AWS (SigV4), with the keys that the AWS command line
                                uses
          --aws-service <NAME>  Service, if the name of the host does not show it
          --aws-region <NAME>   Region, in place of that of the host or of AWS_REGION
          --aws-profile <NAME>  Profile with the keys

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

    Other commands do the same with --shrink. docs/shrink.md in the sources has the details. With
    --http, the flags of `linkspan expose` that say who may connect (--auth-issuer, --keys, …) hold
    here, too.
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
          --bearer-env <VAR>       Send variable VAR (VAR?: if set) as bearer token; never logged
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
