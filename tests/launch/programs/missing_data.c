/* Refers to data that its library has no more. */
extern int shrunk_data[4];

int main(void) { return shrunk_data[2]; }
