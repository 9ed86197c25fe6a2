"""`lab run` for continuous integration: the formats that others read, and several programs at once."""

import json
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote, urlparse

from repository import HAZARD, INCOMPLETE, ODD, RACE, TWO, Repository, commands


class GitHub(Repository):
    def annotations(self, code, *arguments):
        done = self.lab(code, *arguments, "--format", "github")
        return list(commands(done.stdout)), done

    def test_finding_is_an_annotation_and_in_the_log(self):
        ((level, where, message),), done = self.annotations(HAZARD, RACE)
        self.assertEqual((level, where["file"], where["line"], where["title"]), ("error", RACE, "9", "read-after-write-race"))
        self.assertGreater(int(where["col"]), 0)
        self.assertIn(f"{RACE}:5: ", message)
        self.assertIn("\n", message)
        self.assertIn(f"{RACE}:9: error: read-after-write-race", done.stderr)

    def test_correct_program_has_none(self):
        annotations, _ = self.annotations(0, RACE, "--nvcc", "-DCORRECT")
        self.assertEqual(annotations, [])

    def test_path_with_signs_that_separate(self):
        ((_, where, _),), done = self.annotations(HAZARD, f"kernels/{ODD}")
        self.assertEqual(where["file"], f"kernels/{ODD}")
        self.assertIn("1%2C 50%25/ein kern.cu", done.stdout)

    def test_message_with_percent_colon_and_comma(self):
        ((level, where, message),), _ = self.annotations(2, "kernels/broken.cu")
        self.assertEqual((level, where["file"], where["title"]), ("error", "kernels/broken.cu", "compile-error"))
        self.assertIn("100%: a, b", message)

    def test_from_a_folder_below(self):
        done = self.lab(HAZARD, "race.cu", "--format", "github", folder="kernels")
        self.assertEqual([where["file"] for _, where, _ in commands(done.stdout)], [RACE])

    def test_incomplete_is_an_error_and_a_warning_is_a_warning(self):
        ((level, where, message),), _ = self.annotations(INCOMPLETE, "kernels/discard.cu")
        self.assertEqual((level, where["title"]), ("error", "incomplete"))
        self.assertIn("next: ", message)
        for options, code, expected in (((), 0, "warning"), (("--strict",), HAZARD, "error")):
            ((level, where, _),), _ = self.annotations(code, "kernels/warns.cu", *options)
            self.assertEqual((level, where["title"]), (expected, "missing-proxy-fence"))

    def test_no_more_than_github_shows(self):
        kernels = "".join(f"""
            __global__ void k{i}(int* out) {{
                __shared__ int v[64];
                v[threadIdx.x] = {i};
                out[threadIdx.x] = v[63 - threadIdx.x];
            }}""" for i in range(12))
        for count, expected in ((10, 10), (12, 10)):
            calls = "".join(f"k{i}<<<1, 64>>>(out);" for i in range(count))
            (self.root / "kernels/many.cu").write_text(f"{kernels}\nint main() {{ int* out; cudaMalloc(&out, 256); {calls} cudaDeviceSynchronize(); }}")
            annotations, done = self.annotations(HAZARD, "kernels/many.cu")
            self.assertEqual(done.stderr.count("error: read-after-write-race"), count)
            self.assertEqual(len(annotations), expected)
            self.assertEqual("and 3 more" in annotations[-1][2], count == 12)


