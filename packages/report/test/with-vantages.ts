import {
  createRunFolder,
  type Run,
  type Sample,
  SampleTable,
  SampleWriter,
  writeRun,
} from "@evenbench/results";
import { analyseRun, type ReportData } from "../src/index.ts";
import { syntheticRun } from "./synthetic.ts";

// Synthetic runs of several vantages, for tests of the report alone: nothing here was measured.

export interface SyntheticVantage {
  readonly name: string;
  /** What its route takes for all targets. Milliseconds. */
  readonly routeMs: number;
  /** How much longer cloudflare takes from there. */
  readonly otherMs: number;
  readonly edge: string | null;
  /** Of how many others' requests its own are between, at the end of each trial. */
  readonly strangers?: number;
  readonly clients?: number;
}

const PLACES: readonly SyntheticVantage[] = [
  { name: "asia", routeMs: 110, otherMs: 5, edge: "NRT" },
  { name: "here", routeMs: 2, otherMs: 5, edge: "FRA" },
  { name: "us", routeMs: 45, otherMs: 5, edge: "IAD" },
  { name: "brazil", routeMs: 80, otherMs: 5, edge: "GRU" },
  { name: "oceania", routeMs: 140, otherMs: 5, edge: "SYD", clients: 2 },
];
/** Every case takes the same from everywhere, "trig" aside: there it is the route that decides. */
const CASES = ["react-ssr", "trig"];
const TRIALS = 4;
const ROUNDS = 20;

/** The run alone: two cases on node, its A/A copy, cloudflare and vercel. */
function vantageRun(places = PLACES, text = ""): Run {
  const run = syntheticRun({ text });
  const vantages = places.map(({ name, clients = 1 }, place) => ({
    name: name + text,
    clients: Array.from({ length: clients }, (_, index) => ({
      client: String(index + 1),
      nonce: "0123456789abcdef",
      startedAt: "2026-11-22T10:00:00.000Z",
      elapsedMs: 90_000,
      planned: 960,
      logged: 960,
      lacks: null,
      firstTrial: 10 * TRIALS * place + TRIALS * index,
      trials: TRIALS,
    })),
  }));
  return {
    ...run,
    plan: {
      ...run.plan,
      cases: run.plan.cases.filter(({ id }) => CASES.includes(id)),
      targets: run.plan.targets.map((one) => ({
        ...one,
        place: "url",
        url: `https://${one.name.split("~")[0]}.example`,
      })),
      trials: { minimum: TRIALS, maximum: TRIALS },
      roundsPerTrial: ROUNDS,
      warmUpExchanges: 2,
      caseBudgetMs: {},
    },
    machine: null,
    vantages,
    deployables: {},
    usage: [],
    timelines: [],
    coldStarts: [],
  };
}

/** Its samples, the same each time. */
function* vantageSamples(run: Run, places = PLACES): Iterable<Sample> {
  let drawn = 1;
  // Park and Miller: enough for test data.
  const scatter = () => {
    drawn = (drawn * 48_271) % 2_147_483_647;
    return drawn / 2_147_483_647 - 0.5;
  };
  for (const { id: caseId } of run.plan.cases) {
    for (const [place, { routeMs, otherMs, edge, strangers = 0 }] of places.entries()) {
      for (const { client, firstTrial } of run.vantages?.[place]?.clients ?? []) {
        for (let trial = firstTrial; trial < firstTrial + TRIALS; trial++) {
          for (const [position, { name }] of run.plan.targets.entries()) {
            const routeDecides = caseId === "trig" ? 4 * place - 6 : otherMs;
            const lean = 0.4 * scatter() + (name === "cloudflare" ? routeDecides : 0);
            for (let index = -1; index < 2 * ROUNDS; index++) {
              const phase = index === -1 ? "warmup" : index < ROUNDS ? "measure" : "transfer";
              const lastByteMs = routeMs + (phase === "transfer" ? 1 : 20 + lean) + scatter();
              yield {
                caseId,
                target: name,
                trial,
                phase,
                roundIndex: index === -1 ? 0 : index % ROUNDS,
                position,
                startedAtMs: 1000 * (index + 1) + 200 * position,
                connectMs: index === -1 ? routeMs : null,
                firstByteMs: lastByteMs - 0.2,
                lastByteMs,
                cpuMs: null,
                minorFaults: null,
                status: 200,
                bodyBytes: 100,
                instanceId: `${name}-${edge}`,
                served: index + 100 + (index === ROUNDS - 1 ? strangers : 0),
                inFlight: 0,
                from: {
                  vantage: run.vantages?.[place]?.name ?? "",
                  client,
                  edge: name === "cloudflare" ? edge : null,
                  httpVersion: "HTTP/1.1",
                },
                error: null,
              };
            }
          }
        }
      }
    }
  }
}

/** What a report says of it. */
export function analysedVantages(places = PLACES, text = ""): ReportData {
  const run = vantageRun(places, text);
  return analyseRun(run, SampleTable.from(vantageSamples(run, places)));
}

/** Writes it into a new folder below `directory`, through the real writers. @returns the folder. */
export async function writeVantageRun(directory: string): Promise<string> {
  const { folder } = await createRunFolder(directory);
  const run = vantageRun();
  const writer = new SampleWriter(folder);
  for (const sample of vantageSamples(run)) writer.append(sample);
  writer.close();
  await writeRun(folder, { ...run, samples: writer.written });
  return folder;
}
