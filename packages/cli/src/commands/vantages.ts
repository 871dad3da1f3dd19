import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import { messageOf, UsageError, UserError } from "@evenbench/core/errors";
import type { Target } from "@evenbench/runner";
import type { Place, Plan } from "@evenbench/vantages";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { withExamples } from "../help.ts";
import { type OptionsOf, shared, withOutput, withTargets } from "../options.ts";
import { collect, durationFrom, parseRates, wholeNumber } from "../quantity.ts";
import { say, sayAside, sayNote } from "../say.ts";

export function declare(program: Command) {
  const command = program
    .command("vantages")
    .helpGroup("Measure:")
    .description("measure deployed targets from many machines and regions, on k6");
  declarePlan(command).action(plan);
  declareRun(command).action(play);
  declareCollect(command).action(collectLogsOf);
  return command;
}

/** Where both platforms, and most people, are. */
const REGIONS = ["us-east-1", "eu-central-1", "ap-northeast-1"];

const OF_LOADS = ["machines", "connections", "stage"];
/** k6 refuses a shorter scenario; what is shorter is over before its unmeasured part is. */
const parseStage = durationFrom(2000, "2s");

function declarePlan(parent: Command) {
  const command = parent
    .command("plan")
    .description("preflight from here, then write the plan, a script for k6, and what each engine needs")
    .requiredOption("-o, --out <folder>", "an empty or new folder")
    .optionsGroup("What to measure:")
    .addOption(shared.cases())
    .addOption(shared.suite())
    .addOption(shared.baseline())
    .optionsGroup("How:")
    .option("--rounds <n>", "measured rounds of each trial (default: 60)", wholeNumber(1, 1e5))
    .option(
      "--trials <n>",
      "trials of each case at each vantage, over fresh connections (default: 5; of a load 3)",
      wholeNumber(1, 1000),
    )
    .option(
      "--warm-up <n>",
      "requests to each target before the rounds of each trial (default: 20)",
      wholeNumber(1, 1e4),
    )
    .addOption(shared.seed())
    .option("--region <name...>", "regions for Kubernetes and AWS; of a load the first", collect)
    .addOption(shared.allow())
    .addOption(new Option("--path <path...>").hideHelp())
    .optionsGroup("A load from several machines together, in place of rounds:")
    .addOption(
      new Option("--rate <list>", 'arrivals per second, such as "2000" or "500,1000"')
        .argParser(parseRates)
        .conflicts(["rounds", "warmUp", "baseline"]),
    )
    .option("--machines <n>", "machines that send it together (default: 2)", wholeNumber(1, 1000))
    .option("--connections <n>", "connections of all machines (default: 64)", wholeNumber(1, 1024))
    .option("--stage <duration>", "how long each rate is sent in each trial (default: 20s)", parseStage);
  return withExamples(
    withTargets(command),
    [
      "npm run bench -- vantages plan --where deployed --case react-ssr --rounds 60 --out vantages/react",
      "a plan for one case",
    ],
    [
      "npm run bench -- vantages plan --where deployed --case trig --rate 2000 --machines 4 --out loads/first",
      "a load from four machines",
    ],
  );
}

/** One's own server has no `/identity`: that is told before anything else is asked of it. */
async function checkIdentities(targets: readonly Target[]): Promise<void> {
  const { fetchIdentity } = await import("@evenbench/probe/preflight");
  for (const target of targets) {
    if (target.place !== "url") {
      continue;
    }
    const { name, url, token = null } = target;
    await fetchIdentity(url, { token, timeoutMs: IDENTITY_WITHIN_MS }).catch((error: unknown) => {
      throw new UserError(`${name} does not say what it is: ${url}: ${messageOf(error)}. ${NOT_OWN}`);
    });
  }
}

const IDENTITY_WITHIN_MS = 20_000;
const NOT_OWN =
  "Vantages measure Evenbench's cases, on targets that `deploy` made or that serve them likewise; --path is for your own servers. Measure those from this machine: `run --path` and `load --path`.";

