// The options of `run` that are in its plan, in one table. A new one takes a field of the plan (schema/run.ts), a field and
// a row here, and `npm test -- packages/cli/src/reference.test.ts -u` for docs/command-line.md. A field that older runs lack
// is `exactOptional`; docs/schema is written by `npm test -- packages/results/src/schema.test.ts -u`. A setting that only
// experiments could change so far is taken out of `planOf` in report/src/across/plans.ts.
import type { RunPlan } from "./schema/run.ts";

/** Settings of a run that a user may choose. A field that is not there, or is null, was not chosen. */
export interface PlanChoices {
  /** "apart": client and servers have cores of their own, where the system allows that. Default: "all". */
  readonly serverCores?: RunPlan["serverCores"];
  /** Worker processes behind one address, on platforms that have them. Default: 1. */
  readonly workers?: number;
  /**
   * The Node.js that serves on platforms that are one: a whole version or a path. Default: the one that runs
   * Evenbench.
   */
  readonly node?: string | null;
  /** Pins that may differ between targets, such as "nodeEnv.runtime". Default: none. */
  readonly allow?: readonly string[];
  /** True where the run is a smoke test: its times are shown, and nothing is compared. Default: false. */
  readonly quick?: boolean;
  /** Measured rounds of each trial. Default: as many as the time allows, and at least 6. */
  readonly rounds?: number | null;
  /**
   * Fresh starts of all targets for each case. Default: 3, and up to 10 while a comparison is open and there
   * is time.
   */
  readonly trials?: number | null;
  /** Warm-up requests for every instance. Default: what each target was found to need. */
  readonly warmUp?: number | null;
  /** Cold starts of each local target, after all cases. Default: 0. */
  readonly cold?: number;
  /** Starts of each local target whose CPU time is measured, after that. Default: as many as cold starts. */
  readonly startUps?: number;
  /** True where memory is read between blocks of requests, in instances of its own. Default: false. */
  readonly memory?: boolean;
  /**
   * Relative half-width of the intervals, as a fraction, at which a case ends: 0.02 for 2 % to either side. Default: a
   * case ends when it is decided.
   */
  readonly precision?: number | null;
  /** "provider": platforms are asked for the CPU time of each request. Default: they are not. */
  readonly cpu?: "provider";
}

/** The choices that the table's options give: settings of the plan, and the time, from which the plan takes its limits. */
export interface RunChoices
  extends Pick<
    PlanChoices,
    "serverCores" | "workers" | "node" | "quick" | "trials" | "cold" | "memory" | "precision"
  > {
  /** Milliseconds for each case, starts and warm-up included. */
  readonly time?: number;
}

/** Settings of `--quick` where nothing else was chosen: too little to compare anything by. */
export const QUICK = { rounds: 2, trials: 1, warmUp: 1 } as const satisfies PlanChoices;

/** A heading of `run --help`. */
export type OptionGroup = "What to measure:" | "How:";

/** The kind of value that an option takes, with its bounds. */
export type OptionValue =
  /** No value: the option is a switch. */
  | { readonly kind: "none" }
  /** `orCores`: whether "max" stands for the number of this machine's cores. */
  | {
      readonly kind: "whole number";
      readonly minimum: number;
      readonly maximum: number;
      readonly orCores?: boolean;
    }
  /** A duration such as "60s", in milliseconds: from 500 ms to a day. */
  | { readonly kind: "duration" }
  /** A fraction such as "2%" or "0.02": above 0 and below 1. */
  | { readonly kind: "fraction" }
  /** A word out of some. */
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  /** A text as it is written. */
  | { readonly kind: "text" };

/** An option of `run`. */
export interface RunOption<Value> {
  /** Flags of the option as commander takes them, such as "--trials <n>". */
  readonly flags: string;
  /** The heading that it stands under. */
  readonly group: OptionGroup;
  /** Line of the option in `--help`. */
  readonly description: string;
  /** The kind of value that it takes. */
  readonly value: OptionValue;
  /** Value of the option where nobody gives one, which `--help` names. */
  readonly usual?: Value;
  /** Why the option does not apply to a user's own servers; not there where it does. */
  readonly notForOwnServers?: string;
}

