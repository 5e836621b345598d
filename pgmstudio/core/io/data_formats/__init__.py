"""Table formats, one file each: bytes to a RawTable, and a data set to bytes."""
