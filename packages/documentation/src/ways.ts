import { evenbenchArguments } from "./check-command.ts";

/** What commands are run on and with: a scratch place for everything that they write, and stand-ins for what they reach. */
export interface Surroundings {
  /** A results folder with one run in it. */
  readonly results: string;
  readonly run: string;
  /** A run of claims. */
  readonly claims: string;
  /** Takes what is measured. */
  readonly out: string;
  /** deployments.json for deploying to the recorders. */
  readonly deployments: string;
  /** deployments.json that names servers of this machine, closed as deployed ones are. */
  readonly deployed: string;
  readonly prices: string;
}

/** How documented commands are run. Every one falls into exactly one way, or is in `NOT_RUN`. */
export interface Way {
  readonly name: string;
  takes(command: string, args: readonly string[]): boolean;
  /** Options that bound it, or keep what it writes apart. Later ones win over those in the page. */
  added(command: string, args: readonly string[], around: Surroundings): readonly string[];
  /** A server: what it says when it is up, after which comes Ctrl-C. */
  readonly ready?: RegExp;
  /** In a repository of its own, because it writes into it. */
  readonly inScratchRepository?: boolean;
}

const MEASURING = ["run", "load", "profile", "experiment"];

export const WAYS: readonly Way[] = [
  {
    name: "as it is written",
    takes: (command, args) => args.includes("--help") || (command === "experiment" && args.length === 1),
    added: () => [],
  },
  {
    name: "on a run that is there",
    takes: (command) => ["report", "compare", "history"].includes(command),
    added: (command, args, { results }) =>
      command === "report" && args.length === 1 ? ["--out", results] : [],
  },
  {
    name: "with what was built last",
    takes: (command, args) => ["list", "preflight"].includes(command) && !args.includes("--help"),
    added: (command, args) => [
      "--no-build",
      ...(command === "preflight" ? [...oneCase(args), ...narrow(args, ["--app", "bundle"])] : []),
    ],
  },
  {
    name: "bounded by an added --time",
    takes: (command, args) =>
      MEASURING.includes(command) &&
      !args.includes("--help") &&
      !isDeployed(args) &&
      !(command === "experiment" && args.length === 1),
    added: (command, args, { out }) => ["--no-build", "--time", "1s", "--out", out, ...bounds(command, args)],
  },
  {
    name: "on servers of this machine that are closed as deployed ones are",
    takes: (_command, args) => isDeployed(args),
    added: (_command, _args, { out, deployed }) => [
      ...["--no-build", "--time", "1s", "--out", out, "--case", "empty"],
      // These servers carry no digest of a deployment.
      ...["--deployments", deployed, "--allow", "build"],
    ],
  },
  {
    name: "against a recorder in the place of the platforms' APIs",
    takes: (command) => ["deploy", "destroy"].includes(command),
    added: (command, args, { deployments }) => [
      ...["--yes", "--deployments", deployments],
      ...(command === "deploy" ? ["--no-build", "--no-preflight", ...narrow(args, ["--app", "bundle"])] : []),
    ],
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
export const NOT_RUN: Readonly<Record<string, string>> = {
  "npm test": "it is what runs these tests",
  "go run": "it needs Go and the network; workflows.test.ts runs the same linter, compiled to WebAssembly",
};

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
  if (command === "run") {
    const cold = args.includes("--cold") ? ["--cold", "1"] : [];
    const sweep = args.includes("--sweep") ? ["--sweep", "1s"] : [];
    return [...cold, ...sweep, ...oneCase(args), ...narrow(args, ["--target", "node"])];
  }
  if (command === "load") return ["--sets", "1", ...narrow(args, ["--target", "node"])];
  return command === "profile" ? narrow(args, ["--target", "node"]) : [];
}

/** The command of `evenbench` that words stand for; null for other tools and scripts. */
export function readCommand(words: readonly string[]): { command: string; args: readonly string[] } | null {
  const [manager, tool, task = ""] = words;
  if (manager === "pnpm" && tool === "turbo")
    return { command: task, args: words.slice(words.indexOf("--") + 1) };
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

/** Why a command is not run; null where it is. */
export function whyNotRun(words: readonly string[]): string | null {
  const line = words.join(" ");
  const start = Object.keys(NOT_RUN).find((begin) => line === begin || line.startsWith(`${begin} `));
  return start === undefined ? null : (NOT_RUN[start] ?? null);
}

/** Two commands with the same key differ in the door, or in names and numbers only: running one shows that both work. */
export function keyOf(words: readonly string[]): string {
  const { command = "", args = [] } = readCommand(words) ?? {};
  // What a way adds for all has no part in it.
  const options = args.filter((word) => word.startsWith("--") && word !== "--time").sort();
  const place = words.includes("turbo") ? "turbo " : "";
  const kind = command === "new" ? ` ${args[1]}` : "";
  const bare = args.length === 1 ? " alone" : "";
  return `${place}${command}${kind}${bare} ${options.join(" ")}`;
}

/** What stands for names that a reader makes up or fills in, and for "all" claims, whose builds take minutes. */
export function fillIn(words: readonly string[], around: Surroundings): readonly string[] {
  const isClaims = words.includes("experiment");
  const isNew = words.includes("new");
  const standIns: Readonly<Record<string, string>> = {
    "results/<run>": isClaims ? around.claims : around.run,
    "<folder>": around.run,
    "<before>": around.run,
    "<after>": around.run,
    results: around.results,
    "my-prices.json": around.prices,
    "word-count": "empty",
    // The cheapest case, but where a profile must have something to show.
    "react-ssr": words.includes("profile") ? "react-ssr" : "empty",
  };
  return words.map((word) => {
    if (isClaims && word === "all") return "price";
    return isNew ? word : (standIns[word] ?? word);
  });
}
