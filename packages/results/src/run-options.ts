// The options of `run` that its plan records, in one table. A new one takes a field of the plan
// (schema/run.ts), a field and a row here, and `npm test -- packages/cli/src/reference.test.ts -u` for
// docs/command-line.md. The command, the plan, suggested commands and the comparison of two plans follow from
// the row. A field that older runs lack is `exactOptional`; docs/schema is written by
// `npm test -- packages/results/src/schema.test.ts -u`. A setting that only experiments could change so far
// is taken out of `planned` in report/src/across/series.ts.
import { shellOption } from "@evenbench/core/shell";
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
  /**
   * Relative half-width of the intervals, as a fraction, at which a case ends: 0.02 for 2 % to either side. Default: a
   * case ends when it is decided.
   */
  readonly precision?: number | null;
  /** "provider": platforms are asked for the CPU time of each request. Default: they are not. */
  readonly cpu?: "provider";
}

/**
 * The choices that the table's options give: the settings of the plan, and times in milliseconds, from which
 * the plan takes its time limits.
 */
export interface RunChoices extends PlanChoices {
  /** Time for each case, starts and warm-up included. */
  readonly time?: number;
  /** Time for all cases together. */
  readonly total?: number;
}

/** Settings of `--quick` where nothing else was chosen: too little to compare anything by. */
export const QUICK = { rounds: 2, trials: 1, warmUp: 1 } as const satisfies PlanChoices;

/** A heading of `run --help`. */
export type OptionGroup = "What to measure:" | "How long:" | "How:" | "Also:" | "Settings and results:";

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
  /** Names, one or more, in several words or with commas between them. */
  | { readonly kind: "names" }
  /** A text as it is written. */
  | { readonly kind: "text" };

/** An option of `run`. */
export interface RunOption<Value> {
  /** Flags of the option as commander takes them, such as "--rounds <n>". */
  readonly flags: string;
  /** The heading that it stands under. */
  readonly group: OptionGroup;
  /** Line of the option in `--help`. */
  readonly description: string;
  /** The kind of value that it takes. */
  readonly value: OptionValue;
  /** Value of the option where nobody gives one, which `--help` names. */
  readonly usual?: Value;
  /** Field of another option with which this one cannot be given. */
  readonly conflicts?: keyof RunChoices;
  /** Why the option does not apply to a user's own servers; not there where it does. */
  readonly notForOwnServers?: string;
  /** Gives the fields of the plan that a chosen value sets; not there where the plan takes more than the value. */
  toPlan?(value: Value): Partial<RunPlan>;
  /**
   * Gives the values that a command needs to get the same plan again; empty where it has it by itself. A
   * switch gives true.
   */
  repeat(plan: RunPlan): readonly (string | number | true)[];
  /** How two plans that differ in it are told apart; not there where their runs may be compared all the same. */
  readonly compared?: PlanFact;
}

/** Something that has to be equal in the plans of two runs that are compared. */
export interface PlanFact {
  /** Name of the fact in the plural, since it stands before "differ", such as "Rounds of a trial". */
  readonly name: string;
  /** Gives its value in a plan, as a text. */
  describe(plan: RunPlan): string;
}

