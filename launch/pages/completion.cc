// bash's completion of the launchers' command lines, made from their tables of options.
#include "launch/pages/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "corespec/config/parameters.h"
#include "launch/description/option_table.h"
#include "launch/rtr/rtr_options.h"

namespace launch {
namespace {

/// As mpiexec takes them: long names with one dash or two.
std::vector<std::string> spellings(Launcher launcher, const std::string& name) {
  if (launcher == Launcher::aprun || name.size() == 2) return {name};
  const std::string bare = name.substr(name.find_first_not_of('-'));
  return {"-" + bare, "--" + bare};
}

/// What of files its value may be: $kind.
std::string_view kind_of(const Option& option) {
  if (option.values == "FOLDER") return "folders";
  return option.values == "NODE" ? "files" : "";
}

/// The branches of `case` in which an option's name sets $left (values), $offered and $kind.
std::string option_cases(Launcher launcher) {
  std::string text;
  for (const Option& option : options_of(launcher)) {
    if (values_of(option) == 0) continue;
    std::string patterns;
    for (const std::string& name : names_of(option.names)) {
      for (const std::string& spelling : spellings(launcher, name)) {
        patterns += (patterns.empty() ? "" : " | ") + spelling;
      }
    }
    std::string words(option.words);
    std::replace(words.begin(), words.end(), '|', '\n');
    text += fmt::format("        {}) left={} offered='{}' kind={} ;;\n", patterns,
                        values_of(option), words, kind_of(option));
  }
  return text;
}

std::string option_names(Launcher launcher) {
  std::string text;
  for (const Option& option : options_of(launcher)) {
    for (const std::string& name : names_of(option.names)) {
      text += (text.empty() ? "" : "\n") + name;
    }
  }
  return text;
}

std::string variable_names() {
  std::string text;
  for (const corespec::ParameterInfo& row : corespec::describe(corespec::Parameters())) {
    text += (text.empty() ? "" : "\n") + row.env;
  }
  return text;
}

/// The frame; {0} and {1}: names of options of aprun and of mpiexec, {2} and {3}: their cases, {4}:
/// variables. bash takes "=" for a word of its own, so --clock=live comes as three. What is offered
/// stands a line each: files have blanks in their names.
constexpr std::string_view frame =
    R"(# Completion of aprun, mpiexec and mpirun for bash, made from the tables of their options. In zsh:
# autoload -U bashcompinit; bashcompinit; then source this file.
# shellcheck shell=bash disable=SC2207 # zsh has no mapfile

# Of an option that has values: how many (left), words to offer, and whether files are (kind).
_castor_option() {{
  left=0 offered='' kind=''
  case $1 in
    mpiexec | mpirun)
      case $2 in
{3}      esac
      ;;
    *)
      case $2 in
{2}      esac
      ;;
  esac
}}

_castor_launcher() {{
  local launcher=${{COMP_WORDS[0]##*/}} current=${{COMP_WORDS[COMP_CWORD]}}
  local left=0 offered='' kind='' stage=options word names at=1 IFS=$'\n'
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word=${{COMP_WORDS[at]}}
    at=$((at + 1))
    if [ "$word" = = ]; then
      [ "$left" -gt 0 ] || at=$((at + 1))  # the rest of NAME=VALUE
      continue
    fi
    if [ "$left" -gt 0 ]; then
      left=$((left - 1))
      continue
    fi
    case $stage:$word in
      options:--) stage=program ;;
      options:--env-help) stage=variables ;;
      options:-*) _castor_option "$launcher" "$word" ;;
      options:* | program:*) stage=arguments ;;
    esac
  done
  COMPREPLY=()
  [ "$at" -eq "$COMP_CWORD" ] || return 0  # behind the = of NAME=VALUE
  if [ "$current" = = ]; then
    [ "$left" -gt 0 ] || return 0
    current=''
  fi
  if [ "$left" -gt 0 ]; then
    names=$offered
    [ "$kind" != files ] || COMPREPLY=($(compgen -f -- "$current"))
    [ "$kind" != folders ] || COMPREPLY=($(compgen -d -- "$current"))
    [ -z "$kind" ] || compopt -o filenames 2>/dev/null
  else
    case $stage:$current in
      options:-*)
        case $launcher in
          mpiexec | mpirun) names='{1}' ;;
          *) names='{0}' ;;
        esac
        ;;
      variables:*) names='{4}' ;;
      arguments:*)
        COMPREPLY=($(compgen -f -- "$current"))
        compopt -o filenames 2>/dev/null
        return 0
        ;;
      *)
        COMPREPLY=($(compgen -f -- "$current"))
        case $current in
          */*) ;;
          *) COMPREPLY=("${{COMPREPLY[@]}}" $(compgen -c -- "$current")) ;;
        esac
        compopt -o filenames 2>/dev/null
        return 0
        ;;
    esac
  fi
  COMPREPLY=("${{COMPREPLY[@]}}" $(compgen -W "$names" -- "$current"))
}}

complete -F _castor_launcher aprun mpiexec mpirun
)";

/// {0}: names of options, {1}: cases of those with a value.
constexpr std::string_view rtr_frame =
    R"(# Completion of rtr for bash, made from the table of its options.
# shellcheck shell=bash disable=SC2207 # zsh has no mapfile

_castor_rtr() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} names='{0}'
  if [ "$current" = = ]; then
    current=''
  elif [ "$before" = = ]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  case $before in
{1}  esac
  COMPREPLY=($(compgen -W "$names" -- "$current"))
}}

complete -F _castor_rtr rtr
)";

}  // namespace

std::string completion_script() {
  return fmt::format(frame, option_names(Launcher::aprun), option_names(Launcher::mpiexec),
                     option_cases(Launcher::aprun), option_cases(Launcher::mpiexec),
                     variable_names());
}

std::string rtr_completion_script() {
  std::string names, cases;
  for (const RtrOption& row : rtr_options()) {
    for (const std::string& name : names_of(row.names)) {
      names += (names.empty() ? "" : " ") + name;
      if (row.values.empty()) continue;
      std::string words(row.words);
      std::replace(words.begin(), words.end(), '|', ' ');
      cases += fmt::format("    {}) names='{}' ;;\n", name, words);
    }
  }
  return fmt::format(rtr_frame, names, cases);
}

}  // namespace launch