class Sarif(Repository):
    def sarif(self, code, *arguments):
        self.lab(code, *arguments, "--format", "sarif:out.sarif")
        log = json.loads(self.read("out.sarif"))
        self.assertEqual((log["version"], len(log["runs"])), ("2.1.0", 1))
        (run,) = log["runs"]
        self.check(run)
        (invocation,) = run["invocations"]
        self.assertEqual(invocation["exitCode"], code)
        self.assertEqual(invocation["executionSuccessful"], "toolExecutionNotifications" not in invocation)
        return run

    def check(self, run):
        """The requirements of the standard and of GitHub on every part."""
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual(len({rule["id"] for rule in rules}), len(rules))
        self.assertEqual({rule["id"] for rule in rules}, {result["ruleId"] for result in run["results"]})
        for rule in rules:
            self.assertRegex(rule["name"], r"^([A-Z][a-z]*)+$")
            self.assertTrue(rule["helpUri"].startswith("https://"))
            self.assertIn("```cuda", rule["help"]["markdown"])
            for key in ("shortDescription", "fullDescription"):
                self.assertTrue(rule[key]["text"].endswith("."), rule[key])
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertIn(result["level"], ("error", "warning", "note"))
            self.assertTrue(result["message"]["text"])
            (location,) = result["locations"]
            self.place(run, location)
            ids = [related["id"] for related in result.get("relatedLocations", [])]
            self.assertEqual(ids, list(range(1, len(ids) + 1)))
            for related in result.get("relatedLocations", []):
                self.place(run, related)
                self.assertTrue(related["message"]["text"])
        prints = [result["partialFingerprints"]["asynclab/v1"] for result in run["results"]]
        self.assertEqual(len(set(prints)), len(prints))

    def place(self, run, location):
        physical = location["physicalLocation"]
        artifact, region = physical["artifactLocation"], physical["region"]
        base = run["originalUriBaseIds"][artifact["uriBaseId"]]["uri"]
        self.assertTrue(base.startswith("file:///") and base.endswith("/"))
        self.assertRegex(artifact["uri"], r"^[\w.~/%-]+$")
        self.assertFalse(artifact["uri"].startswith("/"))
        lines = Path(unquote(urlparse(base + artifact["uri"]).path)).read_text().splitlines()
        self.assertEqual(region["snippet"]["text"], lines[region["startLine"] - 1])

    def test_finding_with_both_places(self):
        run = self.sarif(HAZARD, RACE)
        (result,) = run["results"]
        (related,) = result["relatedLocations"]
        self.assertEqual((result["ruleId"], result["level"]), ("read-after-write-race", "error"))
        places = [place["physicalLocation"] for place in (result["locations"][0], related)]
        self.assertEqual([place["region"]["startLine"] for place in places], [9, 5])
        self.assertEqual({place["artifactLocation"]["uri"] for place in places}, {RACE})

    def test_correct_program_has_no_result(self):
        run = self.sarif(0, RACE, "--nvcc", "-DCORRECT")
        self.assertEqual((run["results"], run["tool"]["driver"]["rules"]), ([], []))
        self.assertTrue(run["invocations"][0]["executionSuccessful"])

    def test_incomplete_is_no_success(self):
        run = self.sarif(INCOMPLETE, "kernels/discard.cu")
        (note,) = run["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual((run["results"], note["level"], note["descriptor"]["id"]), ([], "error", "incomplete"))
        self.assertIn("discard.global.L2", note["message"]["text"])
        self.assertTrue(self.sarif(0, "kernels/discard.cu", "--nvcc", "-DCORRECT")["invocations"][0]["executionSuccessful"])

    def test_path_with_a_blank(self):
        (result,) = self.sarif(HAZARD, f"kernels/{ODD}")["results"]
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                         "kernels/gr%C3%B6%C3%9Fe%201%2C%2050%25/ein%20kern.cu")

    def test_fingerprints_outlive_other_changes(self):
        def prints(*arguments):
            return [result["partialFingerprints"] for result in self.sarif(HAZARD, *arguments)["results"]]
        before = prints(RACE)
        text = self.read(RACE)
        try:
            (self.root / RACE).write_text("// a comment\n\n" + text)
            self.assertEqual(prints(RACE), before)
            (self.root / RACE).write_text(text.replace("63 - threadIdx.x]", "63 - threadIdx.x] + 1"))
            self.assertNotEqual(prints(RACE), before)
        finally:
            (self.root / RACE).write_text(text)

    def test_consequences_are_with_their_cause(self):
        short, whole = self.sarif(HAZARD, "kernels/follows.cu"), self.sarif(HAZARD, "kernels/follows.cu", "--all")
        self.assertLess(len(short["results"]), len(whole["results"]))
        self.assertIn("probably a consequence", json.dumps(short))
        self.assertNotIn("probably a consequence", json.dumps(whole))

    def test_stdout_has_nothing_else(self):
        for format, read in (("sarif", json.loads), ("junit", ET.fromstring)):
            done = self.lab(0, RACE, "--nvcc", "-DCORRECT", "--format", format)
            read(done.stdout)
            self.assertIn("63", done.stderr)
        self.assertEqual(json.loads(self.lab(0, RACE, "--nvcc", "-DCORRECT", "--json").stdout)["verdict"], "passed")


