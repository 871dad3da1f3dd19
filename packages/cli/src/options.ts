import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import type { SameWork } from "@evenbench/core";
import { IN_CLONE } from "@evenbench/core/called";
import { UsageError } from "@evenbench/core/errors";
import { DEPLOYMENTS_FILE } from "@evenbench/deploy/name";
import { collect, parseDuration, parseFailOn, parsePrecision, wholeNumber } from "./quantity.ts";

export const DEFAULT_SUITE = "published";
export const ALL_CASES = "all";

type None = Record<never, never>;
type Exact<O> = { readonly [K in keyof O]: Exclude<O[K], undefined> };
/** What commander makes of the options that a command declares: one that nobody gave is not there. */
export type OptionsOf<Declare extends (command: never) => { opts(): unknown }> = Exact<
  ReturnType<ReturnType<Declare>["opts"]>
>;

export type OutputOptions = OptionsOf<typeof withOutput<[], None, None>>;
/** Commands for local targets alone have none of the options of `withTargets`. */
export type SelectionOptions = OptionsOf<typeof withLocalTargets<[], None, None>> &
  Partial<OptionsOf<typeof withTargets<[], None, None>>> & {
    readonly case?: readonly string[];
    readonly suite?: string;
    readonly baseline?: string;
  };

export function withLocalTargets<A extends unknown[], O extends None, G extends None>(
  command: Command<A, O, G>,
) {
  return withNames(command).addOption(shared.noBuild());
}

export function withTargets<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  return withNames(command)
    .addOption(
      new Option("-w, --where <place>", "the targets on this machine, or those that were deployed")
        .choices(["local", "deployed"])
        .default("local" as const),
    )
    .addOption(shared.deployments())
    .option(
      "--token-for <host...>",
      "send EVENBENCH_TOKEN to the --target URLs of this host, such as worker.example.workers.dev",
      collect,
    )
    .addOption(shared.noBuild());
}

export function withNames<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  return command
    .optionsGroup("Targets:")
    .option(
      "-t, --target <name...>",
      "a target by name, or name=URL for one that runs already (default: all local)",
      collectTargets,
    )
    .option("-a, --app <id...>", "only the targets of an app (default: all)", collect);
}

export function withOutput<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  return command
    .optionsGroup("Output:")
    .option("-q, --quiet", "print the answer alone, without progress and notes")
    .option("--json", "print the results as one JSON document");
}

/** How long and how a run measures: what `run` and `app` have in common. */
export function withExtent<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  return command
    .option("--quick", "a smoke test: nothing is warmed up, so nothing is compared")
    .optionsGroup("How long:")
    .addOption(shared.time("case", ', such as "60s"; what is decided ends earlier').conflicts("total"))
    .option(
      "--total <duration>",
      "time for all cases together (default: 52s for each, and more where three trials take more)",
      parseDuration,
    )
    .option(
      "--rounds <n>",
      "measured rounds of each trial (default: about 24, and at least 6)",
      wholeNumber(1, 1e6),
    )
    .option(
      "--precision <width>",
      'end a case when its intervals are narrower than this, such as "2%" (default: when it is decided)',
      parsePrecision,
    )
    .optionsGroup("How:")
    .addOption(shared.seed())
    .addOption(shared.baseline())
    .addOption(shared.serverCores("all"))
    .option(
      "--trials <n>",
      "fresh starts of all targets for each case (default: 3, and up to 10 for cases that are still open)",
      wholeNumber(1, 1000),
    )
    .option(
      "--warm-up <n>",
      "warm-up requests for every instance (default: as many as its target needs)",
      wholeNumber(1, 1e6),
    )
    .option("--no-gauge", "do not gauge the speed of cores between requests of 5 ms and more")
    .optionsGroup("Also:")
    .option(
      "--cold <n>",
      "also measure this many cold starts of each target, after all cases",
      wholeNumber(0, 1000),
      0,
    );
}

export type AppOptions = OptionsOf<typeof withApp<[], None, None>>;

/** What is built of a user's app, and how it is measured. */
export function withApp<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  const withBuild = command
    .optionsGroup("What to build:")
    .option("--on <platform...>", "only these platforms (default: all that are installed)", collect)
    .option("--env-file <file...>", "variables for builds and servers, beside .env and .dev.vars", collect)
    .option(
      "--build <command>",
      'a command of your own that builds, such as "npm run build", run in the copy first',
    )
    .option("--start <command>", 'a command of your own for Node.js, such as "npm start", run in the copy')
    .optionsGroup("What to measure:");
  const declared = withOutput(withOwnServers(withExtent(withBuild).addOption(shared.out())));
  for (const option of declared.options) {
    if (option.long === "--path") {
      option.description =
        "a path to measure on each platform; each is a case (default: nothing is measured)";
    }
  }
  return declared;
}

const WORKERS = wholeNumber(1, 256);

