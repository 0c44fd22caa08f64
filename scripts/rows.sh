# Tables of named columns, printed as aligned text, as CSV or as JSON, as `format` says. Brings
# options.sh along.
#
#   begin_tables                        only in a script that prints several tables
#   begin_table NAME TITLE COLUMN ...   a TITLE is for people and may be empty
#   table_row CELL ...                  cells left out are empty
#   table_remark REMARK CELL ...        a row's first cells, and why there are no more; the last column
#                                       must be remark|-0
#   end_table
#   end_tables
#   remark TEXT                         a line that is in no table
#
# A COLUMN is NAME|WIDTH|HEADING|UNIT|DECIMALS. WIDTH is printf's: numbers are on the right, with a minus sign
# it is a column of text, on the left; - and + alone are as wide as the widest cell, and such a table
# appears when it is complete; the text leaves a column of width 0 out. Text has the HEADING (NAME if
# it is empty) with the UNIT in parentheses; \n in it begins a second line. It rounds numbers to so many
# DECIMALS, if they are given; CSV and JSON have them as they come. An empty cell of a number is - in
# the text and null in JSON.
#
# CSV: each table begins with its header line, and an empty line stands between two of them, so that
# they are paragraphs (RS='' in awk). JSON: a table is an array of objects, several are an object with
# an array for each NAME. Titles, remarks and progress then go to standard error.
# shellcheck shell=bash disable=SC2154

# shellcheck source=scripts/options.sh
. "${BASH_SOURCE[0]%/*}/options.sh"

tables_begun='' tables_printed=0

remark() {
  progress
  if [ "$format" = table ]; then printf '%s\n' "$*"; else printf '%s\n' "$*" >&2; fi
}

begin_tables() {
  tables_begun=yes
  [ "$format" != json ] || printf '{'
}

end_tables() {
  tables_begun=''
  [ "$format" != json ] || printf '\n}\n'
}

begin_table() {
  local column name width heading unit decimals
  table_name=$1 table_rows=0 table_held=() table_computed=''
  table_names=() table_widths=() table_texts=() table_headings=() table_decimals=()
  for column in "${@:3}"; do
    IFS='|' read -r name width heading unit decimals <<<"$column"
    table_names+=("$name")
    table_headings+=("${heading:-$name}${unit:+($unit)}")
    table_decimals+=("$decimals")
    case $width in -*) table_texts+=(yes) ;; *) table_texts+=('') ;; esac
    width=${width#[-+]}
    [ -n "$width" ] || table_computed=yes
    table_widths+=("$width")
  done
  if [ "$format" = json ]; then json_begin; elif [ "$tables_printed" -gt 0 ]; then echo; fi
  tables_printed=$((tables_printed + 1))
  [ -z "$2" ] || remark "$2"
  case $format in
    csv) csv_line "${table_names[@]}" ;;
    table) [ -n "$table_computed" ] || text_headings ;;
  esac
}

table_row() {
  local cells=("$@")
  [ $# -le ${#table_names[@]} ] || die "table $table_name: $# cells for ${#table_names[@]} columns"
  while [ ${#cells[@]} -lt ${#table_names[@]} ]; do cells+=(''); done
  progress
  case $format in
    csv) csv_line "${cells[@]}" ;;
    json) json_row "${cells[@]}" ;;
    table)
      round_cells
      text_row '' "${cells[@]}"
      ;;
  esac
  table_rows=$((table_rows + 1))
}

