"""Prints the folders of this nvcc's toolkit headers, one per line, for host code that is compiled without nvcc."""

import re
import subprocess
import sys
from pathlib import Path

# Toolkits from the system and from PyPI have different layouts. A dry run prints the folders that this one uses.
dry = subprocess.run([*sys.argv[1:], "--dryrun", "-x", "cu", "-c", "/dev/null", "-o", "/dev/null"], capture_output=True, text=True)
for line in dry.stderr.splitlines():
    if re.match(r"#\$ (SYSTEM_)?INCLUDES=", line):
        for folder in re.findall(r'"(?:-I)?([^"]*/[^"]*)"', line):
            if Path(folder).is_dir():
                print(Path(folder).resolve())
