"""Helpers for tools written in Python 3.8 or later. One file, nothing to install.

A tool that runs once per call:

    import os, sys
    sys.path.insert(0, os.environ["MCP_SDK"])
    import mcptool

    def tool(args):
        mcptool.progress(1, 2, "half way")
        return "Hello, " + args["name"]

    mcptool.run(tool)

A tool that stays (mode: worker) gives its functions by name:

    mcptool.serve({"greet": tool})

What a function returns is the result: a string is text, what `image`, `resource_link` and `result`
return is a whole result, and anything else is structured content.
"""

import json
import os
import sys

_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Failure(SystemExit):
    """What `fail` raises: the call fails, and a worker goes on."""

    def __init__(self, message, data=None):
        super().__init__(1)
        self.message = message
        self.data = data


class Refused(Exception):
    """The client or the server said no to a question."""


class _Once:
    """One call in this process: arguments from the environment or stdin, the channel on a descriptor."""

    def __init__(self):
        self._args = None
        self._fd = int(os.environ["MCP_CTRL_FD"]) if os.environ.get("MCP_CTRL_FD") else None
        self._next = 0
        self._unread = b""
        self._cancelled = False

    def args(self):
        if self._args is None:
            path = os.environ.get("MCP_TOOL_ARGS_FILE")
            text = os.environ.get("MCP_TOOL_ARGS_JSON")
            if path:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
            elif not text:
                text = sys.stdin.buffer.read().decode("utf-8")
            self._args = json.loads(text or "{}")
        return self._args

    def meta(self):
        return json.loads(os.environ.get("MCP_TOOL_META_JSON") or "{}")

    def cancelled(self):
        path = os.environ.get("MCP_CANCEL_FILE")
        return self._cancelled or bool(path and os.path.exists(path))

    def tell(self, message):
        if self._fd is not None:
            _write(self._fd, message)
        else:
            _tell_files(message)

    def ask(self, method, params):
        if self._fd is None:
            return _ask_files(method, params)
        self._next += 1
        _write(self._fd, {"id": self._next, "method": method, "params": params})
        while True:
            message = json.loads(self._line())
            if message.get("id") == self._next:
                return _answer(message)
            if message.get("method") == "cancel":
                self._cancelled = True
                raise Refused("the call was cancelled")

    def _line(self):
        while b"\n" not in self._unread:
            got = os.read(self._fd, 65536)
            if not got:
                raise Refused("the server closed the channel")
            self._unread += got
        line, self._unread = self._unread.split(b"\n", 1)
        return line


class _Call:
    """One call of a worker; the channel is the worker's own stdin and stdout."""

    def __init__(self, worker, ident, params):
        self._worker = worker
        self._id = ident
        self._params = params
        self.is_cancelled = False

    def args(self):
        return self._params.get("arguments") or {}

    def meta(self):
        return self._params.get("meta") or {}

    def cancelled(self):
        return self.is_cancelled

    def tell(self, message):
        self._worker.send(dict(message, call=self._id))

    def ask(self, method, params):
        return self._worker.ask(self._id, method, params)


_once = None
_local = None


def _current():
    global _once
    call = getattr(_local, "call", None) if _local is not None else None
    if call is not None:
        return call
    if _once is None:
        _once = _Once()
    return _once


def _write(fd, message):
    data = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode("utf-8") + b"\n"
    while data:
        data = data[os.write(fd, data):]


def _answer(message):
    if "error" in message:
        raise Refused(message["error"].get("message", "no answer"))
    return message.get("result")


def _tell_files(message):
    """Where there is no channel: the files that mcp-bash names."""
    method, params = message["method"], dict(message["params"])
    token = os.environ.get("MCP_PROGRESS_TOKEN")
    if method == "progress" and token:
        params["progressToken"] = int(token) if token.isdigit() else token
        name, method = os.environ.get("MCP_PROGRESS_STREAM"), "notifications/progress"
    elif method == "log":
        name, method = os.environ.get("MCP_LOG_STREAM"), "notifications/message"
    else:
        return
    if name:
        with open(name, "a", encoding="utf-8") as file:
            file.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}) + "\n")


