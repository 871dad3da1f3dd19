import type { Figure, FigureTable, Outcome, Sample } from "@evenbench/results";
import { type ComparisonPlan, defineExperiment, type Evidence, PRIVACY_PROXY } from "../src/define.ts";
import { conclude, halfOf, judgeRatio, ratioFigure, sideFigure } from "../src/judge.ts";

/** "40 ms instead of under 1 ms". */
const PUBLISHED = 40;

/**
 * One pair of sides: the same command as one write and as three, so that nothing else lies between two checks
 * of a side.
 */
function pair(id: string, target: string, noDelay: "on" | "off"): ComparisonPlan {
  const parameters = { noDelay, pool: 1 };
  return {
    id,
    caseId: "double-spend",
    precision: 0.1,
    sides: [
      { name: "joined", target, parameters: { ...parameters, writes: "joined" } },
      { name: "split", target, parameters: { ...parameters, writes: "split" } },
    ],
  };
}

const WITH_NAGLE = pair("node-nagle", "node", "off");
const WITHOUT = pair("node-no-delay", "node", "on");
const WORKER = pair("cloudflare", "cloudflare", "on");
const PLANS = [WITH_NAGLE, WITHOUT, WORKER];

/** Bounds of time buckets, in milliseconds: delayed acknowledgement is 40 ms on Linux. */
const BOUNDS = [1, 2, 5, 10, 20, 39, 60];

export interface Buckets {
  readonly comparison: string;
  readonly side: string;
  /** One more than there are bounds. */
  readonly counts: readonly number[];
}

export default defineExperiment<readonly Buckets[]>({
  title: "Three small writes and Nagle's algorithm",
  claim:
    "Three small writes instead of one meet Nagle's algorithm and delayed acknowledgement: 40 ms instead of under 1 ms for each check.",
  source: PRIVACY_PROXY,
  published: "40 ms against < 1 ms",
  timeS: 90,
  sides: PLANS.flatMap(({ sides }) => sides),
  async measure({ compare, timeMs }) {
    const buckets: Buckets[] = [];
    for (const plan of PLANS) {
      const { samples } = await compare(plan, timeMs / PLANS.length);
      buckets.push(...plan.sides.map(({ name }) => bucketsOf(plan.id, name, samples)));
    }
    return buckets;
  },
  decide,
});

export function bucketsOf(comparison: string, side: string, samples: readonly Sample[]): Buckets {
  const counts = new Array<number>(BOUNDS.length + 1).fill(0);
  for (const { target, lastByteMs, error } of samples) {
    if (target !== side || lastByteMs === null || error !== null) continue;
    const bucket = BOUNDS.findIndex((bound) => lastByteMs < bound);
    const index = bucket === -1 ? BOUNDS.length : bucket;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return { comparison, side, counts };
}

/** The stall on Node.js decides; how it ends, and that a Worker has no switch for it, is shown beside it. */
export function decide({
  comparisons,
  own,
}: Pick<Evidence<readonly Buckets[]>, "comparisons" | "own">): Outcome {
  const question = { side: "split", against: "joined", metric: "lastByteMs" } as const;
  const stall = judgeRatio(comparisons[WITH_NAGLE.id], {
    ...question,
    label: "Node.js with Nagle's algorithm: time of a check, split / joined",
    decidesAt: halfOf(PUBLISHED),
  });
  const times = [WITH_NAGLE, WITHOUT, WORKER].flatMap(({ id, sides }) =>
    sides.map(({ name }) =>
      sideFigure(
        comparisons[id],
        name,
        { label: `${id}, ${name}: median time of a check`, unit: "ms" },
        ({ lastByteMs }) => lastByteMs,
      ),
    ),
  );
  const figures: Figure[] = [
    stall,
    ratioFigure(comparisons[WITHOUT.id], {
      ...question,
      label: "Node.js with TCP_NODELAY: time of a check, split / joined",
    }),
    ratioFigure(comparisons[WORKER.id], {
      ...question,
      label: "Worker: time of a check, split / joined",
    }),
    ...times,
  ];
  const { verdict, reason } = conclude([stall]);
  const worker =
    "workerd always sets TCP_NODELAY and offers no switch, so the stall can only be shown on Node.js, where node:net leaves it off unless it is asked for.";
  return { verdict, reason: `${reason} ${worker}`, figures, tables: [bucketTable(own)] };
}

function bucketTable(own: readonly Buckets[]): FigureTable {
  const head = [
    "checks",
    ...BOUNDS.map((bound, index) => rangeOf(BOUNDS[index - 1], bound)),
    `≥ ${BOUNDS.at(-1)} ms`,
  ];
  const rows = own.map(({ comparison, side, counts }) => [`${comparison}, ${side}`, ...counts.map(String)]);
  return { title: "Checks by the time they took", head, rows };
}

function rangeOf(from: number | undefined, to: number): string {
  return from === undefined ? `< ${to} ms` : `${from}–${to} ms`;
}
