//! Level 2: system calls that could bypass the sandbox, made by real programs.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::folder::Folder;
use crate::served::text;

/// The beginning of each script: `call` makes a system call and returns its error number, or 0.
const HEAD: &str = r#"#!/usr/bin/python3
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
def failed(result):
    return ctypes.get_errno() if result < 0 else 0
def call(number, *arguments):
    words = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_ulong(a) for a in arguments]
    return failed(libc.syscall(ctypes.c_long(number), *words))
"#;

/// A folder with `out`, which the Python tool may write, and `read/file`.
fn folder(script: &str) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("out")).expect("a folder");
    folder.write("read/file", "x");
    folder.script("tools/tool.py", format!("{HEAD}{script}"));
    folder.write(
        "tools/tool.meta.yaml",
        "sandbox: {level: 2, write: [out]}\n",
    );
    folder
}

/// The output of the tool. `None` without Python or Landlock.
fn said(folder: &Folder) -> Option<String> {
    if !std::path::Path::new("/usr/bin/python3").exists() {
        return None;
    }
    let said = text(&folder.serve().tool("tool", &json!({})));
    (!said.contains("Landlock")).then_some(said)
}

/// The attack: a detached copy of a mount, in which a file outside has the path of a writable file.
#[test]
fn a_detached_mount_does_not_redirect_metadata_changes() {
    let folder = folder(
        r#"
allowed, home = os.path.abspath("out"), os.environ["HOME"]
failed(libc.unshare(0x10000000 | 0x20000))
tree = libc.syscall(428, -100, home.encode(), 1 | 0o2000000)
print(call(452, tree & 0xffffffff, (allowed + "/file").lstrip("/").encode(), 0o777, 0) != 0)
"#,
    );
    let inner = folder.path("out/file");
    let inner = inner.strip_prefix("/").expect("an absolute path");
    let victim = folder.beside("home").join(inner);
    std::fs::create_dir_all(victim.parent().expect("a folder")).expect("folders");
    std::fs::write(&victim, "x").expect("a file");
    std::fs::set_permissions(&victim, PermissionsExt::from_mode(0o600)).expect("it is ours");
    let Some(said) = said(&folder) else { return };
    let mode = std::fs::metadata(&victim).expect("it is there");
    assert_eq!(mode.permissions().mode() & 0o777, 0o600, "{said}");
    assert_eq!(said, "True");
}

/// The arguments are invalid in a way that the kernel checks before permissions, so without a filter the error
/// is a different one.
#[test]
#[cfg(target_arch = "x86_64")]
fn calls_that_change_mounts_namespaces_or_inode_flags_are_refused() {
    let folder = folder(
        r#"
HERE, BAD, NEWNS, NEWUSER = 0xffffff9c, 1, 0x20000, 0x10000000
file = os.open("read/file", os.O_RDONLY)
refused = {
    "open_tree": (428, HERE, b"/", 0x10), "open_tree_attr": (467, HERE, b"/", 0x10, 0, 0),
    "move_mount": (429, HERE, b"/", HERE, b"/", 0x80000000), "fsopen": (430, BAD, 0),
    "fsconfig": (431, 0xffffffff, 0, 0, 0, 0), "fsmount": (432, 0xffffffff, 0, 0),
    "fspick": (433, HERE, b"/", 0), "mount_setattr": (442, HERE, b"/", 0x10, 0, 0),
    "mount": (165, BAD, BAD, BAD, 0, 0), "umount2": (166, b"/", 0x80000000),
    "pivot_root": (155, b"/", b"/"), "chroot": (161, BAD), "setns": (308, 0xffffffff, 0),
    "unshare NEWNS": (272, NEWNS | 1), "unshare NEWUSER": (272, NEWUSER | 1),
    "clone NEWNS": (56, NEWNS | 0x200), "clone NEWUSER": (56, NEWUSER | 0x200 | NEWNS),
    "open_by_handle_at": (304, HERE, BAD, 0),
}
for command in [0x40086602, 0x40046602, 0x401c5820, 0x40086602 | 1 << 32, 0x40087602, 0x40806685]:
    refused[hex(command)] = (16, file, command, 0)
for name, words in refused.items():
    if call(*words) != 1:
        print(name, call(*words))
missing = {"clone3": (435, 0, 0), "io_uring_setup": (425, 1, 0), "file_setattr": (469, HERE, b"", 0, 0, 0),
    "x32 getpid": (0x40000000 | 39,)}
for name, words in missing.items():
    if call(*words) != 38:
        print(name, call(*words))
print("all")
"#,
    );
    let Some(said) = said(&folder) else { return };
    assert_eq!(said, "all");
}