class JUnit(Repository):
    def suites(self, code, *arguments):
        self.lab(code, *arguments, "--format", "junit:out.xml")
        whole = ET.parse(self.root / "out.xml").getroot()
        for suite in whole:
            for key, tag in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error"), ("skipped", "testcase/skipped")):
                self.assertEqual(int(suite.get(key)), len(suite.findall(tag)), key)
        for key in ("tests", "failures", "errors", "skipped"):
            self.assertEqual(int(whole.get(key)), sum(int(suite.get(key)) for suite in whole))
        return {suite.get("name"): suite for suite in whole}

    def test_one_suite_for_each_program(self):
        suites = self.suites(HAZARD, RACE, "kernels/clean.cu", "kernels/broken.cu", "kernels/discard.cu", "kernels/seven.cu", "--nvcc", "-DX -DY")
        def elements(name, tag):
            return [(test.get("name"), child.get("type")) for test in suites[f"kernels/{name}.cu"] for child in test.findall(tag)]
        self.assertEqual(elements("race", "failure"), [("read-after-write-race at kernels/race.cu:9", "read-after-write-race")])
        self.assertEqual((elements("clean", "failure"), elements("clean", "error")), ([], []))
        self.assertEqual([test.get("name") for test in suites["kernels/clean.cu"]], ["no hazards", "everything was judged"])
        self.assertEqual(elements("broken", "error"), [("the program runs", "compile-error")])
        self.assertEqual(elements("discard", "error"), [("everything was judged", "incomplete")])
        self.assertEqual(len(suites["kernels/discard.cu"]), 1)  # nothing has passed
        self.assertEqual(elements("seven", "failure"), [("the program's exit code", "failed")])
        self.assertIn("values[63 - threadIdx.x]", suites[RACE].find("testcase/failure").text)

    def test_warning_is_no_failure_unless_strict(self):
        self.assertEqual(self.suites(0, "kernels/warns.cu")["kernels/warns.cu"].get("failures"), "0")
        self.assertEqual(self.suites(HAZARD, "kernels/warns.cu", "--strict")["kernels/warns.cu"].get("failures"), "1")


class Several(Repository):
    def test_exit_code_is_the_worst(self):
        clean, broken = "kernels/clean.cu", "kernels/broken.cu"
        for code, files in ((0, [clean, clean]), (HAZARD, [clean, RACE, broken]), (2, [clean, "kernels/discard.cu", broken]),
                            (INCOMPLETE, ["kernels/discard.cu", clean])):
            self.lab(code, *files)

    def test_json_is_a_list(self):
        self.lab(HAZARD, RACE, "kernels/broken.cu", "--json", "out.json")
        race, broken = json.loads(self.read("out.json"))
        self.assertEqual((race["file"], race["verdict"], len(race["findings"])), (RACE, "hazard", 1))
        self.assertEqual((broken["file"], broken["verdict"], broken["exit_code"]), ("kernels/broken.cu", "compile-error", 2))

    def test_several_formats(self):
        done = self.lab(HAZARD, RACE, "--format", "github", "--format", "sarif:a/b.sarif", "--format", "junit:a/b.xml", "--format", "text:a/b.txt")
        self.assertEqual(len(list(commands(done.stdout))), 1)
        self.assertEqual(sorted(path.name for path in (self.root / "a").iterdir()), ["b.sarif", "b.txt", "b.xml"])
        self.assertIn("error: read-after-write-race", self.read("a/b.txt"))

    def test_usage(self):
        for options, text in ((("--format", "yaml"), "there is no format 'yaml'"), (("--format", "sarif:"), "names no file"),
                              (("--format", "sarif", "--format", "junit"), "would both write to stdout"),
                              (("--format", "sarif", "--json"), "would both write to stdout"),
                              (("--format", f"sarif:{TWO}"), "looks like a program"), (("--suppress", "none.toml"), "none.toml"),
                              (("kernels/none.cu",), "there is no file kernels/none.cu")):
            self.assertIn(text, self.lab(2, RACE, *options).stderr)


unittest.main(verbosity=2)
