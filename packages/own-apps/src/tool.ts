import { appendFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { ProgramError, quotedLines } from "@evenbench/core";
import { linesOfLog, runProgram, toolEnvironment } from "@evenbench/host";
import { searchLimits } from "./above.ts";
import type { Place } from "./install.ts";

/** Number of first lines that an error quotes: package managers say the reason there, and then how they are used. */
const FIRST_LINES = 8;
/** Number of last lines that it quotes: enough for an error of a bundler with the line that it points at. */
const LAST_LINES = 17;

/** Options of a tool that is run in the private copy. */
export interface ToolOptions {
  /** The copy, whose commands are in the tool's PATH. */
  readonly place: Place;
  /** The folder that it works in. */
  readonly cwd: string;
  /** Variables that the user named, and those of the step. */
  readonly env: Readonly<Record<string, string>>;
  /** What the app's files want and the tool does not get, each in words. */
  readonly unmet: readonly string[];
  /** The file that its output is added to. */
  readonly logFile: string;
  /** Ends it when it aborts. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs a tool of a build to its end, by the Node.js of Evenbench, with the copy's commands in its PATH.
 *
 * @throws {ProgramError} with the tool's last lines, and where all of them are.
 */
export async function runTool(
  name: string,
  command: readonly [file: string, ...args: string[]],
  { place, cwd, env, unmet, logFile, signal }: ToolOptions,
): Promise<void> {
  const { failure, code, output } = await runProgram({
    command,
    cwd,
    env: toolEnvironment({
      ...FOR_BUILDS,
      ...searchLimits(place),
      ...env,
      PATH: pathFor(place),
    }),
    signal,
  });
  await appendFile(logFile, `$ ${name}\n${output}\n`);
  if (failure === null) {
    return;
  }
  const lines = headAndTail(linesOfLog(output.trimEnd()));
  const message = [
    `\`${name}\` ${failure}, in a private copy of your app.`,
    `Where your own build fails in your folder, too, mend it there first. Where a platform alone wants this step, --on leaves the platform out. Of your environment it gets what tools need, and the variables of your .env files and of --env-file. The whole output: ${logFile}`,
  ];
  if (unmet.length > 0) {
    message.push(`It ran without what the app's files name: ${unmet.join("; ")}.`);
  }
  const servers = unreachedServers(lines.join("\n"));
  if (servers.length > 0) {
    message.push(`It asks ${servers.join(", ")}, which this machine does not reach. Build where it does.`);
  }
  throw new ProgramError(message.join("\n"), code, [quotedLines(`${name} says:`, lines)]);
}

/** Gives the first and the last of many lines. */
function headAndTail(lines: readonly string[]): readonly string[] {
  return lines.length <= FIRST_LINES + LAST_LINES
    ? lines
    : [...lines.slice(0, FIRST_LINES), "...", ...lines.slice(-LAST_LINES)];
}

/**
 * Variables of all builds. pnpm would make its files links to those in its store, which other projects have, too. Yarn
 * would keep packages in archives, where platforms' tools do not look.
 */
const FOR_BUILDS = {
  CI: "1",
  NO_COLOR: "1",
  npm_config_package_import_method: "clone-or-copy",
  // From version 11 on it reads this name alone, and takes the other value for none.
  pnpm_config_package_import_method: "copy",
  // Scripts of packages that the app's author has not approved are left out, which pnpm 11 takes for an error.
  pnpm_config_strict_dep_builds: "false",
  // It would install once more before each script.
  pnpm_config_verify_deps_before_run: "false",
  // The Node.js of Evenbench builds, whichever the app names.
  npm_config_engine_strict: "false",
  pnpm_config_engine_strict: "false",
  YARN_NODE_LINKER: "node-modules",
};

/** Finds the names of servers in a tool's output that it asked for without an answer: Node.js's errors have them. */
export function unreachedServers(output: string): readonly string[] {
  const errors = output.matchAll(/\bgetaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/g);
  return [...new Set([...errors].map(([, server = ""]) => server))];
}

/** Makes the PATH of a tool: with the commands of the app's packages, and its package manager, before all others. */
function pathFor({ folder, workspace, root, manager }: Place): string {
  const commands = [...new Set([folder, root, workspace])].map((path) => join(path, "node_modules/.bin"));
  const managers = manager == null ? [] : [manager];
  return [...commands, ...managers, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
}
