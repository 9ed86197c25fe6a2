"""Archives, honest and hostile: none holds up the others, none writes anything."""

import gzip
import io
import json
import subprocess
import tarfile
import time
import unittest
import zipfile

from folder import KERNEL, MODE, RUNNER, Folder


class Archives(Folder):
    def test_archives(self):
        for name in ("a.zip", "a.tar.gz"):
            result = self.one(self.archive(name, [("x/01/kernel.cu", KERNEL), ("x/readme", "")]), "--labs", "01")
            self.assertEqual(self.graded(result), {"01": f"{name}/x/01/kernel.cu"})

    def test_paths_that_leave_the_archive_write_nothing(self):
        target = self.folder / "outside"
        names = ["../../01/kernel.cu", str(target / "02/kernel.cu"), "../" * 20 + str(target)[1:] + "/03/kernel.cu"]
        for name in ("a.zip", "a.tar.gz"):
            result = self.one(self.archive(name, [(member, KERNEL) for member in names]), "--labs", "01,02,03")
            self.assertEqual(len(self.graded(result)), 3)
            self.assertFalse(target.exists())

    def test_links_in_archives_are_left_out(self):
        link, hard = tarfile.TarInfo("01/kernel.cu"), tarfile.TarInfo("02/kernel.cu")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        hard.type, hard.linkname = tarfile.LNKTYPE, "/etc/passwd"
        result = self.one(self.archive("a.tar.gz", [(link, ""), (hard, "")]), "--labs", "01,02")
        self.assertEqual(self.graded(result), {})

    def test_bombs(self):
        for name in ("a.zip", "a.tar.gz"):
            big = " " * (300 << 20)
            result = self.one(self.archive(name, [("01/kernel.cu", big), ("02/kernel.cu", KERNEL)]), "--labs", "01,02")
            self.assertNotIn("01", self.graded(result))
            self.assertTrue(result["problems"])
        many = self.archive("many.zip", [(f"{i}/x", "") for i in range(5000)])
        self.assertIn("more than any submission", self.one(many, "--labs", "01")["problems"][0])

    def test_one_budget_for_all_levels_of_an_archive(self):
        def packed(members):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                for name, data in members:
                    archive.writestr(name, data)
            return out.getvalue()
        kernel = packed([("01/kernel.cu", b"\0" * (100 << 20))])
        many = packed([(f"{i}.zip", kernel) for i in range(100)])
        (self.folder / "a.zip").write_bytes(packed([(f"{i}.zip", many) for i in range(60)] + [("02/kernel.cu", KERNEL)]))
        began = time.monotonic()
        result = self.one(self.folder / "a.zip", "--labs", "01,02")
        self.assertLess(time.monotonic() - began, 100)  # a second, unless the machine is busy
        self.assertEqual(self.graded(result), {})
        self.assertIn("a.zip: holds more than any submission does: the rest is left out", result["problems"])

    def test_an_archive_that_never_ends_is_one_students_problem(self):
        member = gzip.compress(b"", mtime=0)  # gzip's own files may follow one another, even if each holds nothing
        inner = gzip.compress(member * 500_000, mtime=0) * 200
        (self.folder / "class").mkdir()
        (self.folder / "class/eve.tar.gz").write_bytes(gzip.compress(inner, mtime=0))
        self.put("class/zoe/01/kernel.cu")
        subprocess.run([RUNNER, "grade", self.folder / "class", "--out", self.folder / "out", "--labs", "01", "--jobs", "2", *MODE],
                       capture_output=True, timeout=400, check=True)
        eve, zoe = (json.loads((self.folder / f"out/results/{name}.json").read_text()) for name in ("eve", "zoe"))
        self.assertRegex(eve["problems"][0], "^eve.tar.gz takes more than (5 s of processor time to unpack|65 s to read): nothing")
        self.assertEqual(self.graded(zoe), {"01": "01/kernel.cu"})

    def test_long_names_and_many_problems_end(self):
        members = [("01/" + "x" * 2000 + f"/{i}/a.zip", "no archive") for i in range(300)]
        problems = self.one(self.archive("a.zip", members), "--labs", "01")["problems"]
        self.assertEqual((len(problems), problems[-1]), (41, "and 260 more problems"))
        self.assertLess(max(map(len, problems)), 310)

    def test_damaged_archive(self):
        path = self.folder / "a.zip"
        path.write_bytes(b"PK\3\4 no archive at all")
        self.assertTrue(self.one(path, "--labs", "01")["problems"])


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
