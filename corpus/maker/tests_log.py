"""What `cargo test` says about our own tests."""

import re


def cargo_test(ours):
    out = []
    for crate in ("wire", "session"):
        names = []
        for path in ours.files(f"crates/{crate}/src"):
            module = path.split("/src/")[1].removesuffix(".rs").replace("/", "::").replace("::mod", "")
            for name in re.findall(r"#\[(?:tokio::)?test[^\]]*\]\s*(?:async )?fn (\w+)", ours.file(path)):
                names.append(f"{module}::tests::{name}" if module != "lib" else f"tests::{name}")
        out.append(f"     Running unittests src/lib.rs (target/debug/deps/linkspan_{crate}-4f1c20b7a9d35e68)\n")
        out.append(f"running {len(names)} tests")
        out += [f"test {name} ... ok" for name in names]
        out.append(f"\ntest result: ok. {len(names)} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.31s\n")
    return "\n".join(out)
