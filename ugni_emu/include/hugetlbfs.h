/* Memory in huge pages, as libhugetlbfs gives it. Link with -lhugetlbfs. */
/*
 * Where the host has no huge page free, ordinary pages take their place unless GHR_STRICT says
 * otherwise; addresses and lengths are those of huge pages either way.
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The default size of a huge page in bytes. -1 with errno ENOSYS: the host has none. */
long gethugepagesize(void);
/* The sizes of huge pages, or of all pages, that the host has, in ascending order: at most
   `n_elem` of them are written. Returns how many are written or, with a null pointer and 0, how
   many there are. -1 with errno EINVAL: a negative number, or a null pointer with another. */
int gethugepagesizes(long pagesizes[], int n_elem);
int getpagesizes(long pagesizes[], int n_elem);

typedef unsigned long ghp_t;
#define GHP_DEFAULT ((ghp_t)0x01UL)
/* `len` bytes, a multiple of gethugepagesize(), in huge pages alone; null with errno otherwise. */
void* get_huge_pages(size_t len, ghp_t flags);
void free_huge_pages(void* ptr);

typedef unsigned long ghr_t;
#define GHR_STRICT ((ghr_t)0x10UL)   /* huge pages, or null */
#define GHR_FALLBACK ((ghr_t)0x20UL) /* ordinary pages if there are no huge ones */
#define GHR_COLOR ((ghr_t)0x40UL)    /* the start may lie off a huge page's: without effect */
#define GHR_DEFAULT (GHR_FALLBACK | GHR_COLOR)
/* Any length from 1. */
void* get_hugepage_region(size_t len, ghr_t flags);
void free_hugepage_region(void* ptr);

#ifdef __cplusplus
} /* extern "C" */
#endif