async function plan(options: OptionsOf<typeof declarePlan>): Promise<void> {
  const { makeRatePlan, makeRoundsPlan, vantageName, writePlan } = await import("@evenbench/vantages");
  const { chooseOfRepository, isLocal } = await import("../selection.ts");
  if (options.path !== undefined) {
    throw new UsageError(NOT_OWN);
  }
  const {
    rate,
    machines = 2,
    connections = 64,
    stage: stageMs = 20_000,
    region: regions = REGIONS,
  } = options;
  const odd = regions.find((name) => !vantageName.safeParse(name).success);
  if (odd !== undefined) {
    throw new UsageError(
      `"${odd}" cannot name a region. Use lower-case letters, digits and hyphens, such as eu-central-1.`,
    );
  }
  const ofLoad = OF_LOADS.find((name) => name in options);
  if (rate === undefined && ofLoad !== undefined) {
    throw new UsageError(`--${ofLoad} is for a load. Add --rate <list>, or leave it out.`);
  }
  if (rate !== undefined && connections < machines) {
    throw new UsageError(
      `${machines} machines need a connection each, and there are ${connections}. Give more with --connections.`,
    );
  }
  const chosen = await chooseOfRepository(options, async (selected) => {
    const local = selected.find(isLocal);
    if (local !== undefined) {
      throw new UsageError(
        `${local.name} runs on this machine only, where no vantage reaches it. Add --where deployed, or give --target name=URL.`,
      );
    }
    await checkIdentities(selected);
  });
  const signal = interruptible("Stopping; nothing was written.");
  sayNote("Preflight from here ...");
  const onEvent = ({ detail }: { readonly detail: string }) => sayAside(`! ${detail}`);
  const { rounds = 60, warmUp = 20, trials = rate === undefined ? 5 : 3 } = options;
  const planOptions = { ...options, ...chosen, trials, signal, onEvent };
  const plan =
    rate === undefined
      ? await makeRoundsPlan({ ...planOptions, rounds, warmUp })
      : await makeRatePlan({
          ...planOptions,
          machines,
          stageMs,
          loads: rate.map((perSecond) => ({ kind: "open", perSecond, arrivals: "uniform", connections })),
        });
  if (signal.aborted) {
    exit.code = ExitCode.interrupted;
    return;
  }
  say(await writePlan(plan, options.out, regions));
  say(`Nothing was sent yet. ${options.out}/README.md has the commands for each engine.`);
}

function declareRun(parent: Command) {
  const command = parent
    .command("run")
    .description("play a plan on this machine and others over ssh: one after another, or together for a load")
    .argument("<folder>", "the folder of the plan")
    .requiredOption("--at <vantage...>", "name=ssh:user@machine, or name=local", collect)
    .option("--together", "play on all vantages at once, although they then queue behind each other")
    .addOption(shared.deployments())
    .option(
      "--token-for <host...>",
      "send EVENBENCH_TOKEN to the plan's closed targets at this host, too, such as worker.example.workers.dev",
      collect,
    );
  return withExamples(command, [
    "npm run bench -- vantages run vantages/react --at eu=ssh:me@vm1 --at here=local",
    "from another machine, then from here",
  ]);
}

async function play(folder: string, options: OptionsOf<typeof declareRun>): Promise<void> {
  const { at, together } = options;
  const { parsePlaces, readPlan, runVantages } = await import("@evenbench/vantages");
  const places = parsePlaces(at);
  const read = await readPlan(folder);
  await checkLoopback(read.plan, places);
  const token = await tokenOf(read.plan, options);
  if (read.plan.kind === "rounds" && together && places.length > 1) {
    sayAside(
      "! All vantages at the same time: they queue behind each other in one instance, and what is measured is also that. Without --together they take turns.",
    );
  }
  const signal = interruptible("Stopping; the logs of vantages that are done are kept.");
  const outcomes = await runVantages({
    read,
    places,
    token,
    together: together === true,
    signal,
    onStart: ({ vantage, destination }) =>
      sayNote(`${vantage}: playing on ${destination ?? "this machine"} ...`),
    onEnd({ vantage, log, exchanges, problem }) {
      if (problem === null) {
        say(`${vantage}: ${exchanges} requests, ${log}`);
      } else {
        sayAside(`! ${vantage} is incomplete: ${problem}`);
      }
    },
  });
  if (signal.aborted) {
    exit.code = ExitCode.interrupted;
  } else if (outcomes.some(({ problem }) => problem !== null)) {
    exit.code = ExitCode.failed;
  }
}

