/* A tool's library that stands before uGNI: it counts the posts of a program, and says how many
   there were when a communication domain goes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gni_pub.h>
#include <stdio.h>

static int posts = 0;

gni_return_t GNI_PostFma(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr) {
  gni_return_t (*const real)(gni_ep_handle_t, gni_post_descriptor_t*) =
      (gni_return_t(*)(gni_ep_handle_t, gni_post_descriptor_t*))dlsym(RTLD_NEXT, "GNI_PostFma");
  ++posts;
  return real(ep_hndl, post_descr);
}

gni_return_t GNI_CdmDestroy(gni_cdm_handle_t cdm_hndl) {
  gni_return_t (*const real)(gni_cdm_handle_t) =
      (gni_return_t(*)(gni_cdm_handle_t))dlsym(RTLD_NEXT, "GNI_CdmDestroy");
  printf("posts: %d\n", posts);
  return real(cdm_hndl);
}
