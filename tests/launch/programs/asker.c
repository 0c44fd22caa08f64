/* A library that refers to what no library has: calls, addresses (POINTERS), a weak reference. */
int function_nobody_has(int value);
int weak_function_nobody_has(void) __attribute__((weak));

int ask(void) { return function_nobody_has(1); }
int ask_weakly(void) { return weak_function_nobody_has != 0 ? weak_function_nobody_has() : 7; }

#ifdef POINTERS
int pointed_nobody_has(void);
int something_nobody_has(void);
static int (*const table[])(void) = {pointed_nobody_has, something_nobody_has};
static int (*const* volatile pointers)(void) = table;

int ask_by_pointer(void) { return pointers[0](); }
int ask_to_read(void) { return *(const volatile char*)pointers[1]; }
#endif
