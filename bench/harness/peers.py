"""The other bridges, and how each is installed: by name and version, from its registry."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from .paths import BENCH, PEERS, REPO


WRONG = re.compile(r"\b(error|panicked)\b", re.IGNORECASE)
# Cargo names crates as it goes, and some are called `error-…`.
STEP = re.compile(r"(Compiling|Downloaded|Downloading|Adding|Updating)\b")


class CannotInstall(Exception):
    """Why a bridge cannot be had here; ends up in the table."""


@dataclass
class Target:
    """One row of the table. None for a command stands for the direct connection."""

    name: str
    title: str
    command: Callable[..., list[str]] | None = None
    install: Callable[[Path], None] | None = None
    baseline: bool = False


def run(command, timeout, **options):
    """Runs an installer at low priority; when it fails, its log says why."""
    log = options.pop("log")
    try:
        with open(log, "ab") as out:
            done = subprocess.run(
                ["nice", "-n", "19", *map(str, command)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=timeout, **options,
            )
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"not done after {timeout // 60} minutes") from None
    except OSError as error:
        raise CannotInstall(str(error)) from None
    if done.returncode != 0:
        raise CannotInstall(reason(log))


def reason(log):
    """The first line of a log that says what went wrong, short enough for a table."""
    lines = [line.strip() for line in Path(log).read_text("utf-8", "replace").splitlines()]
    lines = [line for line in lines if line]
    told = [line for line in lines if WRONG.search(line) and not STEP.match(line)]
    return (told or lines or ["no output"])[0][:200]


def need(program):
    found = shutil.which(program)
    if not found:
        raise CannotInstall(f"{program} is not installed")
    return found


def npm(*packages):
    def install(folder):
        need("node")
        run(
            [need("npm"), "install", "--prefix", folder, "--no-audit", "--no-fund", *packages],
            600, log=folder / "install.log",
        )
        wrapper = BENCH / "harness" / "npm-mcp-proxy.mjs"
        if folder.name == "npm-mcp-proxy":
            shutil.copy(wrapper, folder / wrapper.name)

    return install


def pypi(package):
    def install(folder):
        log = folder / "install.log"
        run([sys.executable, "-m", "venv", folder / "venv"], 300, log=log)
        run([folder / "venv" / "bin" / "pip", "install", package], 600, log=log)

    return install


def crate(name, version, extra_env=lambda folder: {}):
    def install(folder):
        build = folder / "build"
        env = {**os.environ, **extra_env(folder), "CARGO_TARGET_DIR": str(build)}
        # One job and the versions its authors locked: slow, but gentle and repeatable.
        command = [need("cargo"), "install", "-j1", "--locked", "--root", folder]
        run([*command, name, "--version", version], 5400, log=folder / "install.log", env=env)
        shutil.rmtree(build, ignore_errors=True)

    return install


def vendored_swagger_ui(folder):
    """mcp-stdio-proxy pulls in utoipa-swagger-ui, whose build script downloads an archive
    from GitHub. The same archive is published as a crate, and the script takes a file."""
    scratch = folder / "swagger-ui"
    (scratch / "src").mkdir(parents=True, exist_ok=True)
    (scratch / "src" / "lib.rs").write_text("")
    (scratch / "Cargo.toml").write_text(
        '[package]\nname = "scratch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n'
        '[dependencies]\nutoipa-swagger-ui-vendored = "=0.2.0"\n'
    )
    done = subprocess.run(
        [need("cargo"), "metadata", "--format-version", "1", "--manifest-path", scratch / "Cargo.toml"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
    )
    if done.returncode != 0:
        raise CannotInstall("cannot fetch utoipa-swagger-ui-vendored")
    for package in json.loads(done.stdout)["packages"]:
        if package["name"] == "utoipa-swagger-ui-vendored":
            for archive in Path(package["manifest_path"]).parent.glob("res/*.zip"):
                return {"SWAGGER_UI_DOWNLOAD_URL": f"file://{archive}"}
    raise CannotInstall("utoipa-swagger-ui-vendored holds no archive")


def node():
    """Node itself, not a version manager's shim: a shim's start-up is not the bridge's."""
    done = subprocess.run(
        [need("node"), "-p", "process.execPath"], stdout=subprocess.PIPE, text=True, timeout=60
    )
    return done.stdout.strip() or "node"


# What is installed, by name: the title in the tables, which names the version, and how.
PACKAGES = {
    "npm-mcp-remote": ("mcp-remote 0.15.1 (node)", npm("mcp-remote@0.15.1")),
    "npm-supergateway": ("supergateway 4.0.0 (node)", npm("supergateway@4.0.0")),
    "npm-mcp-proxy": ("mcp-proxy 6.7.19 (node)", npm("mcp-proxy@6.7.19")),
    "pypi-mcp-proxy": ("mcp-proxy 0.13.0 (python)", pypi("mcp-proxy==0.13.0")),
    "mcpway": ("mcpway 0.2.1 (rust)", crate("mcpway", "0.2.1")),
    "bcp-cli": ("bcp-cli 0.1.0 (rust)", crate("bcp-cli", "0.1.0")),
    "agent-client-protocol-conductor": (
        "agent-client-protocol-conductor 5.0.0 (rust)",
        crate("agent-client-protocol-conductor", "5.0.0"),
    ),
    "mcp-stdio-proxy": (
        "mcp-stdio-proxy 0.2.10 (rust)",
        crate("mcp-stdio-proxy", "0.2.10", vendored_swagger_ui),
    ),
}


def peer(name, command):
    """A target that is installed; `command` says how it is started."""
    title, install = PACKAGES[name]
    return Target(name, title, command, install)


def older(before, command):
    """The row of another build of linkspan, if there is one."""
    return [Target("before", "linkspan before", command)] if before else []


def inside(name, *path):
    """A file of an installed peer."""
    return str(PEERS.joinpath(name, *path))


def ensure(target):
    """Installs the target unless a former run did."""
    if target.install is None:
        return
    folder = PEERS / target.name
    done = folder / "installed"
    if done.exists() and done.read_text() == target.title:
        return
    folder.mkdir(parents=True, exist_ok=True)
    print(f"installing {target.title} …", file=sys.stderr, flush=True)
    (folder / "install.log").write_bytes(b"")
    target.install(folder)
    done.write_text(target.title)


def linkspan_default():
    return REPO / "target" / "dist" / "linkspan"
