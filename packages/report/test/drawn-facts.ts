// Facts that are drawn at random, for tests of what is made from them: nothing here was measured.
import type { Random } from "@evenbench/stats/random";
import type {
  CaseFacts,
  Change,
  Facts,
  Flag,
  Level,
  Metric,
  NextStep,
  Notice,
  RunFacts,
  TargetFacts,
  Trend,
  Verdict,
  Why,
} from "../src/facts/facts.ts";
import { foundAt } from "../src/facts/notices.ts";
import { levelIn } from "../src/facts/rows.ts";
import { FLAG_WORDS } from "../src/words/mark.ts";
import { testTrend } from "./synthetic.ts";

/** Names that a text could take for something of its own. */
const TRAPS = [
  "A",
  "same",
  "faster in 3 of 7",
  "Node.js",
  "x|y",
  "*",
  "? no",
  "In",
  "one, two and three",
  "<b>bold</b> & `code`",
  "日本語のサーバー",
  "=1+1",
  "long ".repeat(20).trim(),
  "w".repeat(100),
];
const VERDICTS: readonly Verdict[] = ["faster", "slower", "same", "unclear", "none"];
const FLAGS = Object.keys(FLAG_WORDS) as Flag[];
const WITHOUT_VERDICT: readonly Why[] = ["not-warm", "no-answer", "cached", "not-built"];
const WITHOUT_INTERVAL: readonly Why[] = ["few-trials", "scattered", "too-wide"];

