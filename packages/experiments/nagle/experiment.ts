import { defineExperiment, PRIVACY_PROXY } from "../src/define.ts";
import { halfOf, takesMore } from "../src/judge.ts";
import type { SideResult } from "../src/side-results.ts";

/** Published ratio: "40 ms instead of under 1 ms". */
const PUBLISHED_RATIO = 40;

/** Id of the comparison that decides: the stall on Node.js. */
const WITH_NAGLE = "node-nagle";
/** Clients of the service, a comparison each. */
const CLIENTS = [
  { id: WITH_NAGLE, words: "Node.js with Nagle's algorithm", target: "node", noDelay: "off" },
  { id: "node-no-delay", words: "Node.js with TCP_NODELAY", target: "node", noDelay: "on" },
  { id: "cloudflare", words: "Worker", target: "cloudflare", noDelay: "on" },
];
/** The same command as one write and as three; nothing else lies between two checks of a side. */
const WRITES = ["joined", "split"];

/** The claim has one part: the stall on Node.js, the only side that can have it. */
export default defineExperiment({
  title: "Three small writes and Nagle's algorithm",
  claim:
    "Three small writes instead of one meet Nagle's algorithm and delayed acknowledgement: 40 ms instead of under 1 ms for each check.",
  source: PRIVACY_PROXY,
  published: "40 ms against under 1 ms",
  timeS: 90,
  comparisons: CLIENTS.map(({ id, target, noDelay }) => ({
    id,
    caseId: "double-spend",
    sides: WRITES.map((writes) => ({ name: writes, target, parameters: { noDelay, pool: 1, writes } })),
  })),
  figures: [
    ...CLIENTS.map(({ id, words }) => ({
      comparison: id,
      side: "split",
      against: "joined",
      metric: "lastByteMs" as const,
      label: `${words}: time of a check, split / joined`,
      ...(id === WITH_NAGLE && { rule: takesMore(halfOf(PUBLISHED_RATIO)) }),
    })),
    ...CLIENTS.flatMap(({ id }) =>
      WRITES.map((side) => ({
        comparison: id,
        side,
        unit: "ms" as const,
        label: `${id}, ${side}: median time of a check`,
        pick: ({ lastByteMs }: SideResult) => lastByteMs,
      })),
    ),
  ],
  note: "workerd always sets TCP_NODELAY and offers no switch, so the stall can only be shown on Node.js, where node:net leaves it off unless it is asked for.",
});