def _ask_files(method, params):
    import time

    request = os.environ.get("MCP_ELICIT_REQUEST_FILE")
    response = os.environ.get("MCP_ELICIT_RESPONSE_FILE")
    if method != "elicit" or not request or not response:
        raise Refused("there is no way to the client")
    if os.path.exists(response):
        os.remove(response)
    with open(request + ".tmp", "w", encoding="utf-8") as file:
        json.dump(dict(params, mode="url" if "url" in params else "form"), file)
    os.replace(request + ".tmp", request)
    until = time.monotonic() + float(os.environ.get("MCPBASH_ELICITATION_TIMEOUT") or 30)
    while not os.path.exists(response):
        if _current().cancelled():
            return {"action": "cancel"}
        if time.monotonic() > until:
            raise Refused("no answer in time")
        time.sleep(0.05)
    with open(response, encoding="utf-8") as file:
        return json.load(file)


# --- what a tool is given ---------------------------------------------------------------------


def args():
    """The arguments of the call."""
    return _current().args()


def meta():
    """The _meta of the request."""
    return _current().meta()


def cancelled():
    """True once the client does not want the answer any more."""
    return _current().cancelled()


def can(what):
    """True if the client can do something: elicitation, elicitation.url, sampling, roots."""
    return what in (os.environ.get("MCP_CAPABILITIES") or "").split()


# --- telling the client -----------------------------------------------------------------------


def progress(progress, total=None, message=None):
    """How far the call has come."""
    params = {"progress": progress}
    if total is not None:
        params["total"] = total
    if message is not None:
        params["message"] = message
    _current().tell({"method": "progress", "params": params})


def log(level, data, logger=None):
    """A message for the client's log; levels are those of RFC 5424."""
    params = {"level": level if level in _LEVELS else "info", "data": data}
    if logger is not None:
        params["logger"] = logger
    _current().tell({"method": "log", "params": params})


def updated(uri):
    """A resource has changed."""
    _current().tell({"method": "updated", "params": {"uri": uri}})


def changed(what):
    """A list has changed: tools, prompts or resources."""
    _current().tell({"method": "changed", "params": {"what": what}})


# --- asking the client ------------------------------------------------------------------------


def elicit(message, schema=None, url=None):
    """Asks the user with a form, or sends them to a page. Returns {"action": …, "content": …}."""
    if os.environ.get("MCP_ELICIT_SUPPORTED", "1") != "1":
        return {"action": "decline", "content": None}
    params = {"message": message}
    params.update({"url": url} if url else {"schema": schema or {"type": "object", "properties": {}}})
    return _current().ask("elicit", params)


def _field(message, name, schema):
    answer = elicit(message, {"type": "object", "properties": {name: schema}, "required": [name]})
    if not answer or answer.get("action") != "accept":
        return None
    return (answer.get("content") or {}).get(name)


def ask_text(message, name="value"):
    """A line of text, or None."""
    return _field(message, name, {"type": "string"})


def confirm(message):
    """True, False, or None if the user did not say."""
    return _field(message, "confirmed", {"type": "boolean"})


def choose(message, options):
    """One of the options (a list, or a dict of value to title), or None."""
    if isinstance(options, dict):
        titled = [{"const": value, "title": title} for value, title in options.items()]
        return _field(message, "choice", {"type": "string", "oneOf": titled})
    return _field(message, "choice", {"type": "string", "enum": list(options)})


def choose_many(message, options):
    """Some of the options, or None."""
    if isinstance(options, dict):
        titled = [{"const": value, "title": title} for value, title in options.items()]
        return _field(message, "choices", {"type": "array", "items": {"anyOf": titled}})
    items = {"type": "string", "enum": list(options)}
    return _field(message, "choices", {"type": "array", "items": items})


def sample(prompt, max_tokens=1000, **params):
    """Asks the client's model. `prompt` is a text or a list of messages; returns the whole answer."""
    if isinstance(prompt, str):
        prompt = [{"role": "user", "content": {"type": "text", "text": prompt}}]
    return _current().ask("sample", dict(params, messages=prompt, maxTokens=max_tokens))


def sample_text(prompt, max_tokens=1000, **params):
    """The text of the model's answer."""
    content = sample(prompt, max_tokens, **params).get("content") or []
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part.get("text", "") for part in parts if part.get("type") == "text")


def roots():
    """The client's roots: a list of {"uri": …, "name": …}."""
    if os.environ.get("MCP_CTRL_FD") or _local is not None:
        return (_current().ask("roots", {}) or {}).get("roots", [])
    return json.loads(os.environ.get("MCP_ROOTS_JSON") or "[]")


# --- results ----------------------------------------------------------------------------------


def text(words):
    """Text as a whole result, even if it looks like JSON."""
    return {"content": [{"type": "text", "text": words}]}


