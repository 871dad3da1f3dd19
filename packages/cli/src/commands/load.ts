import { type Command, Option } from "@commander-js/extra-typings";
import { UsageError } from "@evenbench/core/errors";
import type { LoadEngine, LoadedTarget, LoadGoal } from "@evenbench/load";
import type { Target } from "@evenbench/runner";
import { askedFor } from "../asked.ts";
import { withExamples } from "../help.ts";
import { collectNames, parseConcurrency, parseLimit, parseRates, wholeNumber } from "../option-values.ts";
import { type OptionsOf, type OwnAppOptions, shared, withOutput, withTargets } from "../options.ts";
import { addOwnAppOptions } from "../own-app-options.ts";
import { namesOwnServers, withOwnServers } from "../own-server-options.ts";

type LoadCommandOptions = OptionsOf<typeof declare> & Omit<OwnAppOptions, "build">;

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Declares the command `load`. */
export function declare(program: Command) {
  const command = program
    .command("load")
    .helpGroup("Measure:")
    .description("load targets: sweep concurrency or rates, or find the highest rate within a latency")
    .option("-c, --case <id...>", "a case to load", collectNames)
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
    .addOption(shared.memory())
    .addOption(shared.seed())
    .addOption(shared.allow())
    .addOption(shared.out());
  const whole = withOutput(withOwnServers(withTargets(command)));
  addOwnAppOptions(whole);
  return withExamples(
    whole,
    ["npm run bench -- load --case react-ssr", "1 to 32 requests at a time"],
    ['npm run bench -- load --case react-ssr --capacity "p99 <= 250ms"', "the highest rate within a latency"],
    ['npm run bench -- load --target new="cmd: node new.js" --path /products', "your own server, unchanged"],
    ["npm run bench -- load --own-app ../my-app --path /api/hello", "your own app, on every platform"],
  );
}

/** Loads targets by several clients at a time or at rates, or searches for a capacity, and makes a report. */
export default async function load(options: LoadCommandOptions): Promise<void> {
  if (options.engine === "k6" && options.rate === undefined) {
    throw new UsageError("k6 can only send at a rate. Give one, such as --rate 1000, or leave --engine out.");
  }
  const { DEFAULT_LOADS, runLoad } = await import("@evenbench/load");
  const { choose, finish, progressListeners: watching } = await import("../measuring.ts");
  const { loadDescriber } = await import("../load-progress.ts");
  if (options.case === undefined && !namesOwnServers(options)) {
    throw new UsageError(
      'Name what to load: a case (--case react-ssr), a path of your own servers (--target a="cmd: node server.js" --path /), or your own app (--own-app ../my-app --path /).',
    );
  }
  let engine: LoadEngine | null = null;
  const chosen = await choose(options, async (selected) => {
    engine = await engineFor(selected, options);
  });
  const targets = chosen.targets.map((target) => inInstances(target, options));
  const { clear, ...watched } = watching(loadDescriber(chosen.cases));
  const { folder } = await runLoad({
    ...options,
    ...chosen,
    ...watched,
    asked: askedFor(),
    targets,
    engine,
    goal: goalOf(options, DEFAULT_LOADS),
    ...(options.time !== undefined && { timeMs: options.time }),
  });
  clear();
  await finish(folder, options, watched.signal);
}

function inInstances(target: Target, { instances, workers }: LoadCommandOptions): LoadedTarget {
  if (target.place === "url" && instances > 1) {
    throw new UsageError(`--instances starts instances of local targets; ${target.name} runs already.`);
  }
  return { ...target, instances, workers };
}

async function engineFor(
  targets: readonly Target[],
  { engine }: LoadCommandOptions,
): Promise<LoadEngine | null> {
  if (engine !== "k6") {
    return null;
  }
  const elsewhere = targets.find(({ place }) => place === "url");
  if (elsewhere !== undefined) {
    throw new UsageError(
      `k6 can only load targets that Evenbench starts, and ${elsewhere.name} runs elsewhere. Leave --engine out.`,
    );
  }
  const own = targets.find(({ ownServer }) => ownServer !== undefined);
  if (own !== undefined) {
    throw new UsageError(
      `k6 can only load the targets of this repository, and ${own.name} is a server of your own. Leave --engine out.`,
    );
  }
  const { k6Engine } = await import("@evenbench/load/k6");
  return k6Engine();
}

function goalOf(
  { concurrency, rate, capacity, connections, engine }: LoadCommandOptions,
  usual: Extract<LoadGoal, { kind: "sweep" }>["loads"],
): LoadGoal {
  // k6 makes equal gaps.
  const arrivals = engine === "k6" ? "uniform" : "poisson";
  if (capacity !== undefined) {
    return { kind: "capacity", condition: capacity, arrivals, connections };
  }
  if (rate !== undefined) {
    const loads = rate.map((perSecond) => ({ kind: "open", perSecond, arrivals, connections }) as const);
    return { kind: "sweep", loads };
  }
  const loads = concurrency?.map((count) => ({ kind: "closed", connections: count }) as const) ?? usual;
  return { kind: "sweep", loads };
}