/** Every option of `run` that its plan records, by its field in `RunChoices`, in the order of `--help`. */
export const RUN_OPTIONS: { readonly [Name in keyof Required<RunChoices>]: RunOption<Chosen<Name>> } = {
  time: {
    flags: "--time <duration>",
    group: "What to measure:",
    description: "about this long for each case, such as 3m",
    value: { kind: "duration" },
  },
  trials: {
    flags: "--trials <n>",
    group: "What to measure:",
    description:
      "fresh starts of each server: more of them, narrower intervals (default: 3 to 10, until it is decided)",
    value: { kind: "whole number", minimum: 1, maximum: 1000 },
  },
  quick: {
    flags: "--quick",
    group: "What to measure:",
    description: "does everything run? no results, about a minute",
    value: { kind: "none" },
  },
  cold: {
    flags: "--cold <n>",
    group: "What to measure:",
    description: "also measure this many cold starts (default: none)",
    value: { kind: "whole number", minimum: 0, maximum: 1000 },
  },
  memory: {
    flags: "--memory",
    group: "What to measure:",
    description: "does memory grow with requests? (about half a minute for each case and server)",
    value: { kind: "none" },
  },
  precision: {
    flags: "--precision <width>",
    group: "How:",
    description:
      'end a case when its intervals reach no further than this to either side, such as "2%" (default: when it is decided)',
    value: { kind: "fraction" },
  },
  serverCores: {
    flags: "--server-cores <which>",
    group: "How:",
    description: "the servers' cores: all (shared with the client) or apart (the client keeps one)",
    value: { kind: "choice", choices: ["all", "apart"] },
    usual: "all",
  },
  workers: {
    flags: "--workers <n|max>",
    group: "How:",
    description: "worker processes behind one address, on platforms that have them",
    value: { kind: "whole number", minimum: 1, maximum: 256, orCores: true },
    usual: 1,
    notForOwnServers: "a command starts its own workers",
  },
  node: {
    flags: "--node <version|path>",
    group: "How:",
    description: "the Node.js of the Node.js and Vercel hosts, such as 24.21.0 (fetched from npm) or ./node",
    value: { kind: "text" },
    notForOwnServers: "a command starts its own Node.js",
  },
};

type Chosen<Name extends keyof RunChoices> = NonNullable<RunChoices[Name]>;

/** The settings of a plan that choices give: some in any case, and others where they were chosen. */
export type PlanSettings = Pick<
  RunPlan,
  | "serverCores"
  | "workers"
  | "allowedPins"
  | "roundsPerTrial"
  | "warmUpExchanges"
  | "coldStarts"
  | "precision"
> &
  Partial<RunPlan>;

/** Gives the settings that a plan has for what was chosen, and the usual ones for the rest. */
export function planSettings(choices: PlanChoices): PlanSettings {
  const { trials = null, node = null, quick = false, memory = false, cpu, cold = 0 } = choices;
  const { startUps = cold } = choices;
  return {
    serverCores: choices.serverCores ?? "all",
    workers: choices.workers ?? 1,
    allowedPins: choices.allow ?? [],
    roundsPerTrial: choices.rounds ?? null,
    warmUpExchanges: choices.warmUp ?? null,
    coldStarts: cold,
    precision: choices.precision ?? null,
    ...(trials !== null && { trials: { minimum: trials, maximum: trials } }),
    ...(node !== null && { node }),
    ...(startUps > 0 && { startUps }),
    ...(memory && { memory }),
    ...(quick && { quick }),
    ...(cpu !== undefined && { cpu }),
  };
}

/** Something that has to be equal in the plans of two runs that are compared. */
export interface PlanFact {
  /** Its code, such as "server-cores". */
  readonly key: string;
  /** Gives its value in a plan, as a text. */
  describe(plan: RunPlan): string;
}

/** The settings that must be equal in the plans of two runs that are compared, of those that can be chosen. */
export const COMPARED_SETTINGS: readonly PlanFact[] = [
  { key: "server-cores", describe: ({ serverCores }) => serverCores },
  { key: "workers", describe: ({ workers }) => String(workers) },
  {
    key: "node",
    describe: ({ node }) => node ?? "Evenbench's own",
  },
  {
    key: "rounds",
    describe: ({ roundsPerTrial }) => String(roundsPerTrial ?? "as many as time allows"),
  },
  { key: "warm-up", describe: ({ warmUpExchanges }) => warmUpText(warmUpExchanges) },
];

/** Gives why options do not apply to a user's own servers, by their long names. */
export function notForOwnServers(): Readonly<Record<string, string>> {
  const reasons: Record<string, string> = {};
  for (const { flags, notForOwnServers: reason } of Object.values(RUN_OPTIONS)) {
    if (reason !== undefined) {
      reasons[longName(flags)] = reason;
    }
  }
  return reasons;
}

/** Gives the fields of the table, in its order. */
export function optionNames(): readonly (keyof RunChoices)[] {
  return Object.keys(RUN_OPTIONS) as (keyof RunChoices)[];
}

/** Gives "--rounds" for "--rounds <n>". */
function longName(flags: string): string {
  return flags.split(" ")[0] ?? flags;
}

function warmUpText(exchanges: number | null): string {
  if (exchanges === null) {
    return "as found";
  }
  return exchanges === 1 ? "1 request" : `${exchanges.toLocaleString("en-US")} requests`;
}
