import { loadavg } from "node:os";
import { join } from "node:path";
import { type CaseManifest, OWN_SERVER_APP, shellWord } from "@evenbench/core";
import { createLoadReport, type LoadOptions, runLoad } from "@evenbench/load";
import { k6Engine } from "@evenbench/load/k6";
import { type LoadSample, readLoad } from "@evenbench/results";
import { appIdOf, type LocalTarget, ownServerCase, ownServerCommand } from "@evenbench/runner";
import { quantile, sorted } from "@evenbench/stats";
import { KNOWN_MS } from "./known-server.ts";

/** The case that is asked of the app. */
const CASE = "empty";
/** Number of connections of each load. */
const CONNECTIONS = 64;

/** The turns of two clients. */
interface Turns {
  /** Length of one client's turn, with starts and warm-up. */
  readonly seconds: number;
  /** Number of turns of each client. */
  readonly turns: number;
  /** Folder that takes the runs. */
  readonly out: string;
}

/**
 * Measures a target with Evenbench's own client and with k6 at the same rates, in turns, and prints both; and the error
 * of each with a server of known times. Requests come in equal gaps. The known server answers one request
 * at a time.
 */
export async function loadEngines(node: LocalTarget, { seconds, turns, out }: Turns): Promise<void> {
  const engines = [null, await k6Engine()];
  // Both clients can send these rates.
  const all: readonly RatedWork[] = [
    { target: node, cases: await node.app.cases(), rates: [100, 300, 1000] },
    { ...knownServer(), rates: [20] },
  ];
  for (const work of all) {
    for (let turn = 0; turn < turns; turn++) {
      // The order alternates, so that a drift of the machine does not favour one side.
      for (const engine of turn % 2 === 0 ? engines : engines.toReversed()) {
        const client = engine === null ? "our own client" : `${engine.name} ${engine.version}`;
        console.log(`Turn ${turn + 1} of ${client}, load average ${loadavg()[0]?.toFixed(1)}:`);
        await takeTurn({ ...work, engine, timeMs: seconds * 1000, out });
      }
    }
  }
}

/** A target, its cases and the rates at which it is asked, in requests a second. */
interface RatedWork {
  readonly target: LocalTarget;
  readonly cases: readonly CaseManifest[];
  readonly rates: readonly number[];
}

/** Gives the server of known times, and its case. */
function knownServer(): Pick<RatedWork, "target" | "cases"> {
  const command = {
    folder: import.meta.dirname,
    readyPath: "/",
    method: "GET",
    headers: {},
    body: null,
    readyWithinMs: 10_000,
    command: [process.execPath, join(import.meta.dirname, "known-server.ts")].map(shellWord).join(" "),
  };
  const request = { method: "GET", headers: {}, body: null };
  return {
    target: ownServerCommand("known", command, request),
    cases: [ownServerCase("/", [], { ...request, headers: [] }, [])],
  };
}

/** A turn of one client. */
interface Turn extends RatedWork, Pick<LoadOptions, "engine" | "timeMs" | "out"> {}

async function takeTurn({ target, cases, rates, ...how }: Turn): Promise<void> {
  const isMeasured = ({ id }: CaseManifest) => id === CASE || appIdOf(target) === OWN_SERVER_APP;
  const { folder } = await runLoad({
    targets: [{ ...target, instances: 1, workers: 1 }],
    cases: { [appIdOf(target)]: cases.filter(isMeasured) },
    otherCaseIds: cases.filter((manifest) => !isMeasured(manifest)).map(({ id }) => id),
    goal: {
      kind: "sweep",
      loads: rates.map((perSecond) => {
        return { kind: "open", perSecond, arrivals: "uniform", connections: CONNECTIONS } as const;
      }),
    },
    trials: 1,
    ...how,
  });
  const { data, terminal } = await createLoadReport(folder);
  if (data.run.status !== "complete") {
    throw new Error(`The turn is incomplete: ${data.run.events.map(({ detail }) => detail).join(" ")}`);
  }
  console.log(terminal);
  if (appIdOf(target) !== OWN_SERVER_APP) {
    return;
  }
  await printErrors(folder);
}

/** Prints how far the times of a run on the known server are off. @throws where its samples are damaged. */
async function printErrors(folder: string): Promise<void> {
  const samples: LoadSample[] = [];
  const { damage } = await readLoad(folder, (sample) => void samples.push(sample));
  if (damage !== null) {
    throw new Error(`The turn is incomplete: ${damage}`);
  }
  const measured = samples.filter(({ phase, error }) => phase === "measure" && error === null);
  for (const [time, knownMs] of Object.entries(KNOWN_MS) as [keyof typeof KNOWN_MS, number][]) {
    const errors = sorted(measured.map((sample) => (sample[time] ?? Number.NaN) - knownMs));
    const quantiles = [0.5, 0.95].map((share) => quantile(errors, share).toFixed(2));
    console.log(`Error of ${time}, median / p95: ${quantiles.join(" / ")} ms`);
  }
}
