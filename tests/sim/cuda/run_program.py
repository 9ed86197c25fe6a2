"""Runs a test program and compares it with what its source says.

In the source: "// expect: TEXT" must occur in the program's output; "// exit: N" (or a signal's name) is its status, 0 if
not given; unless the source expects one, the output must hold no finding ("// any-finding" allows any).
"""
import re
import signal
import subprocess
import sys

source, *command = sys.argv[1:]
text = open(source).read()
expected = re.findall(r'^// expect: (.*)$', text, re.M)
status = (re.findall(r'^// exit: (\w+)$', text, re.M) or ['0'])[0]
wanted = -signal.Signals[status] if status.startswith('SIG') else int(status)

ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
output = ran.stdout + ran.stderr
problems = [f'missing: {line}' for line in expected if line not in output]
if ran.returncode != wanted:
    problems.append(f'status {ran.returncode}, not {wanted}')
if '// any-finding' not in text and not any('[' in line for line in expected):
    problems += [f'unexpected: {line}' for line in output.splitlines() if re.match(r'asynclab: (error|warning|note) \[', line)]
if problems:
    sys.exit('\n'.join(problems) + '\n--- output\n' + output)
