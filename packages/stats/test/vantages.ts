import type { Sample } from "@evenbench/results";
import { seededRandom } from "../src/random.ts";
import { drawNormal, testSample } from "./samples.ts";

export interface TestVantage {
  readonly name: string;
  /** What its route adds to both targets, and to "other" beyond that. Milliseconds. */
  readonly routeMs: number;
  readonly otherMs: number;
  /** Clients, with the edge of each; null where none is named. */
  readonly edges?: readonly (string | null)[];
}

const BASE_MS = 32;
const TRANSFER_MS = 2;
const ROUNDS = 20;

/**
 * Samples of "node", "node~copy" and "other": three trials a client, instances that differ by `instanceSd`
 * milliseconds.
 */
export function testVantages(
  vantages: readonly TestVantage[],
  { trials = 3, instanceSd = 0.3, seed = 1, transferToo = 0 } = {},
): Sample[] {
  const random = seededRandom(seed);
  let trial = -1;
  return vantages.flatMap(({ name, routeMs, otherMs, edges = [null] }) =>
    edges.flatMap((edge, client) =>
      Array.from({ length: trials }, () => {
        trial += 1;
        return ["node", "node~copy", "other"].flatMap((target) => {
          const instance = instanceSd * drawNormal(random);
          const one = (phase: Sample["phase"], roundIndex: number, ms: number) => {
            const times = { lastByteMs: ms + drawNormal(random), firstByteMs: ms / 2 };
            const from = { vantage: name, client: String(client + 1), edge, httpVersion: "HTTP/1.1" };
            return testSample({ target, trial, phase, roundIndex, ...times, from, instanceId: target });
          };
          const extra = target === "other" ? otherMs : 0;
          return Array.from({ length: ROUNDS }, (_, round) => [
            one("measure", round, BASE_MS + routeMs + extra + instance),
            one("transfer", round, TRANSFER_MS + routeMs + (target === "other" ? transferToo : 0)),
          ]).flat();
        });
      }).flat(),
    ),
  );
}
