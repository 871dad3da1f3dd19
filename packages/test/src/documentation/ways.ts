import { fileURLToPath } from "node:url";
import { evenbenchArguments, scriptOf } from "./check-command.ts";

/**
 * What commands are run on and with: a scratch place for everything that they write, and stand-ins for what
 * they reach.
 */
export interface Surroundings {
  /** A results folder with one run in it. */
  readonly results: string;
  readonly run: string;
  /** A run of claims. */
  readonly claims: string;
  /** Takes what is measured. */
  readonly out: string;
}

/** How documented commands are run. Every one falls into exactly one way, or is in `NOT_RUN`. */
export interface Way {
  readonly name: string;
  takes(command: string, args: readonly string[]): boolean;
  /** Options that bound it, or keep what it writes apart. Later ones win over those in the page. */
  added(command: string, args: readonly string[], around: Surroundings): readonly string[];
  /** A server: what it says when it is up, after which comes Ctrl-C. */
  readonly ready?: RegExp;
  /**
   * It takes long: its commands have a test file of their own, `run-<apart>.long.test.ts`, beside which
   * others can run.
   */
  readonly apart?: string;
  /**
   * In a repository of its own, because it writes into it; "with platforms": where their APIs and addresses
   * lead to this machine.
   */
  readonly inScratchRepository?: true | "with platforms";
}

const STUDY = "bench:self";
const MEASURING = ["run", "load", "profile", "experiment"];

const MEASURING_WAY: Way = {
  name: "bounded by an added time",
  apart: "measuring",
  takes: (command, args) =>
    MEASURING.includes(command) &&
    !args.includes("--help") &&
    !isDeployed(args) &&
    !args.includes("--engine") &&
    !(command === "experiment" && args.length === 1),
  // The two exclude each other; of one that is given twice, the last counts.
  added: (command, args, { out }) => [
    ...["--no-build", args.includes("--total") ? "--total" : "--time", "1s", "--out", out],
    ...bounds(command, args),
  ],
};

