"""Prints the folders where this nvcc finds the toolkit's headers, one per line, for host code compiled without nvcc."""

import re
import subprocess
import sys
from pathlib import Path

# Toolkits from the system and from PyPI are laid out differently; a dry run names the folders that count.
dry = subprocess.run([*sys.argv[1:], "--dryrun", "-x", "cu", "-c", "/dev/null", "-o", "/dev/null"], capture_output=True, text=True)
for line in dry.stderr.splitlines():
    if re.match(r"#\$ (SYSTEM_)?INCLUDES=", line):
        for folder in re.findall(r'"(?:-I)?([^"]*/[^"]*)"', line):
            if Path(folder).is_dir():
                print(Path(folder).resolve())
