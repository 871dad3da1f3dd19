import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { LoadEngine, LoadedTarget, LoadGoal } from "@evenbench/load";
import type { Arrivals, OpenLoad } from "@evenbench/results";
import type { Target } from "@evenbench/runner";
import { ExitCode, exit } from "../exit.ts";
import { withExamples } from "../help.ts";
import { UsageError } from "../nearest.ts";
import { firstGiven, given, type OptionsOf, shared, withOutput, withSelection } from "../options.ts";
import { isOfOwnServers, withOwnServers } from "../own-servers.ts";
import { collect, parseConcurrency, parseLimit, parseRates, wholeNumber } from "../quantity.ts";

type LoadOptions = OptionsOf<typeof declare>;

const OF_PLANS = ["--machines", "--region"];

export function declare(program: Command) {
  const command = program
    .command("load")
    .helpGroup("Measure:")
    .description("load targets: sweep concurrency or rates, or find the highest rate within a latency")
    .option("-c, --case <id...>", "a case to load", collect)
    .addOption(
      new Option("--concurrency <list>", 'requests at a time, such as "1,2,4" or "1..32" (default: 1..32)')
        .argParser(parseConcurrency)
        .conflicts(["rate", "capacity"]),
    )
    .addOption(
      new Option("--rate <list>", 'arrivals per second, such as "20" or "10,20,40"')
        .argParser(parseRates)
        .conflicts("capacity"),
    )
    .option(
      "--capacity <condition>",
      'find the highest rate within a latency, such as "p99 <= 250ms"',
      parseLimit,
    )
    .addOption(
      new Option(
        "--arrivals <kind>",
        "gaps between arrivals (default: poisson; k6 makes uniform ones)",
      ).choices(["poisson", "uniform"]),
    )
    .addOption(
      new Option(
        "--engine <name>",
        "what sends the requests: our own client, or k6 for rates that need several cores",
      )
        .choices(["own", "k6"])
        .default("own"),
    )
    .option("--connections <n>", "connections for arrivals at a rate", wholeNumber(1, 1024), 64)
    .option("--instances <n>", "instances of each target, side by side", wholeNumber(1, 64), 1)
    .addOption(shared.workers())
    .option("--trials <n>", "fresh starts of all targets", wholeNumber(1, 50), 3)
    .addOption(shared.serverCores("apart"))
    .addOption(shared.time("case", " (default: 60s; 120s for a capacity)"))
    .addOption(shared.seed())
    .addOption(shared.allow())
    .addOption(shared.out())
    .optionsGroup("From several machines, with k6 (sends nothing; `vantages run` plays it):")
    .option("--plan <folder>", "write a plan of the load into an empty or new folder")
    .option("--machines <n>", "machines that send the load together", wholeNumber(1, 1000), 2)
    .option("--region <name>", "the region of the machines in Kubernetes", "us-east-1");
  return withExamples(
    withOutput(withOwnServers(withSelection(command))),
    ["npm run bench -- load --case react-ssr", "1 to 32 requests at a time"],
    ['npm run bench -- load --case react-ssr --capacity "p99 <= 250ms"', "the highest rate within a latency"],
    ['npm run bench -- load --target new="cmd: node new.js" --path /products', "your own server, unchanged"],
    [
      "npm run bench -- load --engine k6 --where deployed --case trig --rate 2000 --machines 4 --plan loads/first",
      "a plan for four machines",
    ],
  );
}

export default async function load(options: LoadOptions, command: CommandUnknownOpts): Promise<void> {
  if (options.plan !== undefined) return planLoad(options, options.plan);
  const ofPlans = firstGiven(command, OF_PLANS);
  if (ofPlans !== undefined)
    throw new UsageError(
      `${ofPlans} is for a load from several machines. Add --plan <folder>, or leave it out.`,
    );
  refuseForK6(options);
  const { createLoadReport, DEFAULT_LOADS, runLoad } = await import("@evenbench/load");
  const { choose, printLoadReport, watching } = await import("../measuring.ts");
  const { loadProgress } = await import("../progress.ts");
  refuseWithoutCase(options);
  let engine: LoadEngine | null = null;
  const chosen = await choose(options, async (selected) => {
    engine = await engineFor(selected, options);
  });
  const { allow, sameWork, seed, time: timeMs } = options;
  const targets = chosen.targets.map((target) => inInstances(target, options));
  const { clear, ...watched } = watching(loadProgress(process.stderr));
  const { folder, run } = await runLoad({
    ...chosen,
    ...watched,
    targets,
    goal: goalOf(options, DEFAULT_LOADS),
    engine,
    trials: options.trials,
    serverCores: options.serverCores,
    out: options.out,
    ...given({ allow, sameWork, seed, timeMs }),
  });
  clear();
  printLoadReport(await createLoadReport(folder), options);
  if (run.status === "interrupted") exit.code = ExitCode.interrupted;
  else if (run.status !== "complete") exit.code = ExitCode.failed;
}

