"""The command `asynclab`: everything that ./lab does in a clone, and `asynclab mcp`."""

import os
import sys

from asynclab import installation


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["mcp"]:
        from asynclab import mcp_server

        return mcp_server.main(arguments[1:])
    if installation.INSTALLED.exists() and arguments[:1] == ["--version"]:
        from importlib.metadata import version

        print("asynclab", version("asynclab"))
        return 0
    if installation.INSTALLED.exists() and arguments == ["docs"]:
        print(f"The pages are Markdown files in {installation.INSTALLED / 'docs'}; README.md lists them. Where they say ./lab, type asynclab.")
        return 0
    if installation.INSTALLED.exists() and arguments[:1] in (["test"], ["clean"], ["docs"]):
        print(f"asynclab: error: '{arguments[0]}' works in a clone, and this is an installed package\n"
              "     next: clone the repository and run ./lab there", file=sys.stderr)
        return 2
    command = installation.command()
    os.execve(command[0], [*command, *arguments], {**os.environ, **installation.environment()})


if __name__ == "__main__":
    sys.exit(main())
