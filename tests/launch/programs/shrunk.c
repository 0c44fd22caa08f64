/* A library that once had more (WHOLE): functions and data, all of one version. One is now of
   another version, so another function. */
int shrunk_kept(void) { return 5; }
int shrunk_moved(void) { return 8; }

#ifdef WHOLE
int shrunk_function(void) { return 6; }
int shrunk_pointed(void) { return 7; }
int shrunk_data[4] = {1, 2, 3, 4};
#endif
