import type { ClientTerms } from "./playable.ts";

/** What k6 is started with, wherever that is; the log is its standard error. */
export const K6_ARGUMENTS = ["run", "--quiet", "--log-format=raw", "--address="];

/** Variables of a client on a machine of its own. */
export function clientEnvironment(vantage: string): Readonly<Record<string, string>> {
  return {
    EVENBENCH_VANTAGE: vantage,
    // HTTP/1.1, as runs from one machine have it: the script cannot ask for it.
    GODEBUG: "http2client=0",
    K6_NO_USAGE_REPORT: "true",
  };
}

/** A client on another machine. `script` and `log` are files in the home folder there. */
export interface RemoteClient {
  readonly vantage: string;
  readonly script: string;
  readonly log: string;
  readonly terms: ClientTerms;
}

/**
 * What the shell of another machine runs. The token comes by standard input, so that no list of processes
 * shows it; the log is fetched afterwards, to keep the network to what is measured.
 */
export function remoteCommand({ vantage, script, log, terms }: RemoteClient): string {
  const variables = Object.entries({ ...clientEnvironment(vantage), ...terms.env }).map(
    ([name, value]) => `${name}=${quoted(value)}`,
  );
  const k6 = [...K6_ARGUMENTS, ...(terms.args ?? []), script].map(quoted).join(" ");
  return [
    "IFS= read -r EVENBENCH_TOKEN",
    "export EVENBENCH_TOKEN",
    `export ${variables.join(" ")}`,
    "exec 3<&0",
    `"\${K6:-k6}" ${k6} >/dev/null 2>${quoted(log)} & k6=$!`,
    `(cat <&3 >/dev/null; kill "$k6" 2>/dev/null) & watch=$!`,
    `wait "$k6"; code=$?`,
    `kill "$watch" 2>/dev/null`,
    "exit $code",
  ].join("\n");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
