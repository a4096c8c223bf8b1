"""The command line: a thin way in, whose help and completion load none of the heavy parts."""