def image(data, mime="image/png"):
    """A picture: its bytes, or the name of its file."""
    import base64

    if not isinstance(data, (bytes, bytearray)):
        with open(data, "rb") as file:
            data = file.read()
    block = {"type": "image", "data": base64.b64encode(data).decode("ascii"), "mimeType": mime}
    return {"content": [block]}


def resource_link(uri, name, mime=None, description=None):
    """Where the result can be read."""
    block = {"type": "resource_link", "uri": uri, "name": name}
    if mime:
        block["mimeType"] = mime
    if description:
        block["description"] = description
    return {"content": [block]}


def result(*parts, structured=None, error=False):
    """A whole result of texts, content blocks and other results."""
    content = []
    for part in parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
        elif "content" in part:
            content.extend(part["content"])
        else:
            content.append(part)
    whole = {"content": content, "isError": error}
    if structured is not None:
        whole["structuredContent"] = structured
        if not content:
            content.append({"type": "text", "text": json.dumps(structured, ensure_ascii=False)})
    return whole


def emit(value):
    """Prints the result of a tool that runs once."""
    if isinstance(value, str):
        if value.lstrip()[:1] in ("{", "["):
            value = text(value)
        else:
            sys.stdout.write(value)
            sys.stdout.flush()
            return
    sys.stdout.write(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
    sys.stdout.flush()


def fail(message, data=None):
    """The call fails with this message."""
    raise Failure(message, data)


# --- running ----------------------------------------------------------------------------------


def run(function):
    """Runs a tool once: its result is printed, its failure ends the process with 1."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")
    try:
        value = function(args())
    except Failure as failure:
        sys.stderr.write(failure.message + "\n")
        if failure.data is not None:
            sys.stderr.write(json.dumps(failure.data, ensure_ascii=False) + "\n")
        sys.exit(1)
    if value is not None:
        emit(value)


class _Worker:
    def __init__(self, functions):
        import threading

        self._functions = functions
        self._threading = threading
        self._lock = threading.Lock()
        self._calls = {}
        self._questions = {}
        self._next = 0
        # Whatever a tool prints must not come between the messages.
        self._out = os.dup(1)
        os.dup2(2, 1)

    def send(self, message):
        with self._lock:
            _write(self._out, message)

    def ask(self, call, method, params):
        waiting = self._threading.Event()
        with self._lock:
            self._next += 1
            ident = "q%d" % self._next
            self._questions[ident] = [waiting, None]
        self.send({"id": ident, "call": call, "method": method, "params": params})
        waiting.wait()
        with self._lock:
            message = self._questions.pop(ident)[1]
        return _answer(message or {"error": {"message": "the server went away"}})

    def loop(self):
        for line in sys.stdin.buffer:
            if line.strip():
                self._take(json.loads(line))
        with self._lock:
            waiting = [entry[0] for entry in self._questions.values()]
        for event in waiting:
            event.set()

    def _take(self, message):
        method, ident = message.get("method"), message.get("id")
        if method == "call":
            call = _Call(self, ident, message.get("params") or {})
            self._calls[ident] = call
            thread = self._threading.Thread(target=self._call, args=(ident, call), daemon=True)
            thread.start()
        elif method == "cancel":
            call = self._calls.get((message.get("params") or {}).get("call"))
            if call is not None:
                call.is_cancelled = True
        elif method is not None:
            if ident is not None:
                self.send({"id": ident, "result": {}})
        elif ident in self._questions:
            entry = self._questions[ident]
            entry[1] = message
            entry[0].set()

    def _call(self, ident, call):
        _local.call = call
        try:
            name = call._params.get("tool")
            if name not in self._functions:
                fail("this worker has no tool %s" % name)
            value = self._functions[name](call.args())
            answer = {"id": ident, "result": "" if value is None else value}
        except Failure as failure:
            error = {"message": failure.message}
            if failure.data is not None:
                error["data"] = failure.data
            answer = {"id": ident, "error": error}
        except SystemExit as end:
            answer = {"id": ident, "error": {"message": "the tool ended with exit code %s" % end.code}}
        except BaseException as error:  # whatever it is, the worker goes on
            import traceback

            traceback.print_exc()
            answer = {"id": ident, "error": {"message": "%s: %s" % (type(error).__name__, error)}}
        finally:
            self._calls.pop(ident, None)
        self.send(answer)


def serve(functions):
    """A worker: functions by the name of their tool, each called in a thread of its own."""
    global _local
    import threading

    _local = threading.local()
    _Worker(functions).loop()
