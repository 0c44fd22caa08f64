// The sample package's library, which each of its programs calls.
int ranks_wanted(void) { return 2; }
