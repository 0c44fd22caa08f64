// A library that accepts and makes connections: stands in for libfabric. Built without stubs for
// its calls (-fno-plt).
#include <stddef.h>
#include <sys/socket.h>

int accepts(int listener) { return accept(listener, NULL, NULL); }

int connects(int socket, const struct sockaddr* to, socklen_t size) {
  return connect(socket, to, size);
}
