# The test programs of a package that is built with automake: reads a Makefile.am and prints, for
# each program of check_PROGRAMS and noinst_PROGRAMS, its path, its own definitions (or -) and its
# sources, all relative to the Makefile.am. Sources named by a variable are left to the caller.
function canonical(path) { gsub(/[^A-Za-z0-9_@]/, "_", path); return path }
{
  line = line $0
  if (sub(/\\$/, " ", line)) next
  sub(/#.*/, "", line)
  if (match(line, /^[A-Za-z0-9_@]+ *\+?= */)) {
    name = substr(line, 1, RLENGTH)
    sub(/ *\+?= *$/, "", name)
    value[name] = value[name] " " substr(line, RLENGTH + 1)
  }
  line = ""
}
END {
  extension = value["AM_DEFAULT_SOURCE_EXT"]
  gsub(/ /, "", extension)
  if (extension == "") extension = ".c"
  count = split(value["check_PROGRAMS"] " " value["noinst_PROGRAMS"], programs, " ")
  for (i = 1; i <= count; ++i) {
    path = programs[i]
    if (path ~ /[$]/ || seen[path]++) continue
    key = canonical(path)
    definitions = ""
    total = split(value[key "_CPPFLAGS"], words, " ")
    for (k = 1; k <= total; ++k) if (words[k] ~ /^-D/) definitions = definitions " " words[k]
    sources = ""
    total = split(value[key "_SOURCES"] " " value["nodist_" key "_SOURCES"], words, " ")
    for (k = 1; k <= total; ++k) if (words[k] !~ /[$]|\.f?h$/) sources = sources " " words[k]
    if (sources == "") sources = " " path extension
    sub(/^ /, "", definitions)
    print path "|" (definitions == "" ? "-" : definitions) "|" substr(sources, 2)
  }
}
