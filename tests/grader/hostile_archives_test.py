"""Archives whose members are what no student hands in: devices, holes, bombs, many of them, and names meant for somebody else."""

import csv
import io
import struct
import subprocess
import tarfile
import time
import unittest
import zipfile

from folder import KERNEL, MODE, RUNNER, Folder

CONTROLS = "[\x00-\x08\x0b-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]"


def member(name, kind=tarfile.REGTYPE, **also):
    info = tarfile.TarInfo(name)
    info.type = kind
    for key, value in also.items():
        setattr(info, key, value)
    return info


class HostileArchives(Folder):
    def test_devices_pipes_and_folders_are_no_files(self):
        kinds = [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, tarfile.CONTTYPE, b"V", b"Z"]
        members = [(member(f"{number:02}/kernel.cu", kind, devmajor=1, devminor=5), "") for number, kind in enumerate(kinds, 1)]
        began = time.monotonic()
        result = self.one(self.archive("a.tar.gz", [*members, (member("08/kernel.cu"), KERNEL)]), "--labs", "01,02,03,04,08")
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(self.graded(result), {"08": "a.tar.gz/08/kernel.cu"})

    def test_a_link_to_a_folder_leads_nowhere(self):
        outside = self.folder / "outside"
        outside.mkdir()
        members = [(member("01", tarfile.SYMTYPE, linkname=str(outside)), ""), (member("01/kernel.cu"), KERNEL),
                   (member("02/kernel.cu", tarfile.LNKTYPE, linkname="01/kernel.cu"), "")]
        result = self.one(self.archive("a.tar.gz", members), "--labs", "01,02")
        self.assertEqual(self.graded(result), {"01": "a.tar.gz/01/kernel.cu"})
        self.assertEqual(list(outside.iterdir()), [])

    def test_a_hole_of_a_tebibyte(self):
        path, data = self.folder / "a.tar", KERNEL.encode()
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as out:
            size = str(1 << 40)
            hole = member("01/kernel.cu", size=512, pax_headers={
                "GNU.sparse.size": size, "GNU.sparse.realsize": size, "GNU.sparse.numblocks": "1", "GNU.sparse.map": f"{(1 << 40) - 512},512"})
            out.addfile(hole, io.BytesIO(b"x" * 512))
            out.addfile(member("02/kernel.cu", size=len(data)), io.BytesIO(data))
        began = time.monotonic()
        result = self.one(path, "--labs", "01,02")
        self.assertLess(time.monotonic() - began, 100)
        self.assertNotIn("01", self.graded(result))
        self.assertTrue(result["problems"])

    def test_entries_that_share_their_data(self):
        """A zip of many entries for one and the same megabytes, as overlapping bombs have."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("01/kernel.cu", b"\0" * (4 << 20))
        data = out.getvalue()
        end = data.rindex(b"PK\5\6")
        begin, = struct.unpack_from("<I", data, end + 16)
        entry = data[begin:end]
        entries = b"".join(entry[:46] + b"%02d" % (number % 100) + entry[48:] for number in range(3000))
        tail = bytearray(data[end:])
        struct.pack_into("<HHII", tail, 8, 3000, 3000, len(entries), begin)
        (self.folder / "a.zip").write_bytes(data[:begin] + entries + bytes(tail))
        began = time.monotonic()
        result = self.one(self.folder / "a.zip", "--labs", "01,02")
        self.assertLess(time.monotonic() - began, 100)
        self.assertEqual(self.graded(result), {})
        self.assertTrue(result["problems"])

    def test_more_entries_than_a_zip_can_count(self):
        members = [(f"{number}", "") for number in range(66_000)]
        for name in ("a.zip", "a.tar.gz"):
            result = self.one(self.archive(name, [*members, ("01/kernel.cu", KERNEL)]), "--labs", "01")
            self.assertEqual(self.graded(result), {})
            self.assertIn("holds more than any submission does", result["problems"][0])

    def test_sizes_that_lie(self):
        path = self.archive("a.zip", [("01/kernel.cu", KERNEL), ("02/kernel.cu", KERNEL)])
        data = bytearray(path.read_bytes())
        for at in (index for index in range(len(data) - 4) if data[index:index + 4] == b"PK\1\2"):
            struct.pack_into("<II", data, at + 20, 0xfffffff0, 0xfffffff0)
        path.write_bytes(data)
        self.assertLessEqual(len(self.graded(self.one(path, "--labs", "01,02"))), 2)

    def test_names_for_other_readers(self):
        names = ["01/kernel.cu\nbob,01,15", "x\r\nbob: 15 of 15\x1b[2J/02/kernel.cu", "\u202euc.lenrek/03/kernel.cu", "=cmd|'/c calc'!A1/04/kernel.cu",
                 "\u2066a\u2069/05/kernel.cu", "%n%s{}{0}/06/kernel.cu", "<script>alert(1)</script>/07/kernel.cu", "kernel.cu\tbob"]
        (self.folder / "class").mkdir()
        self.put("class/bob/01/kernel.cu")
        for name in ("eve.zip", "mal.tar.gz"):
            self.archive(f"class/{name}", [(member, KERNEL) for member in names])
        out = self.folder / "out"
        done = subprocess.run([RUNNER, "grade", self.folder / "class", "--out", out, "--labs", "01,02,03,04,05,06,07", *MODE],
                              capture_output=True, text=True, timeout=300)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertNotRegex(done.stdout + done.stderr, CONTROLS)
        for name in ("submissions.csv", "grades.csv", "rubric.csv"):
            text = (out / name).read_text()
            self.assertNotRegex(text, CONTROLS)
            rows = list(csv.reader(io.StringIO(text)))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, name)
            self.assertEqual({row[0] for row in rows[1:]}, {"bob", "eve", "mal"}, name)
            self.assertFalse([cell for row in rows for cell in row if cell[:1] in "=+-@" and cell[1:]], name)
        for page in out.glob("**/*.html"):
            self.assertNotRegex(page.read_text(), "<script>|" + CONTROLS)

    def test_two_files_of_one_name(self):
        """The grader names the one that does not count. If both are called the same, it is the first, as for who unpacks them."""
        first, second = "#error this is first\n", "#error this is second\n"
        for members in ([("01/kernel.cu", first), ("01/kernel.cu", second)],
                        [("01/kernel.cu", first), ("01/KERNEL.CU", second)], [("01/KERNEL.CU", second), ("01/kernel.cu", first)],
                        [("01/kernel.cu", first), ("1/../01/kernel.cu", second)]):
            for name in ("a.zip", "a.tar.gz"):
                with self.subTest(name=name, members=[one for one, _ in members]):
                    if len({one for one, _ in members}) == 1 and name.endswith(".zip"):
                        continue  # Python warns of it
                    result = self.one(self.archive(name, members), "--labs", "01")
                    self.assertEqual(len(result["problems"]), 1, result["problems"])
                    self.assertIn("kernel.cu", result["problems"][0].lower())

    def test_archives_that_contain_themselves(self):
        inner = self.archive("01.zip", [("kernel.cu", KERNEL)]).read_bytes()
        for _ in range(12):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as archive:
                archive.writestr("01.zip", inner)
            inner = out.getvalue()
        (self.folder / "a.zip").write_bytes(inner)
        result = self.one(self.folder / "a.zip", "--labs", "01")
        self.assertEqual(self.graded(result), {})
        self.assertIn("too deep inside", result["problems"][0])


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