/** Every option of `run` that its plan records, by its field in `RunChoices`, in the order of suggested commands. */
export const RUN_OPTIONS: { readonly [Name in keyof Required<RunChoices>]: RunOption<Chosen<Name>> } = {
  serverCores: {
    flags: "--server-cores <which>",
    group: "How:",
    description: "the servers' cores: all (shared with the client) or apart (the client keeps one)",
    value: { kind: "choice", choices: ["all", "apart"] },
    usual: "all",
    toPlan: (serverCores) => ({ serverCores }),
    repeat: ({ serverCores }) => (serverCores === "all" ? [] : [serverCores]),
    compared: { name: "Cores of the servers", describe: ({ serverCores }) => serverCores },
  },
  workers: {
    flags: "--workers <n|max>",
    group: "How:",
    description: "worker processes behind one address, on platforms that have them",
    value: { kind: "whole number", minimum: 1, maximum: 256, orCores: true },
    usual: 1,
    notForOwnServers: "a command starts its own workers",
    toPlan: (workers) => ({ workers }),
    repeat: ({ workers }) => (workers === 1 ? [] : [workers]),
    compared: { name: "Worker processes", describe: ({ workers }) => String(workers) },
  },
  node: {
    flags: "--node <version|path>",
    group: "How:",
    description: "the Node.js of the Node.js and Vercel hosts, such as 24.21.0 (fetched from npm) or ./node",
    value: { kind: "text" },
    notForOwnServers: "a command starts its own Node.js",
    toPlan: (node) => ({ node }),
    repeat: ({ node }) => (node === undefined ? [] : [node]),
    compared: {
      name: "Versions of Node.js that were asked for",
      describe: ({ node }) => node ?? "Evenbench's own",
    },
  },
  allow: {
    flags: "--allow <setting...>",
    group: "Settings and results:",
    description: "allow a setting that must be equal to differ; the report then has a notice",
    value: { kind: "names" },
    notForOwnServers: "their settings are not known, so none can be allowed to differ",
    toPlan: (allowedPins) => ({ allowedPins }),
    repeat: ({ allowedPins }) => allowedPins,
  },
  quick: {
    flags: "--quick",
    group: "What to measure:",
    description: "check that everything runs; its times are no results, and nothing is compared",
    value: { kind: "none" },
    toPlan: (quick) => (quick ? { quick } : {}),
    repeat: ({ quick }) => (quick === true ? [true] : []),
  },
  rounds: {
    flags: "--rounds <n>",
    group: "How:",
    description: "measured rounds of each trial (default: about 24, and at least 6)",
    value: { kind: "whole number", minimum: 1, maximum: 1e6 },
    toPlan: (roundsPerTrial) => ({ roundsPerTrial }),
    repeat: (plan) => unlessQuick(plan, plan.roundsPerTrial, QUICK.rounds),
    compared: {
      name: "Rounds of a trial",
      describe: ({ roundsPerTrial }) => String(roundsPerTrial ?? "as many as time allows"),
    },
  },
  trials: {
    flags: "--trials <n>",
    group: "How:",
    description:
      "fresh starts of all targets for each case (default: 3, and up to 10 for cases that are still open)",
    value: { kind: "whole number", minimum: 1, maximum: 1000 },
    toPlan: (trials) => ({ trials: { minimum: trials, maximum: trials } }),
    repeat: (plan) => unlessQuick(plan, fixedTrials(plan), QUICK.trials),
  },
  warmUp: {
    flags: "--warm-up <n>",
    group: "How:",
    description: "warm-up requests for every instance (default: as many as its target needs)",
    value: { kind: "whole number", minimum: 1, maximum: 1e6 },
    toPlan: (warmUpExchanges) => ({ warmUpExchanges }),
    repeat: (plan) => unlessQuick(plan, plan.warmUpExchanges, QUICK.warmUp),
    compared: { name: "Warm-ups", describe: ({ warmUpExchanges }) => warmUpText(warmUpExchanges) },
  },
  time: {
    flags: "--time <duration>",
    group: "How long:",
    description:
      'time to aim at for each case, starts and warm-up included, such as "60s"; what is decided ends earlier, what cannot be warm in it takes longer',
    value: { kind: "duration" },
    conflicts: "total",
    repeat(plan) {
      const time = timeOfPlan(plan);
      return time === null || time.isTotal ? [] : [durationWord(time.ms)];
    },
  },
  total: {
    flags: "--total <duration>",
    group: "How long:",
    description: "time for all cases together (default: 60s for each, and more where three trials take more)",
    value: { kind: "duration" },
    repeat(plan) {
      const time = timeOfPlan(plan);
      return time?.isTotal ? [durationWord(time.ms)] : [];
    },
  },
  cold: {
    flags: "--cold <n>",
    group: "Also:",
    description: "also measure this many cold starts of each target, after all cases",
    value: { kind: "whole number", minimum: 0, maximum: 1000 },
    usual: 0,
    toPlan: (coldStarts) => ({ coldStarts }),
    repeat: ({ coldStarts }) => (coldStarts === 0 ? [] : [coldStarts]),
  },
  precision: {
    flags: "--precision <width>",
    group: "How long:",
    description:
      'end a case when its intervals reach no further than this to either side, such as "2%" (default: when it is decided)',
    value: { kind: "fraction" },
    toPlan: (precision) => ({ precision }),
    repeat: ({ precision }) => (precision === null ? [] : [precision]),
  },
  cpu: {
    flags: "--cpu <accountant>",
    group: "Settings and results:",
    description: "ask platforms for the CPU time of each request (with --where deployed)",
    value: { kind: "choice", choices: ["provider"] },
    notForOwnServers: "only platforms that Evenbench knows are asked",
    toPlan: (cpu) => ({ cpu }),
    repeat: ({ cpu }) => (cpu === undefined ? [] : [cpu]),
  },
};

