/* A library that uses OpenMP. */
int openmp_sum(int n) {
  int sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}
