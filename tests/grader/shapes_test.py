"""A class that hands in what classes hand in: folders, archives, single files, downloads of three platforms, Chinese names,
UTF-16, nothing, binary data, another lab. Graded twice, and once more by a grader that is killed and started again: every
file for people and platforms has the same bytes. `shapes_test.py --students 60 --kills 5` does so with a larger class."""

import argparse
import io
import json
import os
import random
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

TREE = Path(os.environ.get("LAB_ROOT", Path(__file__).resolve().parents[2]))
sys.path.append(str(TREE / "tests/labs"))
import lab_versions  # noqa: E402
RUNNER = os.environ.get("LAB_RUNNER", str(TREE / "build/common/runner/lab-runner"))
LABS = ("01_synchronous_staging", "04_cp_async_ptx")
VOLATILE = {"repeat-seed", "usage.csv"}  # drawn anew for each folder; what grading took
OPTIONS = argparse.Namespace(students=14, kills=1, jobs=2)


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def tarred(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def kernel(number, draw):
    """Real work of some in a large class; of all others one that compilers refuse at once, which is quick."""
    if OPTIONS.students > 20 and number % 12 == 3:
        versions = [TREE / "solutions" / LABS[0] / "kernel.cu", TREE / "labs" / LABS[0] / "kernel.cu",
                    *lab_versions.files(LABS[0], "wrong")]
        return (draw.choice(versions).read_text() + f"// {number}\n").encode()
    return f'#error "{number}: not yet"\n'.encode()


# Each makes one student's files below the folders that the grader gets: name, kernel -> {path: bytes}.
GENERIC = [
    lambda name, text: {f"class/{name}/{LABS[0]}/kernel.cu": text, f"class/{name}/notes.txt": b"see above"},
    lambda name, text: {f"class/{name}.zip": zipped({f"labs/{LABS[0]}/kernel.cu": text, "__MACOSX/._kernel.cu": b"\0"})},
    lambda name, text: {f"class/{name}/lab01.cu": text},
    lambda name, text: {f"class/王小明 {name}/实验 01/kernel.cu": text},
    lambda name, text: {f"class/{name}/01/kernel.cu": b"\xff\xfe" + text.decode().encode("utf-16-le")},
    lambda name, text: {f"class/{name}/01/kernel.cu": b""},
    lambda name, text: {f"class/{name}/01/kernel.cu": bytes(range(256)) * 20},
    lambda name, text: {f"class/{name}/09_tma_bulk_1d/kernel.cu": text},
    lambda name, text: {f"class/{name}.tar.gz": tarred({"work/LAB04.CU": text})},
    lambda name, text: {f"class/{name}/all.zip": zipped({"inner.zip": zipped({"4/kernel.cu": text})})},
    lambda name, text: {f"class/{name}/readme.md": b"I was ill."},
]
PLATFORMS = [
    lambda i, text: {f"moodle/Ada Lovelace {i}_{1000 + i}_assignsubmission_file_/lab01.cu": text},
    lambda i, text: {f"canvas/lovelaceada{i}_{'LATE_' if i % 2 else ''}{2000 + i}_678{i}_lab01-{i % 3}.cu": text},
    lambda i, text: {f"gradescope/submission_{3000 + i}/lab01.cu": text},
]


def make(folder, students):
    draw = random.Random(students)
    files, submitters = {}, []
    for i in range(students):
        shape = i % (len(GENERIC) + len(PLATFORMS))
        if shape < len(GENERIC):
            files |= GENERIC[shape](f"student{i:02}", kernel(i, draw))
        else:
            files |= PLATFORMS[shape - len(GENERIC)](i, kernel(i, draw))
            if shape == len(GENERIC) + 2:
                submitters.append(f"submission_{3000 + i}:\n  :submitters:\n  - :name: Carl {i}\n    :sid: '{3000 + i}'\n"
                                  f"    :email: carl{i}@example.edu\n  :created_at: 2026-02-02 13:00:00.5 Z\n")
    if submitters:
        files["gradescope/submission_metadata.yml"] = ("---\n" + "".join(submitters)).encode()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return [folder / part for part in sorted({name.split("/")[0] for name in files})]


def grade(given, out, kills=0, jobs=2):
    command = [RUNNER, "grade", *given, "--out", out, "--labs", "01,04", "--schedules", "1", "--jobs", str(jobs)]
    environment = {**os.environ, "LAB_ROOT": str(TREE)}
    finished = lambda: len(list((out / "results").glob("*.json")))
    for kill in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
        enough = finished() + 1 + kill % 3
        while process.poll() is None and finished() < enough:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


def steady(path):
    if path.parent.name != "results":
        return path.read_bytes()
    result = json.loads(path.read_text())
    return json.dumps({key: value for key, value in result.items() if key not in {"timing", "repeat_seed"}}).encode()


def exports(out):
    """What people and platforms get: the files, and every other format."""
    made = {str(path.relative_to(out)): steady(path) for path in sorted(out.rglob("*")) if path.is_file() and path.name not in VOLATILE}
    results = [json.loads(path.read_text()) for path in sorted((out / "results").glob("*.json"))]
    canvas = "Student,ID,SIS User ID,SIS Login ID,Section,Labs (7)\r\n    Points Possible,,,,,100\r\n"
    moodle = "Identifier,Full name,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"
    for result in results:
        for student in result["students"]:
            canvas += f"\"{student['name']}\",{student['id']},,,S,\r\n"
            moodle += f"Participant {student['id']},\"{student['name']}\",,100.00,-,\n"
    for platform, text in (("canvas", canvas), ("moodle", moodle)):
        export = out.parent / f"{platform}.csv"
        export.write_text(text)
        made[platform] = convert(platform, out, "--into", export)
    made["nbgrader"] = convert("nbgrader", out)
    for form in ("classroom50", "classroom", "summary", "prairielearn"):
        for path in sorted((out / "results").glob("*.json"))[::7]:
            made[f"{form} {path.stem}"] = convert(form, path)
    return made


def convert(form, results, *more):
    return subprocess.run([RUNNER, "grade", "convert", form, results, *more], check=True, capture_output=True,
                          env={**os.environ, "LAB_ROOT": str(TREE), "SUBMITTED_AT": "2026-02-01T12:00:00Z"}).stdout


class Shapes(unittest.TestCase):
    def test_the_same_bytes_however_often_and_however_interrupted(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            folder.chmod(0o755)
            given = make(folder, OPTIONS.students)
            seen = {}
            for name, kills in (("once", 0), ("killed", OPTIONS.kills), *((("again", 0),) if OPTIONS.students > 20 else ())):
                began = time.monotonic()
                grade(given, folder / name, kills, OPTIONS.jobs)
                print(f"{OPTIONS.students} submissions, killed {kills} times: {time.monotonic() - began:.0f} s", flush=True)
                seen[name] = exports(folder / name)
            once = seen.pop("once")
            self.assertGreater(len(once), 3 * OPTIONS.students)
            for name, files in seen.items():
                self.assertEqual(files.keys(), once.keys())
                for file in files:
                    self.assertEqual(files[file], once[file], f"{name}: {file}")
            graded = [path.stem for path in (folder / "once/results").glob("*.json")]
            self.assertEqual(len(graded), OPTIONS.students)
            self.assertEqual(len([line for line in once["grades.csv"].splitlines() if line]), 1 + OPTIONS.students)
            print(f"{len(once)} files and exports have the same bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name, value in vars(OPTIONS).items():
        parser.add_argument("--" + name, type=int, default=value)
    OPTIONS, rest = parser.parse_known_args()
    program = unittest.main(argv=[sys.argv[0], *rest], verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
