"""What the bundle starts: the program, or a module of it in a process of its own (`-m MODULE`)."""

import multiprocessing
import runpy
import sys

if __name__ == "__main__":
    multiprocessing.freeze_support()  # child processes of learners end here
    if sys.argv[1:2] == ["-m"]:  # as `python -m`, which a bundle has not
        del sys.argv[:2]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        from pgmstudio.__main__ import main

        sys.exit(main())
