//! Conformance, faults, I/O counts and the command line, from the outside; no window needed.
