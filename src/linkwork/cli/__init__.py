"""The command line: a verb a file. Each declares its arguments (`add`) and does its work (`run`, which returns the exit code) by public names.

exit codes: 0 all went well, 1 a fault in the run or in what was read, 2 wrong usage: an option, a missing file, an output that cannot be written.
Results go to stdout, messages to stderr; with --json stdout holds one JSON object and nothing else.
"""
