/* A library that another library needs. */
static int count;

int inner_count(void) { return ++count; }
