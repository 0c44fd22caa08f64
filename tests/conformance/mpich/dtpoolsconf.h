/* What MPICH's library of datatypes for tests would learn from a configure script; it includes this
   file as ../dtpoolsconf.h. */
#ifndef CASTOR_TESTS_DTPOOLSCONF_H
#define CASTOR_TESTS_DTPOOLSCONF_H

#define HAVE_INTTYPES_H 1
#define HAVE_LIMITS_H 1
#define HAVE_MEMSET 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRDUP 1
#define HAVE_STRING_H 1

#endif
