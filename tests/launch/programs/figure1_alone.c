/* S0's figure 1 in a program that has not heard of jobs. */
void figure1(void);

int main(void) {
  figure1();
  return 0;
}
