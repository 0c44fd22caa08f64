# The tests of one of the MPICH suite's lists (testlist or testlist.in), with -v directory=D. For
# each line of it: D/PROGRAM|RANKS|ARGUMENTS|ENVIRONMENT|SECONDS|MEMORY|RESULT|MARK, where SECONDS,
# MEMORY (gigabytes) and RESULT (how it is judged) are empty unless the line says, and MARK names a
# condition of the suite's configure script. Its mark for communicators that overlap is on.
{ sub(/#.*/, "") }
/^[ \t]*@/ {
  mark = $0
  sub(/^[ \t]*@/, "", mark)
  sub(/@.*/, "", mark)
  sub(/^[ \t]*@[a-z0-9_]*@/, "")
  if (mark == "comm_overlap") mark = ""
}
# A line with a mark alone, or with a folder's name, is no test.
NF >= 2 && $2 ~ /^[0-9]+$/ {
  arguments = environment = seconds = memory = result = ""
  for (i = 3; i <= NF; ++i) {
    if (!match($i, /=/)) continue
    key = substr($i, 1, RSTART - 1)
    value = substr($i, RSTART + 1)
    if (key == "arg") arguments = arguments " " value
    if (key == "env") environment = environment " " value
    if (key == "timeLimit") seconds = value
    if (key == "mem") memory = value
    if (key == "resultTest") result = value
  }
  print directory "/" $1 "|" $2 "|" substr(arguments, 2) "|" substr(environment, 2) "|" \
    seconds "|" memory "|" result "|" mark
}
{ mark = "" }