table_remark() {
  local cells=("${@:2}") last=$((${#table_names[@]} - 1))
  [ "${table_names[last]}" = remark ] || die "table $table_name: its last column is not remark"
  if [ "$format" = table ]; then
    progress
    round_cells
    text_row "$1" "${cells[@]}"
    return
  fi
  while [ ${#cells[@]} -lt "$last" ]; do cells+=(''); done
  table_row "${cells[@]}" "$1"
}

end_table() {
  case $format in
    json)
      [ "$table_rows" -eq 0 ] || printf '\n'
      printf ']'
      [ -n "$tables_begun" ] || printf '\n'
      ;;
    table) [ -z "$table_computed" ] || text_held ;;
  esac
}

# round_cells: those of cells that are numbers, where decimals are said.
round_cells() {
  local i
  for ((i = 0; i < ${#cells[@]}; ++i)); do
    if [[ ${table_decimals[i]} && ${cells[i]} =~ ^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$ ]]; then
      printf -v "cells[$i]" %.*f "${table_decimals[i]}" "${cells[i]}"
    fi
  done
}

# text_line REMARK CELL ...: a line of the text.
text_line() {
  local said=$1 i line='' cell
  shift
  for ((i = 0; i < $#; ++i)); do
    cell=${*:i+1:1}
    [ "${table_widths[i]}" != 0 ] || continue
    if [ -n "${table_texts[i]}" ]; then
      printf -v cell '%-*s' "${table_widths[i]}" "$cell"
    else
      printf -v cell '%*s' "${table_widths[i]}" "${cell:--}"
    fi
    line+="$cell "
  done
  line+=$said
  printf '%s\n' "${line%"${line##*[! ]}"}"
}

# text_row REMARK CELL ...: at once, or at the end, when the widths are known.
text_row() {
  if [ -z "$table_computed" ]; then text_line "$@"; else table_held+=($# "$@"); fi
}

# text_headings: in two lines if one of them has two.
text_headings() {
  local i upper=() lower=() two=''
  for ((i = 0; i < ${#table_names[@]}; ++i)); do
    case ${table_headings[i]} in
      *'\n'*)
        upper+=("${table_headings[i]%%'\n'*}")
        two=yes
        ;;
      *) upper+=(' ') ;;
    esac
    lower+=("${table_headings[i]#*'\n'}")
  done
  [ -z "$two" ] || text_line '' "${upper[@]}"
  text_line '' "${lower[@]}"
}

# text_held: the table whose widths its cells decide.
text_held() {
  local i at cells part computed=()
  for ((i = 0; i < ${#table_names[@]}; ++i)); do
    [ -z "${table_widths[i]}" ] || continue
    computed+=("$i")
    table_widths[i]=1
    for part in "${table_headings[i]%%'\n'*}" "${table_headings[i]#*'\n'}"; do
      [ ${#part} -le "${table_widths[i]}" ] || table_widths[i]=${#part}
    done
  done
  for ((at = 0; at < ${#table_held[@]}; at += table_held[at] + 1)); do
    cells=("${table_held[@]:at+2:table_held[at]-1}")
    for i in "${computed[@]}"; do
      part=${cells[i]:-}
      [ ${#part} -le "${table_widths[i]}" ] || table_widths[i]=${#part}
    done
  done
  text_headings
  for ((at = 0; at < ${#table_held[@]}; at += table_held[at] + 1)); do
    text_line "${table_held[@]:at+1:table_held[at]}"
  done
}

# csv_line CELL...: a cell is quoted if it must be.
csv_line() {
  local cell line='' comma=''
  for cell in "$@"; do
    case $cell in *[,\"$'\n\r']*) cell=\"${cell//\"/\"\"}\" ;; esac
    line+=$comma$cell
    comma=,
  done
  printf '%s\n' "$line"
}

# json_text TEXT: sets json to it as a string.
json_text() {
  local code character escape
  json=${1//\\/\\\\}
  json=${json//\"/\\\"}
  if [[ $json == *[[:cntrl:]]* ]]; then
    for code in {1..31}; do
      printf -v escape '\\u%04x' "$code"
      printf -v character '\\x%02x' "$code"
      printf -v character %b "$character"
      json=${json//"$character"/"$escape"}
    done
  fi
  json=\"$json\"
}

# json_number TEXT: sets json to it as a number; what is none stays a string.
json_number() {
  json=${1#+}
  [[ ! $json =~ ^-?\. ]] || json=${json/./0.}
  case $json in '' | -) json=null ;; esac
  [[ $json =~ ^(null|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?)$ ]] || json_text "$1"
}

json_begin() {
  if [ -n "$tables_begun" ]; then
    [ "$tables_printed" -eq 0 ] || printf ','
    json_text "$table_name"
    printf '\n%s: ' "$json"
  fi
  printf '['
}

json_row() {
  local i cell json object=''
  for ((i = 0; i < $#; ++i)); do
    cell=${*:i+1:1}
    json_text "${table_names[i]}"
    object+=${object:+, }$json
    if [ -n "${table_texts[i]}" ]; then json_text "$cell"; else json_number "$cell"; fi
    object+=": $json"
  done
  [ "$table_rows" -eq 0 ] || printf ','
  printf '\n {%s}' "$object"
}
