import { findRenderMarker, messageOf } from "@evenbench/core";
import { fetchWhole } from "@evenbench/probe/preflight";
import { startTargets } from "@evenbench/runner";
import { defineExperiment, type Evidence, type MeasureContext, type Side, UNPACKING } from "../src/define.ts";
import { outcomeOf } from "../src/judge.ts";
import { alteredNext } from "../src/sides.ts";

const TARGETS = ["next-node", "next-cloudflare", "next-vercel"] as const;
const REQUESTS_AT_ONCE = 8;
const PAGE_ANSWERS_WITHIN_MS = 30_000;
/** Difference of renderings for each request from which on platforms do different work: 0 is once, 1 is each time. */
const DIFFERENT_RENDERINGS = 0.5;

/** The app built as the framework treats it where nobody says otherwise; a pin of the identity says that it is. */
const NOT_FORCED = alteredNext("not-forced", [
  { file: "app/next-page/page.tsx", from: 'export const dynamic = "force-dynamic";', to: "" },
  { file: "src/respond.ts", from: 'const dynamic = "force-dynamic";', to: 'const dynamic = "not forced";' },
]);

/** Makes the two sides of a target: built with force-dynamic, and without. */
const sidesOfTarget = (target: string): readonly Side[] => [
  { name: "forced", target },
  { name: "not forced", target, build: NOT_FORCED },
];

/** Renderings for each of the requests that came at once, by "target, side"; or why they could not be counted. */
type Renderings = Readonly<Record<string, number | string>>;

/** The claim has one part: how often a page is rendered on three platforms. CPU time stands beside it. */
export default defineExperiment<Renderings>({
  title: "Next.js without force-dynamic",
  claim:
    "Without force-dynamic one platform coalesces, buffers or prerenders a page while the other renders it for each request, so the two do different work.",
  source: UNPACKING,
  published: "different work",
  timeS: 200,
  comparisons: TARGETS.map((target) => ({ id: target, caseId: "next-page", sides: sidesOfTarget(target) })),
  timeBesideComparisons: 0.2,

  async measure(context) {
    const renderings: Record<string, number | string> = {};
    for (const side of TARGETS.flatMap(sidesOfTarget)) {
      if (context.signal.aborted) {
        break;
      }
      const place = `${side.target}, ${side.name}`;
      context.progress(`${place}, ${REQUESTS_AT_ONCE} at once`);
      renderings[place] = await renderingsAtOnce(context, side).catch(messageOf);
    }
    return renderings;
  },

  figures: TARGETS.map((target) => ({
    comparison: target,
    side: "not forced",
    against: "forced",
    metric: "cpu",
    label: `${target}: CPU time, not forced / forced`,
  })),
  decide,
});

async function renderingsAtOnce(context: MeasureContext, side: Side): Promise<number> {
  const served = await startTargets([context.targetOf(side)]);
  try {
    const [host] = served.targets();
    const page = () =>
      fetchWhole(`${host?.url}/next-page`, { timeoutMs: PAGE_ANSWERS_WITHIN_MS, signal: context.signal });
    await page();
    const answers = await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, page));
    const ids = answers.map(({ body }) => findRenderMarker(body.toString("latin1"))?.renderId);
    return new Set(ids).size / REQUESTS_AT_ONCE;
  } finally {
    await served.stop();
  }
}

/**
 * Decides the claim: platforms do different work where pages without force-dynamic are rendered unequally often. With
 * it each request has its own rendering, which is the control.
 */
function decide({ comparisons, measured: renderings, figures }: Evidence<Renderings>) {
  // NaN stands for a number that could not be counted.
  const rendered = (side: string) =>
    TARGETS.map((target) => {
      const alone = comparisons[target]?.sides.find(({ name }) => name === side)?.rendersPerRequest;
      const counted = renderings[`${target}, ${side}`];
      const atOnce = typeof counted === "number" ? counted : Number.NaN;
      return { target, alone: alone ?? Number.NaN, atOnce };
    });
  const forced = rendered("forced");
  const free = rendered("not forced");
  const outcome = outcomeOf(figures);
  const isUncounted = [...forced, ...free].some(
    ({ alone, atOnce }) => Number.isNaN(alone) || Number.isNaN(atOnce),
  );
  if (isUncounted) {
    const why = Object.entries(renderings).filter(([, found]) => typeof found === "string");
    const failed = why.map(([place, message]) => ` ${place}, ${REQUESTS_AT_ONCE} at once: ${message}`);
    return { ...outcome, reason: `Not every side could be measured; the notes say which.${failed.join("")}` };
  }
  if (forced.some(({ alone, atOnce }) => Math.min(alone, atOnce) < 1)) {
    const reason =
      "The control failed: with force-dynamic, too, a rendering was used for more than one request.";
    return { ...outcome, reason };
  }
  const areDifferent = (values: readonly number[]) =>
    Math.max(...values) - Math.min(...values) > DIFFERENT_RENDERINGS;
  const isDifferent =
    areDifferent(free.map(({ alone }) => alone)) || areDifferent(free.map(({ atOnce }) => atOnce));
  const said = free.map(
    ({ target, alone, atOnce }) =>
      `${target} ${alone.toFixed(2)} (${REQUESTS_AT_ONCE} at once: ${atOnce.toFixed(2)})`,
  );
  return {
    ...outcome,
    verdict: isDifferent ? ("reproduced" as const) : ("not reproduced" as const),
    reason: `Renderings for each request without force-dynamic: ${said.join(", ")}; with it 1.00 everywhere.`,
  };
}
