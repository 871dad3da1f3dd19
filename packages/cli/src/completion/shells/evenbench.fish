# Completion of evenbench for fish 3 and newer.

# Where there is no such command, it is that of the checkout that made this file.
if not type -q evenbench
    function evenbench
        @door@ $argv
    end
end

function __evenbench_words
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (@complete@ $words[2..-1] "$current" 2>/dev/null)
    # Files, where nothing is known.
    if test (count $lines) -eq 0
        __fish_complete_path "$current"
    else
        string replace ' ' \t -- $lines
    end
end

complete -c evenbench -f -a '(__evenbench_words)'
