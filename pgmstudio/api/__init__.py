"""The public Python API: thin, typed functions over the core, re-exported by `pgmstudio`."""