/** Options that mean the same in every command that has them. */
export const shared = {
  cases: () =>
    new Option("-c, --case <id...>", "a case to measure (default: those of the suite)").argParser(collect),
  suite: () =>
    new Option(
      "--suite <name>",
      `the cases of a suite; "${ALL_CASES}" for every case (default: "${DEFAULT_SUITE}", with --app all of its cases)`,
    ),
  baseline: () =>
    new Option(
      "--baseline <target>",
      "the target that the others are compared with (default: node, or the first where there is none)",
    ),
  time: (unit: "case" | "claim", note: string) =>
    new Option("--time <duration>", `time for each ${unit}, starts and warm-up included${note}`).argParser(
      parseDuration,
    ),
  seed: () =>
    new Option("--seed <n>", "seed for all random order (default: random; the report names it)").argParser(
      wholeNumber(0, 2 ** 32 - 1),
    ),
  allow: () =>
    new Option(
      "--allow <setting...>",
      "allow a setting that must be equal to differ; the report then has a notice",
    ).argParser(collect),
  workers: () =>
    new Option("--workers <n|max>", "worker processes behind one address, on platforms that have them")
      .argParser((text) => (text === "max" ? availableParallelism() : WORKERS(text)))
      .default(1),
  serverCores: <Usual extends "all" | "apart">(usual: Usual) =>
    new Option(
      "--server-cores <which>",
      "the servers' cores: all (shared with the client) or apart (the client keeps one)",
    )
      .choices(["all", "apart"])
      .default(usual),
  out: (description = "folder for runs", folder = "results") =>
    new Option("-o, --out <folder>", description).default(folder),
  noBuild: () => new Option("--no-build", "use the last build"),
  deployments: () =>
    new Option("--deployments <file>", "file that lists what is deployed").default(
      DEPLOYMENTS_FILE,
      `${basename(DEPLOYMENTS_FILE)} in the repository's root`,
    ),

  failOn: (unit: "case" | "target") =>
    new Option(
      "--fail-on <condition>",
      `exit with 1 when a ${unit} is, for example, "slower 5%", and with 3 when that cannot be ruled out`,
    ).argParser(parseFailOn),
};

export type OwnServerOptions = Partial<OptionsOf<typeof withOwnServers<[], None, None>>> & {
  readonly target?: readonly string[];
};

export function isOfOwnServers({ path, target = [] }: OwnServerOptions): boolean {
  // Outside of a clone there are no others.
  return !IN_CLONE || path !== undefined || target.some((word) => commandOf(word) !== null);
}

export function commandOf(word: string): { readonly name: string; readonly command: string } | null {
  const [, name, command] = /^([^=,]*)=\s*cmd:\s*(.*?)\s*$/s.exec(word) ?? [];
  return name === undefined || command === undefined ? null : { name, command };
}

export function collectTargets(text: string, before: readonly string[] = []): readonly string[] {
  if (commandOf(text) !== null) {
    return [...before, text];
  }
  return collect(text, before);
}

export function withOwnServers<A extends unknown[], O extends None, G extends None>(
  command: Command<A, O, G>,
) {
  return command
    .optionsGroup("Your own servers, unchanged:")
    .option(
      "--path <path...>",
      'a path to request from every --target; each is a case. Targets are your own servers: --target name=URL, or --target name="cmd: node server.js"',
      keep,
    )
    .option("--mask <regex...>", "ignore text that may differ between bodies, such as a time stamp", keep)
    .addOption(
      new Option(
        "--same-work <how>",
        "json: ignore the order of keys; assumed: compare even if answers differ, and every output says so",
      ).choices(["proven", "json", "assumed"] as const satisfies readonly SameWork[]),
    )
    .option("--header <header...>", 'send a header with every request, such as "accept-language: de"', keep)
    .option("--method <method>", "the method of every request (default: GET, or POST with --body)")
    .option("--body <file>", "send the content of a file with every request")
    .hook("preAction", () => {
      const isOwn = isOfOwnServers(command.opts());
      const vain = isOwn ? Object.keys(NOT_FOR_OWN) : ONLY_FOR_OWN;
      const given = command.options.find(
        (option) =>
          vain.includes(option.long ?? "") && command.getOptionValueSource(option.attributeName()) === "cli",
      )?.long;
      if (given === undefined) {
        return;
      }
      throw new UsageError(
        isOwn
          ? `${given} does not apply to your own servers: ${NOT_FOR_OWN[given]}. Leave it out.`
          : `${given} applies only to your own servers. Add --path, such as --path /, or leave it out.`,
      );
    });
}

const ONLY_FOR_OWN = ["--mask", "--same-work", "--header", "--method", "--body"];

export const NOT_FOR_OWN: Readonly<Record<string, string>> = {
  "--app": "these servers belong to no app",
  "--case": "each --path is a case",
  "--suite": "each --path is a case",
  "--where": "their URLs say where they run",
  "--token-for": 'a token goes with --header "authorization: Bearer <token>"',
  "--accept": "they have no golden values",
  "--allow": "their settings are not known, so none can be allowed to differ",
  "--cpu": "only platforms that Evenbench knows are asked",
  "--sweep": "they get one request at a time; `load --path` sends more",
  "--workers": "a command starts its own workers",
};

function keep(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
