"""Builds dist/: the wheel, the source distribution, and the bundle, a folder that needs no Python.

./run package            all of them
./run package --no-bundle   only wheel and source distribution
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
BUNDLE = "resources/packaging/bundle.spec"


def run(*words: str) -> None:
    done = subprocess.run([sys.executable, *words], cwd=ROOT)
    if done.returncode != 0:
        sys.exit(done.returncode)


def build_distributions() -> None:
    """The wheel and the source distribution, by the tools of this environment."""
    quiet = ("--quiet", "--disable-pip-version-check")
    run("-m", "pip", "wheel", *quiet, "--no-deps", "--no-build-isolation", "-w", str(DIST), ".")
    quietly = {"--global-option": ["--quiet"]}
    run("-c", f"from setuptools import build_meta; build_meta.build_sdist('dist', {quietly})")


def build_bundle() -> None:
    """dist/pgmstudio/pgmstudio starts the window, and with words the command line."""
    options = ("--noconfirm", "--log-level", "WARN", "--distpath", str(DIST))
    run("-m", "PyInstaller", *options, "--workpath", "build/bundle", BUNDLE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-bundle", action="store_true", help="leave out the bundle")
    args = parser.parse_args()
    for folder in (ROOT / "build", DIST):
        shutil.rmtree(folder, ignore_errors=True)
    build_distributions()
    if not args.no_bundle:
        build_bundle()
    for path in sorted(DIST.iterdir()):
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
