import { plainSample, syntheticRun } from "@evenbench/report/testing/synthetic";
import type { Run, Sample } from "@evenbench/results";
import { seededRandom } from "@evenbench/stats";

// A synthetic run of several vantages: nothing here was measured.

/** A vantage of a synthetic run. */
export interface SyntheticVantage {
  readonly name: string;
  /** Milliseconds that its route takes for all targets. */
  readonly routeMs: number;
  /** The edge through which it reaches cloudflare. Default: none is named. */
  readonly edge?: string;
  /** Number of requests of others that instances served between its own, at the end of each trial. */
  readonly strangers?: number;
}

const PLACES: readonly SyntheticVantage[] = [
  { name: "asia", routeMs: 110, edge: "NRT" },
  { name: "here", routeMs: 2, edge: "FRA" },
  { name: "us", routeMs: 45, edge: "IAD" },
  { name: "brazil", routeMs: 80, edge: "GRU" },
  { name: "oceania", routeMs: 140, edge: "SYD" },
];
const VANTAGE_TRIALS = 4;
const VANTAGE_ROUNDS = 20;

/** A run and its samples. */
export interface SyntheticRun {
  readonly run: Run;
  readonly samples: readonly Sample[];
}

/** Makes a run of one client in each place, which asks two cases of node, its A/A copy, cloudflare and vercel. */
export function syntheticVantages(places: readonly SyntheticVantage[] = PLACES): SyntheticRun {
  const { plan, ...run } = syntheticRun({});
  const client = {
    client: "1",
    nonce: "0123456789abcdef",
    startedAt: "2026-11-22T10:00:00.000Z",
    elapsedMs: 90_000,
    planned: 960,
    logged: 960,
    lacks: null,
    trials: VANTAGE_TRIALS,
  };
  const vantages = places.map(({ name }, place) => {
    return { name, clients: [{ ...client, firstTrial: VANTAGE_TRIALS * place }] };
  });
  const cases = plan.cases.filter(({ id }) => ["react-ssr", "trig"].includes(id));
  const targets = plan.targets.map((target) => {
    return { ...target, place: "url" as const, url: `https://${target.platform}.example` };
  });
  const trials = { minimum: VANTAGE_TRIALS, maximum: VANTAGE_TRIALS };
  const limits = { trials, roundsPerTrial: VANTAGE_ROUNDS, warmUpExchanges: 2, caseLimitMs: {} };
  const nothing = { deployables: {}, usage: [], timelines: [], coldStarts: [], machine: null };
  const made = { ...run, ...nothing, plan: { ...plan, cases, targets, ...limits }, vantages };
  return { run: made, samples: [...vantageSamples(made, places)] };
}

/** Makes the samples: cloudflare takes 5 ms more from everywhere, but in "trig", where it is the route that decides. */
function* vantageSamples({ plan }: Run, places: readonly SyntheticVantage[]): Iterable<Sample> {
  const random = seededRandom(1);
  for (const { id: caseId } of plan.cases) {
    for (const [place, { name: vantage, routeMs, edge = null, strangers = 0 }] of places.entries()) {
      for (let nth = 0; nth < VANTAGE_TRIALS; nth++) {
        for (const [position, { name }] of plan.targets.entries()) {
          const moreMs = caseId === "trig" ? 4 * place - 6 : 5;
          const lean = 0.4 * (random() - 0.5) + (name === "cloudflare" ? moreMs : 0);
          const from = {
            vantage,
            client: "1",
            edge: name === "cloudflare" ? edge : null,
            httpVersion: "HTTP/1.1",
          };
          for (let index = -1; index < 2 * VANTAGE_ROUNDS; index++) {
            const measured = index < VANTAGE_ROUNDS ? "measure" : "transfer";
            const phase = index === -1 ? "warmup" : measured;
            const lastByteMs = routeMs + (phase === "transfer" ? 1 : 20 + lean) + random() - 0.5;
            yield {
              ...plainSample(caseId, name, VANTAGE_TRIALS * place + nth, 1000 * (index + 1) + 200 * position),
              phase,
              position,
              roundIndex: index === -1 ? 0 : index % VANTAGE_ROUNDS,
              connectMs: index === -1 ? routeMs : null,
              firstByteMs: lastByteMs - 0.2,
              lastByteMs,
              from,
              instanceId: `${name}-${edge}`,
              served: index + 100 + (index === VANTAGE_ROUNDS - 1 ? strangers : 0),
            };
          }
        }
      }
    }
  }
}