const WAYS: readonly Way[] = [
  {
    name: "as it is written",
    takes: (command, args) =>
      args.includes("--help") || command === "pack" || (command === "experiment" && args.length === 1),
    added: () => [],
  },
  {
    name: "on a run that is there",
    takes: (command, args) => ["report", "compare", "history", "site"].includes(command) && !ofBuilds(args),
    added(command, args, { results, out }) {
      if (command === "site") return ["--out", `${out}-gallery`];
      return command === "report" && args.length === 1 ? ["--out", results] : [];
    },
  },
  {
    name: "a study of a run that is there",
    apart: "studies",
    takes: (command) => command === STUDY,
    // A build would change what other tests are serving.
    added: (_command, [part], { out }) => [
      "--no-build",
      ...(part === "coverage" ? ["20", "--out", `${out}-coverage.md`] : []),
      ...(part === "slowed" ? ["trig", "--trials", "1", "--out", out] : []),
      ...(part === "busy" ? ["--time", "1s", "--trials", "1"] : []),
      ...(part === "pool" ? ["--draws", "2", "--trials", "1", "--most", "0"] : []),
      // Seconds of a turn, and turns.
      ...(part === "load-engines" ? ["1", "1"] : []),
      // Requests in all.
      ...(part === "scale" ? ["400"] : []),
      // Requests of each client.
      ...(part === "client" ? ["40"] : []),
    ],
  },
  {
    // A worktree of what is checked out is installed and built, or the checkout is held against itself:
    // nothing is measured where nothing was changed.
    name: "against what is checked out",
    apart: "against",
    takes: (command, args) => command === "against" || ofBuilds(args),
    added: (_command, args, { out }) => [
      "--no-build",
      "--time",
      "1s",
      "--out",
      out,
      ...narrow(args, ["--target", "node"]),
    ],
  },
  {
    name: "with what was built last",
    takes: (command, args) => ["list", "preflight"].includes(command) && !args.includes("--help"),
    added: (command, args) =>
      command === "preflight" ? ["--no-build", ...oneCase(args), ...narrow(args, ["--app", "bundle"])] : [],
  },
  MEASURING_WAY,
  {
    name: "where platforms lead to this machine",
    apart: "deployed",
    takes: (command, args) => ["deploy", "destroy"].includes(command) || isDeployed(args),
    added(command, args, { out }) {
      // Nobody is at the keyboard.
      if (command === "destroy") return ["--yes"];
      // The builds of all apps take minutes.
      if (command === "deploy") return ["--yes", ...narrow(args, ["--app", "bundle"])];
      if (command === "vantages") return ["--out", `${out}-plan`, "--case", "empty", "--rounds", "1"];
      // It measures nothing.
      if (args.includes("--plan")) return ["--plan", `${out}-load`];
      return ["--time", "1s", "--out", out, "--case", "empty"];
    },
    inScratchRepository: "with platforms",
  },
  {
    name: "started, then ended by Ctrl-C",
    takes: (command) => ["serve", "dev"].includes(command),
    added: (command, args) =>
      command === "serve"
        ? ["--no-build", ...narrow(args, ["--app", "bundle"])]
        : ["--port", "0", ...(args.includes("--filter") ? [] : ["--filter", "node"])],
    ready: /\(pid \d+|Ctrl-C ends it/,
  },
  {
    name: "in a repository of its own",
    takes: (command) => command === "new",
    added: () => [],
    inScratchRepository: true,
  },
];

/** Commands that no test can run, by how they begin, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "npm test": "it is what runs these tests",
  "npm run test:all": "it is what runs these tests",
  "npx pnpm -C": "it downloads a runtime; apps/bun and apps/deno have tests with what it installs",
};

const ofBuilds = (args: readonly string[]) => args.includes("--builds");
/** Servers that a reader has; their stand-in is started by a command. */
const isOfOwnServers = (args: readonly string[]) => args.includes("--path") || args.some(isCommand);
const isCommand = (word: string) => /^[\w-]+=cmd:/.test(word);
const OWN_SERVER = fileURLToPath(new URL("../../test/documentation/own-server.mjs", import.meta.url));

const isDeployed = (args: readonly string[]) => args.includes("--where");

/** A choice of targets, unless there is one. */
function narrow(args: readonly string[], choice: readonly string[]): readonly string[] {
  return args.includes("--app") || args.includes("--target") ? [] : choice;
}

/** The cheapest case, unless there is one. */
function oneCase(args: readonly string[]): readonly string[] {
  return args.includes("--case") ? [] : ["--case", "empty"];
}

function bounds(command: string, args: readonly string[]): readonly string[] {
  if (isOfOwnServers(args)) return ["--trials", "1"];
  if (command === "run") {
    const cold = args.includes("--cold") ? ["--cold", "1"] : [];
    const sweep = args.includes("--sweep") ? ["--sweep", "1s"] : [];
    return ["--trials", "1", ...cold, ...sweep, ...oneCase(args), ...narrow(args, ["--target", "node"])];
  }
  if (command === "load") return ["--trials", "1", ...narrow(args, ["--target", "node"])];
  // Warm-up may take six times as long.
  return command === "profile" ? ["--time", "500ms", ...narrow(args, ["--target", "node"])] : [];
}

/** The command of `evenbench` that words stand for, or the study of it; null for other tools and scripts. */
export function readCommand(words: readonly string[]): { command: string; args: readonly string[] } | null {
  const [manager, tool, task = ""] = words;
  if (manager === "npx" && tool === "pnpm") return readCommand(words.slice(1));
  if (manager === "pnpm" && tool === "turbo")
    return { command: task, args: words.slice(words.indexOf("--") + 1) };
  const script = scriptOf(words);
  if ([STUDY, "pack"].includes(script?.name ?? ""))
    return { command: script?.name ?? "", args: script?.args ?? [] };
  const args = evenbenchArguments(words);
  if (args === null) return null;
  const [first = ""] = args;
  return { command: first === "" || first.startsWith("-") ? "run" : first, args };
}

/** The ways that take a command: one, or none where `NOT_RUN` says why. */
export function waysOf(words: readonly string[]): readonly Way[] {
  const read = readCommand(words);
  return read === null ? [] : WAYS.filter((way) => way.takes(read.command, read.args));
}

/** The ways whose commands a test file runs: those that are apart by that name, or those that are not. */
export const waysApart = (apart?: string): readonly Way[] => WAYS.filter((way) => way.apart === apart);

/** Why a command is not run; null where it is. */
export function whyNotRun(words: readonly string[]): string | null {
  const line = words.join(" ");
  const start = Object.keys(NOT_RUN).find((begin) => line === begin || line.startsWith(`${begin} `));
  return start === undefined ? null : (NOT_RUN[start] ?? null);
}

/** What a command does, and the options with which it does it. */
interface Shape {
  readonly kind: string;
  readonly options: ReadonlySet<string>;
}

/** With these a command does other work; any other option changes how much of it, or how. */
const OTHER_WORK = ["--builds", "--engine", "--path", "--quick", "--resume", "--where"];

/**
 * The commands that show that all work: of those which do the same with the same options, or with more, one.
 * Names, numbers and the door through which it is called are no difference. A command that is given nothing
 * but its subject stands for itself.
 */
export function representatives<C extends { readonly words: readonly string[] }>(
  commands: readonly C[],
): readonly C[] {
  const shaped = commands.map((command) => ({ command, shape: shapeOf(command.words) }));
  return shaped
    .filter(({ shape }, index) => {
      const isShown = shaped.some(
        (other, at) => isWithin(shape, other.shape) && (at < index || !isWithin(other.shape, shape)),
      );
      return !isShown;
    })
    .map(({ command }) => command);
}

function isWithin(one: Shape, other: Shape): boolean {
  return one.kind === other.kind && [...one.options].every((option) => other.options.has(option));
}

function shapeOf(words: readonly string[]): Shape {
  const { command = "", args = [] } = readCommand(words) ?? {};
  // What a way adds for all has no part in it. "--target a,b" and "--target a --target b" are read by one parser.
  const options = args.filter((word) => word.startsWith("--") && word !== "--time");
  const kind = [
    words.includes("turbo") ? "turbo" : "",
    command,
    command === "new" ? args[1] : command === STUDY ? args[0] : "",
    options.length > 0 ? "" : args.length === 1 ? "without a subject" : "alone",
    ...OTHER_WORK.filter((option) => options.includes(option)),
  ];
  return { kind: kind.join(" "), options: new Set(options) };
}

/** What stands for names that a reader makes up or fills in, and for "all" claims, whose builds take minutes. */
export function fillIn(words: readonly string[], around: Surroundings): readonly string[] {
  const isClaims = words.includes("experiment");
  const isNew = words.includes("new");
  const isOwn = isOfOwnServers(words);
  const standIns: Readonly<Record<string, string>> = {
    "results/<run>": isClaims ? around.claims : around.run,
    "<folder>": around.run,
    "<run>": around.run,
    "<before>": around.run,
    "<after>": around.run,
    results: around.results,
    main: "HEAD",
    "../before": ".",
    "word-count": "empty",
    "deno-deploy": "node",
    // The cheapest case, but where a profile must have something to show.
    "react-ssr": words.includes("profile") ? "react-ssr" : "empty",
  };
  return words.map((word) => {
    if (isClaims && word === "all") return "price";
    const [, name] = /^([\w-]+)=(?:cmd:|https?:)/.exec(word) ?? [];
    if (isOwn && name !== undefined) return `${name}=cmd: exec node ${OWN_SERVER}`;
    return isNew ? word : (standIns[word] ?? word);
  });
}
