"""Puts the toml++ headers under FOLDER/include and a pkg-config file beside them, from Debian's package.

For systems without the package (Ubuntu 22.04). The hash decides what is accepted, so any mirror will do.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

VERSION = "3.3.0"
SHA256 = "2779cce0001466dcf60eb6262ff68a888d49f9e30aee80c499d1d4f6f9f6e12e"
POOL = f"pool/main/t/tomlplusplus/libtomlplusplus-dev_{VERSION}+ds-1_amd64.deb"
MIRRORS = ("http://deb.debian.org/debian", "https://snapshot.debian.org/archive/debian/20250101T000000Z")


def package():
    for mirror in MIRRORS:
        try:
            with urllib.request.urlopen(f"{mirror}/{POOL}", timeout=60) as answer:
                content = answer.read()
        except OSError as problem:
            print(f"{mirror}: {problem}")
            continue
        if hashlib.sha256(content).hexdigest() == SHA256:
            return content
        print(f"{mirror}: its file is not the expected package (the SHA-256 differs)")
    sys.exit("no mirror has the toml++ package")


folder = Path(sys.argv[1])
with tempfile.TemporaryDirectory() as scratch:
    deb = Path(scratch, "package.deb")
    deb.write_bytes(package())
    subprocess.run(["dpkg-deb", "-x", deb, scratch], check=True)
    shutil.copytree(Path(scratch, "usr/include/toml++"), folder / "include/toml++", dirs_exist_ok=True)

# Headers only, unlike Debian's own pkg-config file, which links a shared library.
pc = folder / "lib/pkgconfig/tomlplusplus.pc"
pc.parent.mkdir(parents=True, exist_ok=True)
pc.write_text(f"Name: tomlplusplus\nDescription: toml++, headers only\nVersion: {VERSION}\nCflags: -I{folder.absolute()}/include\n")
