/* Calls a function that no library has. */
void function_nobody_has(void);

int main(void) {
  function_nobody_has();
  return 0;
}