function refuseWithoutCase(options: LoadOptions): void {
  if (options.case !== undefined || isOfOwnServers(options)) return;
  throw new UsageError(
    'Name what to load: a case (--case react-ssr), or a path of your own servers (--target a="cmd: node server.js" --path /).',
  );
}

function inInstances(target: Target, { instances, workers }: LoadOptions): LoadedTarget {
  if (target.place === "url" && instances > 1)
    throw new UsageError(`--instances starts instances of local targets; ${target.name} runs already.`);
  return { ...target, instances, workers };
}

function refuseForK6({ engine, rate, arrivals }: LoadOptions): void {
  if (engine !== "k6") return;
  if (rate === undefined)
    throw new UsageError("k6 can only send at a rate. Give one, such as --rate 1000, or leave --engine out.");
  if (arrivals === "poisson")
    throw new UsageError(
      "k6 makes arrivals with equal gaps. Leave --arrivals out, or let our own client send: leave --engine out.",
    );
}

async function engineFor(targets: readonly Target[], { engine }: LoadOptions): Promise<LoadEngine | null> {
  if (engine !== "k6") return null;
  const elsewhere = targets.find(({ place, ownServer }) => place === "url" || ownServer !== undefined);
  if (elsewhere !== undefined)
    throw new UsageError(
      `k6 can only load targets that Evenbench starts, and ${elsewhere.name} runs elsewhere. Leave --engine out.`,
    );
  const { k6Engine } = await import("@evenbench/load/k6");
  return k6Engine();
}

function goalOf(
  { concurrency, rate, capacity, connections, engine, ...options }: LoadOptions,
  usual: Extract<LoadGoal, { kind: "sweep" }>["loads"],
): LoadGoal {
  const arrivals = options.arrivals ?? (engine === "k6" ? "uniform" : "poisson");
  if (capacity !== undefined) return { kind: "capacity", condition: capacity, arrivals, connections };
  if (rate !== undefined) return { kind: "sweep", loads: openLoads(rate, arrivals, connections) };
  const loads = concurrency?.map((count) => ({ kind: "closed", connections: count }) as const) ?? usual;
  return { kind: "sweep", loads };
}

const STAGE_MS = 20_000;
/** k6 refuses a shorter scenario; what is shorter is over before its unmeasured part is. */
const LEAST_STAGE_MS = 2000;
/** What a stage takes besides: connections are opened, and the last answers waited for. */
const BESIDES_MS = 14_000;

async function planLoad(options: LoadOptions, folder: string): Promise<void> {
  const { makeRatePlan } = await import("@evenbench/load/remote");
  const { chooseOfRepository } = await import("../cases.ts");
  const { refuseLocal } = await import("../targets.ts");
  const { assertRegions, planFromHere } = await import("./vantages.ts");
  refuseOptions(options);
  refuseWithoutCase(options);
  await assertRegions([options.region]);
  const { trials, machines, allow, seed } = options;
  const loads = openLoads(options.rate ?? [], "uniform", options.connections);
  const chosen = await chooseOfRepository(options, refuseLocal);
  const stageMs = stageMsOf(options, chosen.targets.length * loads.length * trials);
  const asked = { ...chosen, loads, trials, stageMs, machines, ...given({ allow, seed }) };
  await planFromHere(folder, [options.region], (watched) => makeRatePlan({ ...asked, ...watched }));
}

function refuseOptions(options: LoadOptions): void {
  if (options.engine !== "k6")
    throw new UsageError("Only k6 plays a plan for several machines. Add --engine k6 --rate <list>.");
  refuseForK6(options);
  if (options.connections < options.machines)
    throw new UsageError(
      `${options.machines} machines need a connection each, and there are ${options.connections}. Give more with --connections.`,
    );
}

function openLoads(rate: readonly number[], arrivals: Arrivals, connections: number): readonly OpenLoad[] {
  return rate.map((perSecond) => ({ kind: "open", perSecond, arrivals, connections }));
}

function stageMsOf({ time }: LoadOptions, stages: number): number {
  if (time === undefined) return STAGE_MS;
  const stageMs = Math.floor(time / stages) - BESIDES_MS;
  if (stageMs >= LEAST_STAGE_MS) return stageMs;
  const leastS = Math.ceil((stages * (LEAST_STAGE_MS + BESIDES_MS)) / 1000);
  throw new UsageError(
    `${stages} ${stages === 1 ? "stage" : "stages"} of a case need at least ${leastS} s, since each waits ${BESIDES_MS / 1000} s for connections and last answers. Give --time ${leastS}s or more, or fewer rates or --trials.`,
  );
}
