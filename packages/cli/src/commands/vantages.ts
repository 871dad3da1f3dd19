import { type Command, Option } from "@commander-js/extra-typings";
import { UsageError } from "@evenbench/core/errors";
import type { Target } from "@evenbench/runner";
import type { Collected, ReadPlan, VantagePlan } from "@evenbench/vantages";
import { askedFor } from "../asked.ts";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { withExamples } from "../help.ts";
import { collectNames, durationFrom, parseRates, wholeNumber } from "../option-values.ts";
import { type OptionsOf, shared, withOutput, withTargets } from "../options.ts";
import { say, sayNote } from "../say.ts";

/** Declares the command: below it are `plan`, `run` and `collect`. */
export function declare(program: Command) {
  const command = program
    .command("vantages")
    .helpGroup("Measure:")
    .description("measure deployed targets from many machines and regions, on k6");
  declarePlan(command).action(writePlanOf);
  declareRun(command).action(play);
  declareCollect(command).action(collect);
  return command;
}

/** Regions of AWS in which both platforms, and most people, are. */
const USUAL_REGIONS = ["us-east-1", "eu-central-1", "ap-northeast-1"];

/** Options that a plan of rounds has no use for. */
const OPTIONS_OF_LOADS = ["machines", "connections", "stage"];
const USUAL_PLAN = {
  rounds: 60,
  warmUp: 20,
  trialsOfRounds: 5,
  trialsOfLoads: 3,
  machines: 2,
  connections: 64,
  stageMs: 20_000,
};
/** Reads the length of a stage. k6 refuses a shorter scenario than 2 s. */
const parseStage = durationFrom(2000, "2s");

function declarePlan(parent: Command) {
  const command = parent
    .command("plan")
    .description("preflight from here, then write the plan, a script for k6, and what each engine needs")
    .requiredOption("-o, --out <folder>", "an empty or new folder")
    .optionsGroup("What to measure:")
    .addOption(shared.cases())
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
    .option("--region <name...>", "regions for Kubernetes and AWS; of a load the first", collectNames)
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
      "npm run bench -- vantages plan --deployed --case react-ssr --rounds 60 --out vantages/react",
      "a plan for one case",
    ],
    [
      "npm run bench -- vantages plan --deployed --case trig --rate 2000 --machines 4 --out loads/first",
      "a load from four machines",
    ],
  );
}

type PlanCommandOptions = OptionsOf<typeof declarePlan>;

async function writePlanOf(options: PlanCommandOptions): Promise<void> {
  const { writePlan } = await import("@evenbench/vantages");
  const regions = options.region ?? USUAL_REGIONS;
  await checkPlanOptions(options, regions);
  const signal = interruptible("Stopping; nothing was written.");
  const plan = await makePlan(options, signal);
  if (signal.aborted) {
    exit.code = ExitCode.interrupted;
    return;
  }
  say(await writePlan(plan, options.out, regions));
  say(`Nothing was sent yet. ${options.out}/README.md has the commands for each engine.`);
}

/** Refuses options that no plan can have, before targets are asked. @throws {UsageError} with what to change. */
async function checkPlanOptions(options: PlanCommandOptions, regions: readonly string[]): Promise<void> {
  const { NOT_FOR_OWN_SERVERS, vantageName } = await import("@evenbench/vantages");
  if (options.path !== undefined) {
    throw new UsageError(NOT_FOR_OWN_SERVERS);
  }
  const wrongRegion = regions.find((name) => !vantageName.safeParse(name).success);
  if (wrongRegion !== undefined) {
    throw new UsageError(
      `"${wrongRegion}" cannot name a region. Use lower-case letters, digits and hyphens, such as eu-central-1.`,
    );
  }
  const { rate, machines = USUAL_PLAN.machines, connections = USUAL_PLAN.connections } = options;
  const ofLoad = OPTIONS_OF_LOADS.find((name) => name in options);
  if (rate === undefined && ofLoad !== undefined) {
    throw new UsageError(`--${ofLoad} is for a load. Add --rate <list>, or leave it out.`);
  }
  if (rate !== undefined && connections < machines) {
    throw new UsageError(
      `${machines} machines need a connection each, and there are ${connections}. Give more with --connections.`,
    );
  }
}