/** A plan whose targets are on this machine asks other machines for what they have at that address themselves. */
async function checkLoopback(plan: Plan, places: readonly Place[]): Promise<void> {
  const { isLoopback } = await import("@evenbench/vantages");
  const here = plan.run.targets.find(({ url, copyOf }) => copyOf === null && isLoopback(url ?? ""));
  const elsewhere = places.find(({ destination }) => destination !== null);
  if (here === undefined || elsewhere === undefined) {
    return;
  }
  const { destination, vantage } = elsewhere;
  const what = `${here.name} is at ${here.url}, and for ${vantage} that is ${destination} itself.`;
  if (plan.closed.includes(here.name)) {
    throw new UserError(
      `${what} Its token is not sent there. Plan for an address that all machines reach, or play it with --at name=local.`,
    );
  }
  sayAside(`! ${what} Plan for an address that all machines reach.`);
}

/**
 * The token of a plan's closed targets; null where there are none. A plan may come from a stranger: what it
 * says of hosts is not believed, so each is one that was deployed from here or that the user names.
 */
async function tokenOf(
  plan: Plan,
  { deployments, tokenFor = [] }: Pick<OptionsOf<typeof declareRun>, "deployments" | "tokenFor">,
): Promise<string | null> {
  const closed = plan.run.targets.filter(({ name, copyOf }) => copyOf === null && plan.closed.includes(name));
  const hosts = closed.map(({ url }) => new URL(url ?? "").host);
  const unknown = tokenFor.find((host) => !hosts.includes(host));
  if (unknown !== undefined) {
    const known = hosts.length === 0 ? "none of its targets is closed" : `they are at ${hosts.join(", ")}`;
    throw new UsageError(
      `--token-for names "${unknown}", and no closed target of the plan is there: ${known}.`,
    );
  }
  if (closed.length === 0) {
    return null;
  }
  const { tokenForUrl } = await import("@evenbench/deploy");
  let token: string | null = null;
  for (const { name, url } of closed) {
    token = await tokenForUrl(deployments, url ?? "", tokenFor);
    if (token === null) {
      throw new UserError(noToken(name, url ?? ""));
    }
  }
  return token;
}

function noToken(name: string, url: string): string {
  const { host } = new URL(url);
  return `${name} at ${url} serves only callers with its token, and no token is known to be meant for it. Give the deployments.json that lists it with --deployments; or, if it is yours, set EVENBENCH_TOKEN and add --token-for ${host}.`;
}

function declareCollect(parent: Command) {
  const command = parent
    .command("collect")
    .description("make a run or a load, with its report, from the clients' logs")
    .argument("<folder>", "the folder of the plan")
    .argument("[logs...]", "logs as k6, kubectl or AWS gives them (default: all in the folder's logs/)")
    .addOption(shared.out("the results folder"))
    .option("--anyway", "also collect incomplete logs, or mixed versions of HTTP; the report says so");
  return withExamples(withOutput(command), [
    "npm run bench -- vantages collect vantages/react",
    "every log that `vantages run` left there",
  ]);
}

async function collectLogsOf(
  folder: string,
  named: readonly string[],
  options: OptionsOf<typeof declareCollect>,
): Promise<void> {
  const { collectLoad, collectLogs, LOGS_FOLDER, readPlan } = await import("@evenbench/vantages");
  const { reportOn } = await import("../measuring.ts");
  const { plan: played, hash } = await readPlan(folder);
  const logs = named.length > 0 ? named : await logsIn(join(folder, LOGS_FOLDER));
  const terms = { ...options, hash, logs, anyway: options.anyway ?? false };
  const collected =
    played.kind === "rate"
      ? await collectLoad({ ...terms, plan: played })
      : await collectLogs({ ...terms, plan: played });
  for (const problem of collected.problems) {
    sayAside(`! ${problem}`);
  }
  await reportOn(collected.folder, options);
  if (collected.counted > 0) {
    return;
  }
  sayAside("! Nothing in these logs counts: no measured request was answered as it should be.");
  exit.code = ExitCode.failed;
}

async function logsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0) {
    throw new UsageError(`There is no log in ${folder}. Name the files that clients wrote.`);
  }
  return names.sort().map((name) => join(folder, name));
}
