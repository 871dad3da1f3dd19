import type { SideResult } from "@evenbench/results";
import { type ComparisonPlan, defineExperiment, PRIVACY_PROXY } from "../src/define.ts";
import { halfOf, takesMore } from "../src/judge.ts";

/** "40 ms instead of under 1 ms". */
const PUBLISHED = 40;

/** The same command as one write and as three; nothing else lies between two checks of a side. */
function pair(id: string, target: string, noDelay: "on" | "off"): ComparisonPlan {
  const side = (writes: string) => ({
    name: writes,
    target,
    parameters: { noDelay, pool: 1, writes },
  });
  return { id, caseId: "double-spend", precision: 0.1, sides: ["joined", "split"].map(side) };
}

/** The stall on Node.js decides. */
const WITH_NAGLE = pair("node-nagle", "node", "off");
const PLANS = [WITH_NAGLE, pair("node-no-delay", "node", "on"), pair("cloudflare", "cloudflare", "on")];
const WORDS = ["Node.js with Nagle's algorithm", "Node.js with TCP_NODELAY", "Worker"];

export default defineExperiment({
  title: "Three small writes and Nagle's algorithm",
  claim:
    "Three small writes instead of one meet Nagle's algorithm and delayed acknowledgement: 40 ms instead of under 1 ms for each check.",
  source: PRIVACY_PROXY,
  published: "40 ms against under 1 ms",
  timeS: 90,
  comparisons: PLANS,
  figures: [
    ...PLANS.map(({ id }, index) => ({
      ...{ of: id, side: "split", against: "joined", metric: "lastByteMs" as const },
      label: `${WORDS[index]}: time of a check, split / joined`,
      ...(id === WITH_NAGLE.id && { rule: takesMore(halfOf(PUBLISHED)) }),
    })),
    ...PLANS.flatMap(({ id, sides }) =>
      sides.map(({ name }) => ({
        ...{ of: id, side: name, unit: "ms" as const },
        label: `${id}, ${name}: median time of a check`,
        pick: ({ lastByteMs }: SideResult) => lastByteMs,
      })),
    ),
  ],
  note: "workerd always sets TCP_NODELAY and offers no switch, so the stall can only be shown on Node.js, where node:net leaves it off unless it is asked for.",
});
