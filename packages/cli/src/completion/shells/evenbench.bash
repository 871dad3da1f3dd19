# Completion of evenbench for bash 3.2 and newer.

# Where there is no such command, it is that of the checkout that made this file.
type evenbench >/dev/null 2>&1 || evenbench() { @door@ "$@"; }

_evenbench() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%% *}")
  done < <(@complete@ "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

# Files, where nothing is known.
complete -o default -F _evenbench evenbench
