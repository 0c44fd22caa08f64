/* ugni_info: what this node's NIC is, what a job may have of it, and the interface's limits. */
#include <gni_pub.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_rows = 64 };

typedef struct {
  const char *group, *name, *text; /* text: null if the row is a number */
  uint64_t number;
} row;

typedef struct {
  row rows[most_rows];
  int count;
  gni_version_info_t version;
} table;

static void add_number(table* to, const char* group, const char* name, uint64_t number) {
  if (to->count < most_rows) to->rows[to->count++] = (row){group, name, NULL, number};
}

static void add_text(table* to, const char* group, const char* name, const char* text) {
  if (to->count < most_rows) to->rows[to->count++] = (row){group, name, text, 0};
}

static int check(gni_return_t code, const char* call) {
  if (code == GNI_RC_SUCCESS) return 1;
  fprintf(stderr, "ugni_info: %s: %s\n", call, gni_err_str[code]);
  return 0;
}

static int add_versions(table* to) {
  if (!check(GNI_GetVersionInformation(&to->version), "GNI_GetVersionInformation")) return 0;
  add_text(to, "version", "library", to->version.ugni_build_string);
  add_text(to, "version", "driver", to->version.kgni_build_string);
  add_number(to, "version", "major", GNI_GET_MAJOR(to->version.ugni_version));
  add_number(to, "version", "minor", GNI_GET_MINOR(to->version.ugni_version));
  add_number(to, "version", "code", GNI_GET_REV(to->version.ugni_version));
  return 1;
}

static const char* name_of(gni_nic_device_t type) {
  return type == GNI_DEVICE_GEMINI ? "Gemini" : type == GNI_DEVICE_ARIES ? "Aries" : "unknown";
}

static int add_device(table* to) {
  int devices = 0;
  uint32_t address = 0, cpu = 0;
  gni_nic_device_t type = GNI_DEVICE_LAST;
  if (!check(GNI_GetNumLocalDevices(&devices), "GNI_GetNumLocalDevices") ||
      !check(GNI_GetDeviceType(&type), "GNI_GetDeviceType") ||
      !check(GNI_CdmGetNicAddress(0, &address, &cpu), "GNI_CdmGetNicAddress")) {
    return 0;
  }
  const char* const ptag = getenv("PMI_GNI_PTAG");
  const char* const cookie = getenv("PMI_GNI_COOKIE");
  add_number(to, "device", "devices", (uint64_t)devices);
  add_text(to, "device", "type", name_of(type));
  add_number(to, "device", "address", address);
  add_number(to, "device", "nearest CPU", cpu);
  if (ptag != NULL) add_text(to, "job", "protection tag", ptag);
  if (cookie != NULL) add_text(to, "job", "cookie", cookie);
  return 1;
}

static int add_resources(table* to) {
  for (int kind = GNI_DEV_RES_FIRST + 1; kind < GNI_DEV_RES_LAST; ++kind) {
    gni_dev_res_desc_t has;
    if (!check(GNI_GetDevResInfo(0, (gni_dev_res_t)kind, &has), "GNI_GetDevResInfo")) return 0;
    if (has.total != 0) {
      add_number(to, "resources", gni_dev_res_to_str((gni_dev_res_t)kind), has.total);
    }
  }
  return 1;
}

static void add_limits(table* to) {
  gni_nic_device_t type = GNI_DEVICE_GEMINI;
  add_number(to, "limits", "datagram bytes", GNI_DATAGRAM_MAXSIZE);
  add_number(to, "limits", "short message bytes", GNI_SMSG_MAX_SIZE);
  add_number(to, "limits", "shared queue message bytes", GNI_MSGQ_MSG_SZ_MAX);
  add_number(to, "limits", "retransmissions", FMA_SMSG_MAX_RETRANS_DEFAULT);
  add_number(to, "limits", "bits of a CQ write", 48);
  add_number(to, "limits", "alignment of a GET", 4);
  if (GNI_GetDeviceType(&type) == GNI_RC_SUCCESS && type == GNI_DEVICE_ARIES) {
    add_number(to, "limits", "children of a CE", GNI_CE_MAX_CHILDREN);
  }
}

static void print_table(const table* from) {
  for (int i = 0; i < from->count; ++i) {
    const row* each = &from->rows[i];
    printf("%-10s  %-26s  ", each->group, each->name);
    if (each->text != NULL) {
      printf("%s\n", each->text);
    } else {
      printf("%llu\n", (unsigned long long)each->number);
    }
  }
}

static void print_json(const table* from) {
  const char* group = "";
  printf("{");
  for (int i = 0; i < from->count; ++i) {
    const row* each = &from->rows[i];
    const int same = strcmp(group, each->group) == 0;
    if (!same) printf("%s\"%s\": {", i == 0 ? "" : "}, ", each->group);
    printf("%s\"%s\": ", same ? ", " : "", each->name);
    if (each->text != NULL) {
      printf("\"%s\"", each->text);
    } else {
      printf("%llu", (unsigned long long)each->number);
    }
    group = each->group;
  }
  printf("}}\n");
}

static void usage(FILE* to) {
  fputs(
      "usage: aprun -n 1 ugni_info [--json]\n\n"
      "Prints what this node's NIC is, what a job may have of it, and the interface's limits.\n",
      to);
}

int main(int argc, char** argv) {
  int json = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--json") == 0) {
      json = 1;
    } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      usage(stdout);
      return 0;
    } else {
      fprintf(stderr, "ugni_info: unknown option '%s'; see --help\n", argv[i]);
      return 2;
    }
  }
  table all = {0};
  if (!add_versions(&all) || !add_device(&all) || !add_resources(&all)) return 1;
  add_limits(&all);
  if (json) {
    print_json(&all);
  } else {
    print_table(&all);
  }
  return 0;
}
