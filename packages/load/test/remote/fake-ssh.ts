import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What stands in for ssh and scp: other machines are folders of this one. */
export interface FakeSsh {
  readonly home: string;
  calls(): Promise<readonly { readonly program: string; readonly args: readonly string[] }[]>;
}

/**
 * Notes its words, a line each, with an empty line after a call; none of ours has a line break but the
 * remote command.
 */
const NOTE = `printf '%s\\0' "$(basename "$0")" "$@" >>"$CALLS"; printf '\\n\\0' >>"$CALLS"`;

/**
 * Runs the last word in the shell over there, as sshd does: with what the other machine has, and nothing
 * of what ssh was started with.
 */
const SSH = `#!/bin/sh
${NOTE}
for command; do :; done
cd "$REMOTE_HOME" && exec env -i PATH="$REMOTE_PATH" HOME="$REMOTE_HOME" K6="$REMOTE_K6" sh -c "$command"
`;

const SCP = `#!/bin/sh
${NOTE}
for to; do from=$before; before=$to; done
there() { case "$1" in *:*) printf '%s/%s' "$REMOTE_HOME" "\${1#*:}";; *) printf '%s' "$1";; esac; }
cp "$(there "$from")" "$(there "$to")"
`;

/** Writes both programs into a folder, and gives this process's children what they need by `stub`. */
export async function useFakeSsh(
  folder: string,
  k6: string,
  stub: (name: string, value: string) => void,
): Promise<FakeSsh> {
  const [bin, home, calls] = [join(folder, "bin"), join(folder, "home"), join(folder, "calls")];
  await mkdir(bin);
  await mkdir(home);
  for (const [name, text] of [
    ["ssh", SSH],
    ["scp", SCP],
  ] as const) {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }
  const path = process.env.PATH ?? "";
  const variables = {
    CALLS: calls,
    REMOTE_HOME: home,
    REMOTE_PATH: path,
    REMOTE_K6: k6,
    PATH: `${bin}:${path}`,
  };
  for (const [name, value] of Object.entries(variables)) stub(name, value);
  return {
    home,
    async calls() {
      const noted = await readFile(calls, "utf8");
      return noted
        .split("\0\n\0")
        .filter((call) => call !== "")
        .map((call) => call.split("\0"))
        .map(([program = "", ...args]) => ({ program, args }));
    },
  };
}
