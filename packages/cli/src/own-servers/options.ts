import type { SameWork } from "@evenbench/core";
import { type Command, Option } from "commander";
import { UsageError } from "../nearest.ts";
import { collect, parseDuration } from "../quantity.ts";

export interface OwnServerOptions {
  readonly path?: readonly string[];
  readonly mask?: readonly string[];
  readonly sameWork?: SameWork;
  readonly header?: readonly string[];
  readonly method?: string;
  readonly body?: string;
  readonly readyWithin?: number;
}

const COMMAND = /^([^=,]*)=\s*cmd:\s*/;

/** The command of a word "name=cmd: node server.js"; null for any other word. */
export function commandOf(word: string): { readonly name: string; readonly command: string } | null {
  const [start, name] = COMMAND.exec(word) ?? [];
  return start === undefined || name === undefined
    ? null
    : { name, command: word.slice(start.length).trim() };
}

/**
 * Whether the words are about servers that know nothing of Evenbench: they are asked for paths, or started by
 * a command.
 */
export function isOfOwnServers({
  path,
  target = [],
}: OwnServerOptions & { readonly target?: readonly string[] }): boolean {
  return path !== undefined || target.some((word) => commandOf(word) !== null);
}

/** Collects targets; "a,b" counts as two, but a command may have commas. */
export function collectTargets(text: string, before: readonly string[] = []): readonly string[] {
  if (commandOf(text) !== null) return [...before, text];
  return collect(text, before);
}

export function withOwnServers(command: Command): Command {
  return command
    .optionsGroup("Servers of your own, which know nothing of Evenbench:")
    .option(
      "--path <path...>",
      'a path to request from every --target; each is a case. Targets are servers of your own: --target name=URL, or --target name="cmd: node server.js"',
      keep,
    )
    .option(
      "--mask <regex...>",
      "hide what differs between bodies of the same work, such as a time stamp",
      keep,
    )
    .addOption(
      new Option(
        "--same-work <how>",
        "compare although answers differ; every output then says that nothing proved the work equal",
      ).choices(["proven", "assumed"] satisfies readonly SameWork[]),
    )
    .option("--header <header...>", 'send a header with every request, such as "accept-language: de"', keep)
    .option("--method <method>", "the method of every request (default: GET, or POST with --body)")
    .option("--body <file>", "send the content of a file with every request")
    .option(
      "--ready-within <duration>",
      "how long a command may take until it answers (default: 60s)",
      parseDuration,
    );
}

/** Options that are about the targets and cases of this repository, and what they would have to mean here. */
const NOT_FOR_OWN: Readonly<Record<string, string>> = {
  app: "these servers are of no app",
  case: "each --path is a case",
  suite: "each --path is a case",
  where: "servers run where their URLs say",
  tokenFor: 'a token goes with --header "authorization: Bearer <token>"',
  allow: "their settings are not known, so none can be allowed to differ",
  cpu: "only platforms that Evenbench knows are asked",
  sweep: "they are asked for one answer at a time; `load --path` asks for more",
  workers: "a command starts as many as it wants",
  plan: "a plan is for targets that are deployed",
};

/** @throws {UsageError} for the first option on the command line that says nothing of such servers. */
export function refuseForRepository(command: Command): void {
  for (const [name, why] of Object.entries(NOT_FOR_OWN)) {
    if (command.getOptionValueSource(name) !== "cli") continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${flag} is not for servers of your own: ${why}. Leave it out.`);
  }
}

/** As they are: commas may be part of them. */
function keep(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** What means nothing without `--path`. @throws {UsageError} for the first that is given. */
export function refuseForOwnServers(options: OwnServerOptions): void {
  const names = ["mask", "sameWork", "header", "method", "body", "readyWithin"] as const;
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  const flag = `--${given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UsageError(`${flag} is for servers of your own. Add --path, such as --path /, or leave it out.`);
}
