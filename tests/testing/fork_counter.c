// SPDX-License-Identifier: MIT
// Preloaded by a test: writes one byte to $FORK_COUNTER_FILE for every child this program starts, then steps aside.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void count(void) {
  const char* file = getenv("FORK_COUNTER_FILE");
  int fd = file ? open(file, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
  if (fd < 0) return;
  if (write(fd, ".", 1) != 1) abort();
  close(fd);
}

pid_t fork(void) {
  count();
  return ((pid_t(*)(void))dlsym(RTLD_NEXT, "fork"))();
}

// vfork cannot be wrapped; a fork does the same for programs that keep to its rules.
pid_t vfork(void) { return fork(); }
