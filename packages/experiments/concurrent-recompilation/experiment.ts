import { defineExperiment, OWN_METHOD } from "../src/define.ts";
import { halfOf, judgeRatio, outcomeOf, ratioFigure } from "../src/judge.ts";

const CASE = "react-ssr";
/** A first look saw 22 to 25 ms on one core, and 14 to 16 ms there without a compiler beside the program. */
const SEEN = 1.55;
const NAMES = { one: "one core", all: "all cores" } as const;
const CORES = ["one", "all"] as const;
const without = (cores: (typeof CORES)[number]) => `${NAMES[cores]}, not concurrent`;

export default defineExperiment({
  title: "A compiler beside the program",
  claim:
    "On a single core, V8's compiler beside the program leaves workerd's React rendering slower for good than a compiler that makes it wait.",
  source: OWN_METHOD,
  published: "about 1.55×",
  timeS: 300,
  comparisons: [
    {
      id: "workerd",
      caseId: CASE,
      sides: CORES.flatMap((cores) => [
        { name: NAMES[cores], target: "cloudflare", start: { cores } },
        {
          name: without(cores),
          target: "cloudflare",
          start: { cores, v8Flags: ["--no-concurrent-recompilation"] },
        },
      ]),
      contrasts: [
        ...CORES.map((cores) => [NAMES[cores], without(cores)] as const),
        [NAMES.one, NAMES.all],
        [without("one"), without("all")],
      ],
    },
  ],
  decide({ comparisons: { workerd } }) {
    const decides = judgeRatio(workerd, {
      label: `${CASE} on workerd, one core: CPU time, compiler beside the program / compiler that makes it wait`,
      side: NAMES.one,
      against: without("one"),
      metric: "cpu",
      decidesAt: halfOf(SEEN),
    });
    const others = [
      {
        what: "all cores: compiler beside / compiler that makes it wait",
        side: NAMES.all,
        against: without("all"),
      },
      { what: "compiler beside: one core / all", side: NAMES.one, against: NAMES.all },
      { what: "compiler that makes it wait: one core / all", side: without("one"), against: without("all") },
    ].flatMap(({ what, ...pair }) => [
      ratioFigure(workerd, { ...pair, label: `${CASE} on workerd, CPU time, ${what}`, metric: "cpu" }),
      ratioFigure(workerd, { ...pair, label: `${CASE} on workerd, time, ${what}`, metric: "lastByteMs" }),
    ]);
    return outcomeOf([decides], others);
  },
});
