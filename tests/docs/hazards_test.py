"""docs/hazards.md and docs/zh/hazards.md list what the rules' records and common/sim/rules/zh.toml say.
ASYNCLAB_BLESS=1 ./lab test hazards-page   writes both anew."""

import hashlib
import json
import os
import re
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = sys.argv.pop(1)
sys.path[:0] = [str(ROOT / "common/setup"), str(ROOT / "tests")]
import hazards_site  # noqa: E402
import versions  # noqa: E402

TRANSLATED = ROOT / "common/sim/rules/zh.toml"
def digest(rule):
    return hashlib.sha256(json.dumps([rule[part] for part in ("title", "why", "remedy")]).encode()).hexdigest()[:16]


class HazardsPage(unittest.TestCase):
    def compare(self, path, text):
        if os.environ.get("ASYNCLAB_BLESS"):
            path.write_text(text)
        self.assertEqual(path.read_text() if path.exists() else "", text, "ASYNCLAB_BLESS=1 ./lab test hazards-page")

    def test_they_list_all_rules(self):
        english = hazards_site.listed(hazards_site.rules("", RUNNER), "")
        self.compare(hazards_site.PAGES[""], english)
        mark = f"<!-- follows docs/hazards.md {hashlib.sha256(english.encode()).hexdigest()[:16]} -->\n"
        self.compare(hazards_site.PAGES["zh"], mark + hazards_site.listed(hazards_site.rules("zh", RUNNER), "zh"))

    def test_the_site_shows_the_whole_of_each_rule(self):
        for language in hazards_site.PAGES:
            rules = hazards_site.rules(language, RUNNER)
            page = hazards_site.whole(rules, language)
            for rule in rules:
                with self.subTest(f"{rule['name']} {language}"):
                    self.assertIn(f"\n### {rule['name']}\n", page)
                    for part in ("title", "why", "remedy", "wrong", "changes", "manual"):
                        self.assertIn(rule[part].rstrip(), page)

    def test_the_changes_are_in_the_notation_of_versions(self):
        with tempfile.NamedTemporaryFile("w+") as file:
            for rule in hazards_site.rules("", RUNNER):
                file.seek(0)
                file.truncate()
                file.write(f"== right\n\n{rule['changes']}")
                file.flush()
                with self.subTest(rule["name"]):
                    self.assertEqual(versions.read(file.name)["right"].applied(rule["wrong"]), rule["right"])

    def test_each_rule_is_explained_in_chinese(self):
        text = TRANSLATED.read_text()
        entries = tomllib.loads(text)
        rules = {rule["name"]: rule for rule in hazards_site.rules("", RUNNER)}
        self.assertEqual(set(rules), set(entries))
        for name, entry in entries.items():
            if "follows" not in entry and os.environ.get("ASYNCLAB_BLESS"):
                text = re.sub(rf"^\[{name}\]\n", f'[{name}]\nfollows = "{digest(rules[name])}"\n', text, flags=re.M)
                entry["follows"] = digest(rules[name])
            with self.subTest(name):
                self.assertTrue(entry["title"] and entry["why"] and bool(entry["remedy"]) == bool(rules[name]["remedy"]))
                self.assertEqual(entry.get("follows"), digest(rules[name]), "the English texts have changed: the head of zh.toml says what to do")
        if os.environ.get("ASYNCLAB_BLESS"):
            TRANSLATED.write_text(text)


unittest.main()
