"""docs/instructors/slurm.sh on a Slurm cluster: the same files as from one machine, although a node fails."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import load
import slurm

LAB = "01_synchronous_staging"


@unittest.skipIf(slurm.missing(), "needs Slurm and MUNGE (Debian: slurm-wlm); not here: " + ", ".join(slurm.missing()))
class Slurm(unittest.TestCase):
    def test_a_node_fails(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        for i in range(12):
            kernel = folder / f"class/student{i:02}" / LAB / "kernel.cu"
            kernel.parent.mkdir(parents=True)
            kernel.write_text((load.TREE / "solutions" / LAB / "kernel.cu").read_text() + f"// {i}\n")
        options = ["--labs", "01", "--isolation", "limits", "--schedules", "1", "--repeat-seed", "7"]
        subprocess.run([load.RUNNER, "grade", folder / "class", "--out", folder / "one", *options], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "LAB_ROOT": str(load.TREE)})
        said = slurm.grade(folder, load.RUNNER, load.TREE, folder / "class", folder / "parts", *options, seconds=300)
        self.assertIn("far", said["nodes"])
        self.assertEqual(said["errors"], [])
        self.assertTrue(load.same_results(load.results(folder / "one"), load.results(folder / "parts")))
        self.assertEqual(load.reports(folder / "one"), load.reports(folder / "parts"))


if __name__ == "__main__":
    unittest.main()