/** What draws from one source of random numbers. */
interface Draw {
  readonly number: (below: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly happens: (share: number) => boolean;
  readonly some: <Item>(items: readonly Item[], count: number) => readonly Item[];
}

function drawFrom(random: Random): Draw {
  const number = (below: number) => Math.floor(random() * below);
  const pick = <Item>(items: readonly Item[]) => items[number(items.length)] as Item;
  const some = <Item>(items: readonly Item[], count: number) => {
    const keyed = items.map((item) => ({ item, key: random() }));
    return keyed
      .toSorted((a, b) => a.key - b.key)
      .slice(0, count)
      .map(({ item }) => item);
  };
  return { number, pick, happens: (share) => random() < share, some };
}

/** Draws the facts of a run: of cases, of own servers, of an app or of two states, whole or not, with all kinds of changes. */
export function drawnFacts(random: Random): Facts {
  const draw = drawFrom(random);
  const of = draw.pick<RunFacts["of"]>(["cases", "cases", "servers", "app", "states"]);
  const quick = of !== "states" && draw.happens(0.1);
  const apps = of === "cases" ? draw.some(["bundle", "next"], 1 + draw.number(2)) : ["own"];
  const platforms = draw.some(TRAPS, of === "states" ? 1 + draw.number(3) : 2 + draw.number(3));
  const isAbsent = of !== "states" && platforms.length > 2 && draw.happens(0.2);
  const targets = apps
    .flatMap((app) => platforms.flatMap((platform) => drawTargets(draw, { app, platform, of })))
    .map((target) =>
      isAbsent && target.column === platforms[0] ? { ...target, absent: NOT_BUILT } : target,
    );
  const cases = Array.from({ length: 1 + draw.number(9) }, (_, index) =>
    drawCase(draw, index, of, draw.pick(apps)),
  );
  const levels = cases.flatMap((each) => drawLevels(draw, each, targets));
  const unit = of === "cases" && draw.happens(0.2) ? "ms" : "ratio";
  const changes = quick ? [] : cases.flatMap((each) => drawChanges(draw, each, targets, unit));
  const starts = quick ? [] : drawStarts(draw, cases, targets);
  const ofCases = cases.map((each) => ({
    ...each,
    baseline: of === "states" ? null : baselineOf(each, targets),
  }));
  return {
    schema: 1,
    rules: 1,
    run: drawRun(draw, of, quick),
    cases: ofCases,
    targets: [...targets, ...(of === "states" ? [] : [copyOf(targets)])],
    levels: [...levels, ...starts.map(({ target }) => levelOfStart(draw, target))],
    changes: [...changes, ...starts],
    trends: cases.flatMap((each) => targetsOf(each, targets).map((target) => drawTrend(draw, each, target))),
    answers: [],
    settings: [],
    notices: drawNotices(draw, ofCases, targets),
    next: draw.happens(0.5) ? [drawStep(draw, cases)] : [],
    app: null,
  };
}

const NOT_BUILT = { code: "not-built", quote: "error: no such file" } as const;

/** What a target is of. */
interface TargetPlace {
  readonly app: string;
  readonly platform: string;
  readonly of: RunFacts["of"];
}

/** Draws the target of an app on a platform; two where two states are compared. */
function drawTargets(draw: Draw, { app, platform, of }: TargetPlace): readonly TargetFacts[] {
  const states = of === "states" ? (["before", "after"] as const) : [null];
  const isPriced = draw.happens(0.5);
  return states.map((state) => ({
    name: [app, platform, state].filter((part) => part !== null).join(" on "),
    platform: of === "servers" ? null : platform,
    app,
    column: platform,
    spoken: platform,
    copyOf: null,
    state,
    colour: draw.number(5),
    runtime: draw.pick([null, "Node.js 26.12.1", "workerd 1.20261117.1"]),
    engine: null,
    adapter: null,
    artifact: null,
    size: draw.pick([null, { bytes: 61_800, gzipBytes: 16_200 }]),
    usdPerCpuHour: isPriced ? 0.072 : null,
    usdPerMillion: isPriced ? 0.3 : null,
    limits: [],
    absent: null,
  }));
}

function copyOf([original]: readonly TargetFacts[]): TargetFacts {
  const { name = "", spoken = "" } = original ?? {};
  const copy = { name: `${name}~copy`, column: `${name}~copy`, spoken: `copy of ${spoken}`, copyOf: name };
  return { ...(original as TargetFacts), ...copy };
}

function drawCase(draw: Draw, index: number, of: RunFacts["of"], app: string): CaseFacts {
  const trap = draw.pick(TRAPS);
  return {
    id: `case-${index}`,
    title: `${trap} ${index}`,
    description: "",
    path: of === "servers" || of === "app" ? `/${index}?q=${trap}` : null,
    app,
    kindOfWork: "rendering",
    source: null,
    streams: draw.happens(0.3),
    baseline: null,
    notSameCode: draw.happens(0.1) ? "Another library." : null,
    bodiesVary: null,
  };
}

/** The targets of a case's app that are there: the first one is its baseline, where no two states are compared. */
function targetsOf(each: Pick<CaseFacts, "app">, targets: readonly TargetFacts[]): readonly TargetFacts[] {
  return targets.filter(({ app, absent }) => app === each.app && absent === null);
}

function baselineOf(each: CaseFacts, targets: readonly TargetFacts[]): string | null {
  return targetsOf(each, targets)[0]?.name ?? null;
}

function drawLevels(draw: Draw, each: CaseFacts, targets: readonly TargetFacts[]): readonly Level[] {
  const metrics: readonly Metric[] = ["lastByteMs", "firstByteMs", "cpuMs", "coldStartMs", "memoryBytes"];
  return targetsOf(each, targets).flatMap(({ name }) =>
    metrics
      .filter((metric) => metric === "lastByteMs" || draw.happens(0.6))
      .map((metric) => levelIn(each.id)(name, metric, 1 + draw.number(500))),
  );
}

/** Draws the changes of a case: those that it was made for, and others of the same targets that no text may count. */
function drawChanges(
  draw: Draw,
  each: CaseFacts,
  targets: readonly TargetFacts[],
  unit: Change["unit"],
): readonly Change[] {
  const pairs = pairsOf(targetsOf(each, targets));
  const metrics: readonly Metric[] = ["lastByteMs", "firstByteMs", "cpuMs", "coldStartMs"];
  return pairs.flatMap((pair) => {
    const of = metrics.filter((metric) => metric === "lastByteMs" || draw.happens(0.5));
    const main = of.map((metric) =>
      drawChange(draw, { case: each.id, ...pair, metric, unit, role: "main", place: null }),
    );
    const swapped = { target: pair.baseline, baseline: pair.target };
    const timed = { case: each.id, ...swapped, metric: "lastByteMs", unit } as const;
    const other = { ...timed, role: "other", place: null } as const;
    const copy = { ...other, ...pair, target: `${pair.baseline}~copy`, role: "copy" } as const;
    const fromPlace = { ...other, ...pair, role: "main", place: "fra" } as const;
    const uncounted = [other, copy, fromPlace].filter(() => draw.happens(0.5));
    return [...main, ...uncounted.map((change) => drawChange(draw, change))];
  });
}

/** Names which targets are compared, and each with which: two states of one column, else all with the first. */
function pairsOf(targets: readonly TargetFacts[]): readonly Pick<Change, "target" | "baseline">[] {
  const befores = targets.filter(({ state }) => state === "before");
  const [first] = targets;
  return targets.flatMap((target) => {
    const before = befores.find(({ column }) => column === target.column);
    const baseline = befores.length > 0 ? before : first;
    const isCompared = baseline !== undefined && target.state !== "before" && target !== baseline;
    return isCompared ? [{ target: target.name, baseline: baseline.name }] : [];
  });
}

/** Draws the changes of starts, of the targets of each app that some case has. */
function drawStarts(
  draw: Draw,
  cases: readonly CaseFacts[],
  targets: readonly TargetFacts[],
): readonly Change[] {
  const apps = draw.happens(0.5) ? [...new Set(cases.map(({ app }) => app))] : [];
  const of = { case: null, metric: "startupCpuMs", unit: "ratio", role: "main", place: null } as const;
  return apps.flatMap((app) =>
    pairsOf(targetsOf({ app }, targets)).map((pair) => drawChange(draw, { ...of, ...pair })),
  );
}

function levelOfStart(draw: Draw, target: string): Level {
  return levelIn(null)(target, "startupCpuMs", 1 + draw.number(500));
}

/** Draws how the heap of a target grows in a case. */
function drawTrend(draw: Draw, { id }: CaseFacts, { name }: TargetFacts): Trend {
  const low = draw.number(5000) - 1000;
  const ends = { estimate: low + 500, low, high: low + 1000, low90: low + 100, high90: low + 900 };
  return testTrend({ case: id, target: name, ...ends, verdict: low > 500 ? "grows" : "unclear" });
}

/** Milliseconds in the place of a percent, where changes are in milliseconds. */
const MS_OF_PERCENT = 40;

/** Draws what was found of a comparison. Ends are so far apart that whole percents, or milliseconds, tell them from each other. */
function drawChange(
  draw: Draw,
  of: Pick<Change, "case" | "target" | "baseline" | "metric" | "unit" | "role" | "place">,
): Change {
  const verdict = draw.pick(VERDICTS);
  const hasInterval = verdict !== "none" && (verdict !== "unclear" || draw.happens(0.7));
  const why = verdict === "none" ? draw.pick(WITHOUT_VERDICT) : draw.pick(WITHOUT_INTERVAL);
  const percents = hasInterval ? drawPercents(draw, verdict) : null;
  const amountOf = (percent: number) => (of.unit === "ms" ? MS_OF_PERCENT * percent : 1 + percent / 100);
  const [low = null, estimate = null, high = null] = percents?.map(amountOf) ?? [];
  return {
    ...of,
    estimate,
    low,
    high,
    low90: verdict === "same" ? amountOf(draw.number(5) - 4) : low,
    high90: verdict === "same" ? amountOf(3 + draw.number(3)) : high,
    boundMs: of.unit === "ms" ? amountOf(5) : null,
    verdict,
    why: hasInterval ? null : why,
    flags: FLAGS.filter(() => draw.happens(0.2)),
    byTrial: [],
  };
}

/** Draws the ends of an interval, and what lies between them, in whole percents. */
function drawPercents(draw: Draw, verdict: Verdict): readonly number[] {
  const start = { faster: -60, slower: 6, same: -8, unclear: -30, none: 0 }[verdict] + draw.number(5);
  const width = verdict === "same" || verdict === "unclear" ? 8 - 2 * start : 20;
  return [start, start + 4, start + width];
}

function drawRun(draw: Draw, of: RunFacts["of"], quick: boolean): RunFacts {
  const machine = {
    processor: "AMD EPYC",
    cores: 2,
    usableCores: draw.pick([2, 0.3]),
    memoryBytes: 1,
    system: "Linux",
    coresApart: false,
  };
  const part = (id: string, state: "before" | "after") => ({
    id,
    state,
    commit: null,
    changed: null,
    machine,
  });
  return {
    id: "20261129-062336-d45b",
    startedAt: "2026-11-29T06:23:36.713Z",
    tookMs: draw.pick([null, 614_114]),
    measuringMs: 1,
    warmUpMs: 1,
    status: draw.pick(["complete", "complete", "complete", "interrupted", "failed", "running"]),
    quick,
    command: draw.pick([null, [], ["run", "--case", "trig"]]),
    settings: null,
    seed: 1,
    trials: { fewest: 2, most: draw.pick([2, 3]), planned: draw.pick([3, 10]) },
    of,
    from: "local",
    machine: of === "states" ? null : machine,
    evenbench: "0.1.0",
    commit: null,
    repository: null,
    parts: of === "states" ? [part("main", "before"), part("my change", "after")] : [],
    judgedFrom: draw.pick(["samples", "samples", "ends"]),
  };
}

/** Draws what would decide more: more trials of some of the cases. */
function drawStep(draw: Draw, cases: readonly CaseFacts[]): NextStep {
  const open = 1 + draw.number(5);
  return {
    why: "more-trials",
    cases: draw.some(cases, 1 + draw.number(cases.length)).map(({ id }) => id),
    options: { trials: "40" },
    aboutMs: draw.pick([null, 720_000]),
    open,
    decides: draw.number(open + 1),
  };
}

/** Draws a void notice and cautions, one of which is of more than half of the cases and one of a code that nobody knows. */
function drawNotices(
  draw: Draw,
  cases: readonly CaseFacts[],
  targets: readonly TargetFacts[],
): readonly Notice[] {
  const [first] = cases;
  const [target] = targets;
  const all: readonly Notice[] = [
    {
      code: "build-failed",
      weight: "void",
      found: [foundAt({ target: target?.name ?? null, quote: "error: `x` | <y>\nsecond line" })],
    },
    {
      code: "machine-unsteady",
      weight: "caution",
      found: cases.map(({ id }, index) =>
        foundAt({ case: id, numbers: index % 2 === 0 ? { longer: 0.3 + index / 100 } : { cores: index } }),
      ),
    },
    { code: "of-a-newer-version", weight: "caution", found: [foundAt({ case: first?.id ?? null })] },
  ];
  return all.filter(() => draw.happens(0.4));
}