/// `int 0x80` in a 64-bit program: the call has the number of the 32-bit instruction set.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_call_of_the_32_bit_instruction_set_kills_the_program() {
    let folder = folder(
        r#"
import mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid); int 0x80; ret
getpid = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
child = os.fork()
if child == 0:
    os._exit(0 if getpid() == os.getpid() else 1)
print(os.WIFSIGNALED(os.waitpid(child, 0)[1]))
"#,
    );
    let Some(said) = said(&folder) else { return };
    assert_eq!(said, "True");
}

#[test]
fn threads_and_child_processes_still_work() {
    let folder = folder(
        r#"
import shutil, subprocess, threading
done = []
thread = threading.Thread(target=lambda: done.append("thread"))
thread.start(); thread.join()
child = os.fork()
if child == 0:
    os._exit(7)
done.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
done.append(subprocess.run(["bash", "-c", "(echo a; echo b) | wc -l"], capture_output=True, text=True).stdout.strip())
node = shutil.which("node")
worker = "const {Worker} = require('worker_threads'); new Worker('console.log(require(\"child_process\").execSync(\"echo node\").toString().trim())', {eval: true})"
ran = subprocess.run([node, "-e", worker], capture_output=True, text=True) if node else None
done.append(ran.stdout.strip() or ran.stderr if ran else "node")
print(done)
"#,
    );
    let Some(said) = said(&folder) else { return };
    assert_eq!(said, "['thread', 7, '2', 'node']");
}

#[test]
fn metadata_is_changed_through_a_descriptor_with_an_empty_path() {
    let folder = folder(
        r#"
EMPTY, ME = 0x1000, (os.getuid(), os.getgid())
times = struct.pack("qqqq", 1, 0, 2, 0)
value = ctypes.create_string_buffer(b"1")
arguments = struct.pack("QII", ctypes.addressof(value), 1, 0)
def changes(fd):
    return [
        call(452, fd, b"", 0o640, EMPTY), failed(libc.fchownat(fd, b"", *ME, EMPTY)),
        failed(libc.utimensat(fd, b"", times, EMPTY)), failed(libc.futimens(fd, times)),
        call(463, fd, b"", EMPTY, b"user.a", arguments, 16), call(466, fd, b"", EMPTY, b"user.a"),
    ]
own = os.open("out/file", os.O_CREAT | os.O_RDWR, 0o600)
print(changes(own), oct(os.fstat(own).st_mode & 0o777), os.fstat(own).st_mtime, os.listxattr(own))
print(changes(os.open("read/file", os.O_RDONLY)))
print(call(452, own, b"", 0o640, 0), call(463, own, b"", EMPTY, b"user.a", arguments, 15))
unlinked = os.open("out", os.O_TMPFILE | os.O_RDWR, 0o600)
os.fchmod(unlinked, 0o640)
os.chdir("out")
print(oct(os.fstat(unlinked).st_mode & 0o777), call(452, 0xffffff9c, b"", 0o700, EMPTY))
"#,
    );
    let Some(said) = said(&folder) else { return };
    // A file system without attributes returns 95 (ENOTSUP).
    let said = said.replace("95, 95]", "0, 0]");
    let expected = "[0, 0, 0, 0, 0, 0] 0o640 2.0 []\n[1, 1, 1, 1, 1, 1]\n2 22\n0o640 0";
    assert_eq!(said, expected);
    let mode = std::fs::metadata(folder.path("read/file")).expect("it is there");
    assert_eq!(mode.permissions().mode() & 0o777, 0o644);
}
