import { loadavg } from "node:os";
import { join } from "node:path";
import { type CaseManifest, OWN_SERVER_APP, shellWord } from "@evenbench/core";
import { type LoadEngine, runLoad } from "@evenbench/load";
import { k6Engine } from "@evenbench/load/k6";
import { type LoadSample, type LoadStage, readLoad } from "@evenbench/results";
import { appIdOf, type LocalTarget, ownServerCase, ownServerCommand } from "@evenbench/runner";
import { median, quantile } from "@evenbench/stats";
import { KNOWN_MS } from "./known-server.ts";

const CASE = "empty";
const CONNECTIONS = 64;

/** What is asked, at rates that both clients can send. */
interface Asked {
  readonly target: LocalTarget;
  readonly cases: readonly CaseManifest[];
  readonly rates: readonly number[];
}

interface Seen {
  readonly stage: LoadStage;
  readonly samples: readonly LoadSample[];
}

interface Turns {
  /** Of one client's turn, with starts and warm-up. */
  readonly seconds: number;
  readonly turns: number;
  readonly out: string;
}

/** Equal gaps, the client on a core of its own. The known server is answered one request at a time. */
export async function loadEngines(node: LocalTarget, { seconds, turns, out }: Turns): Promise<void> {
  const engines = [null, await k6Engine()];
  const all = [
    { target: node, cases: await node.app.cases(), rates: [100, 300, 1000] },
    { ...knownServer(), rates: [20] },
  ];
  const busyBefore = loadavg()[0] ?? 0;
  for (const asked of all) {
    const seen = new Map(engines.map((engine) => [engine, [] as Seen[]]));
    for (let turn = 0; turn < turns; turn++)
      // The order alternates, so that a drift of the machine does not favour one side.
      for (const engine of turn % 2 === 0 ? engines : engines.toReversed())
        seen.get(engine)?.push(...(await takeTurn(asked, engine, seconds * 1000, out)));
    for (const perSecond of asked.rates)
      for (const [engine, stages] of seen) print(asked, perSecond, engine, stages);
  }
  console.log(`Load average before and after: ${busyBefore.toFixed(1)}, ${(loadavg()[0] ?? 0).toFixed(1)}`);
}

function knownServer() {
  const command = {
    ...{ folder: import.meta.dirname, readyPath: "/", headers: {}, readyWithinMs: 10_000 },
    command: [process.execPath, join(import.meta.dirname, "known-server.ts")].map(shellWord).join(" "),
  };
  const request = { method: "GET", headers: {}, body: null };
  return {
    target: ownServerCommand("known", command, request),
    cases: [ownServerCase("/", [], { ...request, headers: [] }, [])],
  };
}

async function takeTurn(
  { target, cases, rates }: Asked,
  engine: LoadEngine | null,
  timeMs: number,
  out: string,
): Promise<readonly Seen[]> {
  const isAsked = ({ id }: CaseManifest) => id === CASE || appIdOf(target) === OWN_SERVER_APP;
  const { folder } = await runLoad({
    targets: [target],
    cases: { [appIdOf(target)]: cases.filter(isAsked) },
    otherCaseIds: cases.filter((one) => !isAsked(one)).map(({ id }) => id),
    goal: {
      kind: "sweep",
      loads: rates.map((perSecond) => {
        return { kind: "open", perSecond, arrivals: "uniform", connections: CONNECTIONS } as const;
      }),
    },
    engine,
    trials: 1,
    timeMs,
    out,
  });
  const samples: LoadSample[] = [];
  const { run, damage } = await readLoad(folder, (sample) => void samples.push(sample));
  if (damage !== null || run.status !== "complete") {
    const why = damage ?? run.events.map(({ detail }) => detail).join(" ");
    throw new Error(`A turn of ${engine?.name ?? "our own client"} is incomplete: ${why}`);
  }
  const measured = samples.filter(({ phase, error }) => phase === "measure" && error === null);
  return run.stages.map((stage, index) => {
    return { stage, samples: measured.filter((one) => one.stage === index) };
  });
}

function print({ target }: Asked, perSecond: number, engine: LoadEngine | null, seen: readonly Seen[]): void {
  const own = seen.filter(({ stage: { load } }) => load.kind === "open" && load.perSecond === perSecond);
  const medianOf = (pick: (one: Seen) => number) => median(own.map(pick));
  const total = (name: "sent" | "late" | "dropped") => own.reduce((sum, { stage }) => sum + stage[name], 0);
  const quantiles = (ms: (sample: LoadSample) => number, shares: readonly number[]) =>
    shares.map((share) => {
      const of = ({ samples }: Seen) => quantile(Float64Array.from(samples, ms).sort(), share);
      return medianOf(of).toFixed(2);
    });
  const cpuMs = medianOf(({ stage }) => ((stage.client.cpuMs ?? Number.NaN) * 1000) / stage.completed);
  const client = engine === null ? "our own client" : `${engine.name} ${engine.version}`;
  const name = `${target.name}, ${perSecond}/s by ${client}`;
  const latency = quantiles(
    ({ startedAtMs, intendedAtMs, lastByteMs }) => startedAtMs - intendedAtMs + (lastByteMs ?? Number.NaN),
    [0.5, 0.95, 0.99],
  );
  const perSecondSeen = medianOf(({ stage }) => (stage.completed * 1000) / stage.windowMs);
  const say = (words: string) => console.log(`${name}: ${words}`);
  say(`${perSecondSeen.toFixed(1)} answers/s`);
  say(`latency, median / p95 / p99: ${latency.join(" / ")} ms`);
  say(`late by 2 ms, dropped, of sent: ${total("late")}, ${total("dropped")}, ${total("sent")}`);
  say(`the client's CPU for 1,000 requests: ${cpuMs.toFixed(0)} ms`);
  if (appIdOf(target) !== OWN_SERVER_APP) return;
  for (const [time, knownMs] of Object.entries(KNOWN_MS) as [keyof typeof KNOWN_MS, number][]) {
    const error = quantiles((sample) => (sample[time] ?? Number.NaN) - knownMs, [0.5, 0.95]);
    say(`error of ${time}, median / p95: ${error.join(" / ")} ms`);
  }
}