/** The type of a choice where one was made. */
type Chosen<Name extends keyof RunChoices> = NonNullable<RunChoices[Name]>;

/** Settings of a plan for which nobody chose anything; trials depend on the kind of the run, so they are not here. */
const USUAL_SETTINGS = {
  serverCores: "all",
  workers: 1,
  allowedPins: [],
  roundsPerTrial: null,
  warmUpExchanges: null,
  coldStarts: 0,
  precision: null,
} as const satisfies Partial<RunPlan>;

/** The settings of a plan: those of `USUAL_SETTINGS` in any case, and others where they were chosen. */
export type PlanSettings = Pick<RunPlan, keyof typeof USUAL_SETTINGS> & Partial<RunPlan>;

/** Gives the settings that a plan has for what was chosen, and the usual ones for the rest. */
export function planSettings(choices: PlanChoices): PlanSettings {
  let settings: PlanSettings = USUAL_SETTINGS;
  for (const name of optionNames()) {
    settings = { ...settings, ...partOfPlan(name, choices) };
  }
  return settings;
}

/** Gives the fields of the plan that one choice sets; none where it was not chosen. */
function partOfPlan<Name extends keyof RunChoices>(name: Name, choices: RunChoices): Partial<RunPlan> {
  const value = choices[name];
  return value === undefined || value === null ? {} : (RUN_OPTIONS[name].toPlan?.(value) ?? {});
}

/** Gives the options, as a shell takes them, with which `run` has the settings of `plan` again. */
export function settingWords(plan: RunPlan): readonly string[] {
  return Object.values(RUN_OPTIONS).flatMap(({ flags, repeat }) => {
    const name = longName(flags);
    return repeat(plan).map((value) => (value === true ? name : shellOption(name, String(value))));
  });
}

/**
 * Lists the settings that must be equal in the plans of two runs that are compared, of those that can be
 * chosen.
 */
export function comparedSettings(): readonly PlanFact[] {
  const facts: readonly (PlanFact | undefined)[] = Object.values(RUN_OPTIONS).map(({ compared }) => compared);
  return facts.filter((fact) => fact !== undefined);
}

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

/** Leaves out a value that `--quick` sets by itself: it is not repeated beside that. */
function unlessQuick({ quick }: RunPlan, value: number | null, ofQuick: number): readonly number[] {
  const isImplied = quick === true && value === ofQuick;
  return value === null || isImplied ? [] : [value];
}

/** Gives the number of trials that the user fixed; null where nobody did: it then depends on the time that there is. */
function fixedTrials({ trials: { minimum, maximum } }: RunPlan): number | null {
  return minimum === maximum ? minimum : null;
}

function warmUpText(exchanges: number | null): string {
  if (exchanges === null) {
    return "as found";
  }
  return exchanges === 1 ? "1 request" : `${exchanges.toLocaleString("en-US")} requests`;
}

/** A time that a user asked for, in milliseconds. */
export interface PlannedTime {
  /** True where it is for all cases together, and not for each. */
  readonly isTotal: boolean;
  /** The time for each case, or for all of them, in milliseconds. */
  readonly ms: number;
}

/**
 * Gives the time that a plan's cases have; null where nobody asked for one. Times that differ are parts of
 * one for all.
 */
export function timeOfPlan({ caseLimitMs, cases }: RunPlan): PlannedTime | null {
  const times = cases.map(({ id }) => caseLimitMs[id]).filter((ms) => ms !== undefined);
  const [first] = times;
  if (first === undefined) {
    return null;
  }
  const isTotal = new Set(times).size > 1;
  const ms = isTotal ? times.reduce((total, time) => total + time, 0) : first;
  // Parts of a whole number do not add up to it by themselves.
  return { isTotal, ms: Number(ms.toFixed(3)) };
}

/** Writes a duration as people do: "90s", or "1234ms" where it is no whole number of seconds. */
function durationWord(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
