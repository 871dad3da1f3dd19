import { loadavg } from "node:os";
import { type LoadEngine, runLoad } from "@evenbench/load";
import { k6Engine } from "@evenbench/load/k6";
import { type LoadStage, readLoad } from "@evenbench/results";
import type { LocalTarget } from "@evenbench/runner";
import { median, quantile } from "@evenbench/stats";
import { findK6 } from "@evenbench/vantages";
import { row } from "./print.ts";

/** Requests per second that both clients can send. */
const RATES = [100, 300, 1000];
const CASE = "empty";
const CONNECTIONS = 64;

interface Seen {
  readonly stage: LoadStage;
  readonly latencies: Float64Array;
}

interface Turns {
  /** Of one client's turn, with starts and warm-up. */
  readonly seconds: number;
  readonly turns: number;
  readonly out: string;
}

/** Equal gaps, the client on a core of its own. */
export async function loadEngines(target: LocalTarget, { seconds, turns, out }: Turns): Promise<void> {
  if ((await findK6()) === null) return row("Our own client and k6 under load", "k6 is not installed");
  const k6 = await k6Engine();
  const seen = new Map<LoadEngine | null, Seen[]>([
    [null, []],
    [k6, []],
  ]);
  const busyBefore = loadavg()[0] ?? 0;
  for (let turn = 0; turn < turns; turn++) {
    // The order alternates, so that a drift of the machine does not favour one side.
    for (const engine of turn % 2 === 0 ? [null, k6] : [k6, null])
      seen.get(engine)?.push(...(await takeTurn(target, engine, seconds * 1000, out)));
  }
  row("Load average before and after", `${busyBefore.toFixed(1)}, ${(loadavg()[0] ?? 0).toFixed(1)}`);
  for (const perSecond of RATES) for (const [engine, stages] of seen) print(perSecond, engine, stages);
}

async function takeTurn(
  target: LocalTarget,
  engine: LoadEngine | null,
  timeMs: number,
  out: string,
): Promise<readonly Seen[]> {
  const all = await target.app.cases();
  const { folder } = await runLoad({
    targets: [{ name: target.name, target, instances: 1, workers: 1, parameters: {} }],
    cases: { [target.app.id]: all.filter(({ id }) => id === CASE) },
    otherCaseIds: all.map(({ id }) => id).filter((id) => id !== CASE),
    goal: {
      kind: "sweep",
      loads: RATES.map((perSecond) => {
        return { kind: "open", perSecond, arrivals: "uniform", connections: CONNECTIONS } as const;
      }),
    },
    engine,
    trials: 1,
    timeMs,
    out,
  });
  const latencies = new Map<number, number[]>();
  const { run, damage } = await readLoad(folder, ({ stage, phase, error, ...times }) => {
    if (phase !== "measure" || error !== null) return;
    const own = latencies.get(stage) ?? [];
    own.push(times.startedAtMs - times.intendedAtMs + (times.lastByteMs ?? Number.NaN));
    latencies.set(stage, own);
  });
  if (damage !== null || run.status !== "complete") {
    const why = damage ?? run.events.map(({ detail }) => detail).join(" ");
    throw new Error(`A turn of ${engine?.name ?? "our own client"} is incomplete: ${why}`);
  }
  return run.stages.map((stage, index) => {
    return { stage, latencies: Float64Array.from(latencies.get(index) ?? []).sort() };
  });
}

function print(perSecond: number, engine: LoadEngine | null, seen: readonly Seen[]): void {
  const own = seen.filter(({ stage: { load } }) => load.kind === "open" && load.perSecond === perSecond);
  const of = (pick: (one: Seen) => number) => median(own.map(pick));
  const total = (name: "sent" | "late" | "dropped") => own.reduce((sum, { stage }) => sum + stage[name], 0);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((p) =>
    of(({ latencies }) => quantile(latencies, p)).toFixed(2),
  );
  const cpuMs = of(({ stage }) => ((stage.client.cpuMs ?? Number.NaN) * 1000) / stage.completed);
  const name = `${perSecond}/s by ${engine === null ? "our own client" : `${engine.name} ${engine.version}`}`;
  row(`${name}: answers/s`, of(({ stage }) => (stage.completed * 1000) / stage.windowMs).toFixed(1));
  row(`${name}: latency, median / p95 / p99`, `${p50} / ${p95} / ${p99} ms`);
  row(`${name}: late by 2 ms, dropped, of sent`, `${total("late")}, ${total("dropped")}, ${total("sent")}`);
  row(`${name}: the client's CPU for 1,000 requests`, `${cpuMs.toFixed(0)} ms`);
}
