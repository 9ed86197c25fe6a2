"""Archives and folders whose names pretend to be somebody else's, or something that the grader itself writes. Each stays with the
student who handed it in. No kernel here compiles (refusing.py), which is quick."""

import io
import json
import struct
import subprocess
import tarfile
import unicodedata
import unittest
import zipfile

from folder import KERNEL, MODE, RUNNER, Folder


class MisleadingNames(Folder):
    def grade(self, *arguments, expect=(0, 3), labs="01,02"):
        done = subprocess.run([RUNNER, "grade", *arguments, "--out", "out", "--labs", labs, *MODE], cwd=self.folder,
                              capture_output=True, text=True, timeout=300)
        self.assertIn(done.returncode, expect, done.stdout + done.stderr)
        self.said = done.stdout + done.stderr
        results = [json.loads(path.read_text()) for path in sorted((self.folder / "out/results").glob("*.json"))]
        return {result["submission"]: {lab["lab"][:2]: lab["source"].removeprefix("#error this is ").strip()
                                       for lab in result["labs"] if "source" in lab} for result in results}

    def tar(self, name, *members):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as out:
            for info, text in members:
                info = info if isinstance(info, tarfile.TarInfo) else tarfile.TarInfo(info)
                info.size = len(text.encode())
                out.addfile(info, io.BytesIO(text.encode()))
        return path

    def test_members_with_absolute_names(self):
        for name in ("a.tar.gz", "a.zip"):
            members = [("/01/kernel.cu", KERNEL.format("one")), ("//02/kernel.cu", KERNEL.format("two"))]
            (self.tar(name, *members) if name.endswith("gz") else self.archive(name, members))
            self.assertLessEqual(set(self.graded(self.one(self.folder / name, "--labs", "01,02"))), {"01", "02"})
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"a.tar.gz", "a.zip", "result.json"})

    def test_names_of_another_system(self):
        (self.folder / "class").mkdir()
        self.archive("class/eve.zip", [
            ("..\\bob\\01\\kernel.cu", KERNEL.format("eve")), ("C:\\bob\\02\\kernel.cu", KERNEL.format("eve"))])
        self.put("class/bob/01/kernel.cu", "bob")
        results = self.grade("class")
        self.assertEqual(results["bob"], {"01": "bob"})
        self.assertEqual(set(results), {"bob", "eve"})

    def test_hard_links_to_what_others_handed_in(self):
        self.put("class/bob/01/kernel.cu", "bob")
        for number, target in enumerate(("../bob/01/kernel.cu", str(self.folder / "class/bob/01/kernel.cu"), "class/bob/01/kernel.cu")):
            link = tarfile.TarInfo("01/kernel.cu")
            link.type, link.linkname = tarfile.LNKTYPE, target
            self.tar(f"class/eve{number}.tar.gz", (link, ""), ("02/kernel.cu", KERNEL.format("eve")))
        results = self.grade("class")
        self.assertEqual(results.pop("bob"), {"01": "bob"})
        self.assertEqual(set(map(str, results.values())), {"{'02': 'eve'}"})

    def test_an_archive_in_an_archive_is_the_outer_ones(self):
        inner = self.archive("bob.zip", [("01/kernel.cu", KERNEL.format("eve"))])
        data = inner.read_bytes()
        inner.unlink()
        (self.folder / "class").mkdir()
        with zipfile.ZipFile(self.folder / "class/eve.zip", "w") as out:
            out.writestr("bob.zip", data)
            out.writestr("bob/01/kernel.cu", KERNEL.format("eve, too"))
        self.put("class/bob/01/kernel.cu", "bob")
        results = self.grade("class")
        self.assertEqual(results["bob"], {"01": "bob"})
        self.assertEqual(set(results), {"bob", "eve"})

    def test_two_names_that_look_alike(self):
        """Composed and decomposed letters, and other alphabets: each keeps its own row."""
        names = [unicodedata.normalize(form, "Jos\u00e9") for form in ("NFC", "NFD")] + ["bob", "b\u043eb", "Bob", "bob "]
        for number, name in enumerate(names):
            self.put(f"class/{name}/01/kernel.cu", f"{number}")
        results = self.grade("class")
        self.assertEqual(sorted(kernel["01"] for kernel in results.values()), [str(number) for number in range(len(names))])

    def test_names_of_what_the_grader_writes(self):
        names = ["results", "out", "report.html", "grades.csv", "overrides.toml", "course.toml", "-rf", "--jobs=9", "a b;c", "$(id)", "con", "~"]
        for name in names:
            self.put(f"class/{name}/01/kernel.cu", name)
        results = self.grade("class")
        self.assertEqual(sorted(kernel["01"] for kernel in results.values()), sorted(names))
        self.assertTrue((self.folder / "out/grades.csv").is_file())

    def test_hidden_and_dotted_folders(self):
        for name in ("...", ".bob", "bob.", "..bob"):
            self.put(f"class/{name}/01/kernel.cu", name)
        self.put("class/ann/01/kernel.cu", "ann")
        results = self.grade("class")
        self.assertEqual(results["ann"], {"01": "ann"})
        for name, kernels in results.items():
            self.assertEqual(len(kernels), 1, name)

    def test_a_folder_and_an_archive_of_one_name(self):
        self.put("class/bob/01/kernel.cu", "folder")
        self.archive("class/bob.zip", [("01/kernel.cu", KERNEL.format("zip"))])
        self.tar("class/bob.tar.gz", ("01/kernel.cu", KERNEL.format("tar")))
        results = self.grade("class")
        self.assertEqual(sorted(kernel["01"] for kernel in results.values()), ["folder", "tar", "zip"])

    def test_leftovers_of_other_systems(self):
        members = [("__MACOSX/01/._kernel.cu", "#error this is no kernel\n"), ("01/._kernel.cu", "#error nor this\n"), (".DS_Store", "x"),
                   ("Thumbs.db", "x"), ("01/kernel.cu", KERNEL.format("ann"))]
        result = self.one(self.archive("a.zip", members), "--labs", "01,02")
        self.assertEqual(self.graded(result), {"01": "a.zip/01/kernel.cu"})
        self.assertIn("this is ann", result["labs"][0]["source"])

    def test_a_folder_called_like_a_kernel(self):
        members = [("01/kernel.cu/kernel.cu", KERNEL.format("inner")), ("02/kernel.cu/", ""), ("02/kernel.cu/x/notes.txt", "x")]
        result = self.one(self.archive("a.zip", members), "--labs", "01,02")
        self.assertLessEqual(set(self.graded(result)), {"01"})

    def test_members_that_no_reader_understands(self):
        """Encrypted, of an unknown method, with a name that is no text: the others count."""
        self.archive("a.zip", [("01/kernel.cu", KERNEL), ("02/kernel.cu", KERNEL), ("03/kernel.cu", KERNEL)])
        path = self.folder / "a.zip"
        data = bytearray(path.read_bytes())
        local = [i for i in range(len(data) - 4) if data[i:i + 4] == b"PK\3\4"]
        central = [i for i in range(len(data) - 4) if data[i:i + 4] == b"PK\1\2"]
        struct.pack_into("<H", data, local[0] + 6, 1)
        struct.pack_into("<H", data, central[0] + 8, 1)
        struct.pack_into("<H", data, local[1] + 8, 99)
        struct.pack_into("<H", data, central[1] + 10, 99)
        path.write_bytes(data)
        result = self.one(path, "--labs", "01,02,03")
        self.assertLessEqual(set(self.graded(result)), {"03"})
        self.assertTrue(result["problems"])
        raw = self.tar("b.tar.gz", ("01/kernel.cu", KERNEL))
        raw.write_bytes(raw.read_bytes() + b"\0trailing\xff" * 99)
        self.assertEqual(set(self.graded(self.one(raw, "--labs", "01"))), {"01"})

    def test_a_component_longer_than_a_file_name(self):
        long = "x" * 5000
        for name in ("a.tar.gz", "a.zip"):
            members = [(f"{long}/01/kernel.cu", KERNEL), (f"{'y/' * 2000}02/kernel.cu", KERNEL)]
            (self.tar(name, *members) if name.endswith("gz") else self.archive(name, members))
            self.one(self.folder / name, "--labs", "01,02")


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
