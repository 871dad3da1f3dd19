# Completion of evenbench for zsh, after compinit.

# Where there is no such command, it is that of the checkout that made this file.
(( $+commands[evenbench] + $+functions[evenbench] + $+aliases[evenbench] )) || evenbench() { @door@ "$@" }

_evenbench() {
  local -a lines
  lines=("${(@f)$(@complete@ "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  lines=("${(@)lines%% *}")
  # Files, where nothing is known.
  if [[ -n "$lines[1]" ]]; then compadd -- "${(@)lines}"; else _files; fi
}

compdef _evenbench evenbench