/** Has preflight ask the targets from here, and plans rounds, or with --rate a load. */
async function makePlan(options: PlanCommandOptions, signal: AbortSignal): Promise<VantagePlan> {
  const { makeRatePlan, makeRoundsPlan } = await import("@evenbench/vantages");
  const { chooseOfRepository } = await import("../selection.ts");
  const chosen = await chooseOfRepository(options, checkTargetsOf);
  sayNote("Preflight from here ...");
  const onEvent = ({ detail }: { readonly detail: string }): void => sayNote(`! ${detail}`);
  const { rate, rounds = USUAL_PLAN.rounds, warmUp = USUAL_PLAN.warmUp } = options;
  const common = { ...options, ...chosen, asked: askedFor(), signal, onEvent };
  if (rate === undefined) {
    const { trials = USUAL_PLAN.trialsOfRounds } = options;
    return makeRoundsPlan({ ...common, trials, rounds, warmUp });
  }
  const {
    machines = USUAL_PLAN.machines,
    connections = USUAL_PLAN.connections,
    stage = USUAL_PLAN.stageMs,
  } = options;
  const { trials = USUAL_PLAN.trialsOfLoads } = options;
  const loads = rate.map((perSecond) => {
    return { kind: "open", perSecond, arrivals: "uniform", connections } as const;
  });
  return makeRatePlan({ ...common, trials, machines, stageMs: stage, loads });
}

/** Refuses targets that no vantage reaches, or that are no targets of Evenbench. */
async function checkTargetsOf(selected: readonly Target[]): Promise<void> {
  const { checkIdentities } = await import("@evenbench/vantages");
  const { isLocal } = await import("../selection.ts");
  const local = selected.find(isLocal);
  if (local !== undefined) {
    throw new UsageError(
      `${local.name} runs on this machine only, where no vantage reaches it. Add --deployed, or give --target name=URL.`,
    );
  }
  await checkIdentities(selected);
}

function declareRun(parent: Command) {
  const command = parent
    .command("run")
    .description("play a plan on this machine and others over ssh: one after another, or together for a load")
    .argument("<folder>", "the folder of the plan")
    .requiredOption("--at <vantage...>", "name=ssh:user@machine, or name=local", collectNames)
    .option("--together", "play on all vantages at once, although they then queue behind each other")
    .addOption(shared.deployments())
    .option(
      "--token-for <host...>",
      "send EVENBENCH_TOKEN to the plan's closed targets at this host, too, such as worker.example.workers.dev",
      collectNames,
    );
  return withExamples(command, [
    "npm run bench -- vantages run vantages/react --at eu=ssh:me@vm1 --at here=local",
    "from another machine, then from here",
  ]);
}

type PlayOptions = OptionsOf<typeof declareRun>;

async function play(folder: string, options: PlayOptions): Promise<void> {
  const { parsePlaces, readPlan, runVantages, tokenFor, warnOfLoopback } = await import(
    "@evenbench/vantages"
  );
  const places = parsePlaces(options.at);
  const read = await readPlan(folder);
  const warning = warnOfLoopback(read.plan, places);
  if (warning !== null) {
    sayNote(`! ${warning}`);
  }
  const token = await tokenFor(read.plan, options.deployments, options.tokenFor);
  warnOfQueues(read, options);
  const signal = interruptible("Stopping; the logs of vantages that are done are kept.");
  const outcomes = await runVantages({
    read,
    places,
    token,
    together: options.together === true,
    signal,
    onStart({ vantage, destination }) {
      sayNote(`${vantage}: playing on ${destination ?? "this machine"} ...`);
    },
    onEnd({ vantage, log, exchanges, problem }) {
      if (problem === null) {
        say(`${vantage}: ${exchanges} requests, ${log}`);
      } else {
        sayNote(`! ${vantage} is incomplete: ${problem}`);
      }
    },
  });
  if (signal.aborted) {
    exit.code = ExitCode.interrupted;
  } else if (outcomes.some(({ problem }) => problem !== null)) {
    exit.code = ExitCode.failed;
  }
}

function warnOfQueues({ plan }: ReadPlan, { at, together }: PlayOptions): void {
  if (plan.kind === "rounds" && together && at.length > 1) {
    sayNote(
      "! All vantages at the same time: they queue behind each other in one instance, and what is measured is also that. Without --together they take turns.",
    );
  }
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

type CollectOptions = OptionsOf<typeof declareCollect>;

async function collect(folder: string, named: readonly string[], options: CollectOptions): Promise<void> {
  const { reportOn } = await import("../measuring.ts");
  const collected = await collectAll(folder, named, options);
  for (const problem of collected.problems) {
    sayNote(`! ${problem}`);
  }
  await reportOn(collected.folder, options);
  if (collected.counted === 0) {
    sayNote("! Nothing in these logs counts: no measured request was answered as it should be.");
    exit.code = ExitCode.failed;
  }
}

/** Makes a run or a load of the logs, as the plan of the folder is one of rounds or of rates. */
async function collectAll(
  folder: string,
  named: readonly string[],
  { out, anyway }: CollectOptions,
): Promise<Collected<unknown>> {
  const { collectLoad, collectLogs, logsOf, readPlan } = await import("@evenbench/vantages");
  const { plan, hash } = await readPlan(folder);
  const logs = named.length > 0 ? named : await logsOf(folder);
  const terms = { out, anyway: anyway ?? false, hash, logs };
  return plan.kind === "rate" ? collectLoad({ ...terms, plan }) : collectLogs({ ...terms, plan });
}
