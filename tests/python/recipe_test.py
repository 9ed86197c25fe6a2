"""The test file for Triton that docs/ci shows, run as it stands there. Where Triton is not installed, it is skipped."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = str(Path(sys.argv.pop(1)).resolve())
VENV = ROOT / ".asynclab/venv/bin/python3"
if VENV.exists() and sys.prefix == sys.base_prefix:
    os.execv(VENV, [VENV, __file__, RUNNER])


class Recipe(unittest.TestCase):
    @unittest.skipUnless(all(importlib.util.find_spec(name) for name in ("triton", "numpy", "pytest")), "triton, numpy or pytest is not installed")
    def test_triton(self):
        (code,) = re.findall(r"```python\n(import re\n.*?)```", (ROOT / "docs/ci/README.md").read_text(), re.S)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "test_matmul.py").write_text(code)
            done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "asynclab.testing", "-p", "no:cacheprovider"], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "LAB_RUNNER": RUNNER, "LAB_ROOT": str(ROOT), "PYTHONPATH": str(ROOT / "common/python"), "HOME": folder})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 passed", done.stdout)


unittest.main()
