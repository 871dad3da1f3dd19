import { cpuAndTime, defineExperiment, OWN_METHOD } from "../src/define.ts";
import { halfOf, takesMore } from "../src/judge.ts";

const CASE = "react-ssr";
/**
 * The factor that a first look saw on one core: 22 to 25 ms with a compiler beside the program, 14 to 16 ms without.
 */
const SEEN = 1.55;
const SIDE_NAMES = { one: "one core", all: "all cores" } as const;
const CORES = ["one", "all"] as const;
const without = (cores: (typeof CORES)[number]) => `${SIDE_NAMES[cores]}, not concurrent`;

const DECIDES = { comparison: "workerd", side: SIDE_NAMES.one, against: without("one") };
const OTHERS = [
  ["all cores: compiler beside / compiler that makes it wait", SIDE_NAMES.all, without("all")],
  ["compiler beside: one core / all", SIDE_NAMES.one, SIDE_NAMES.all],
  ["compiler that makes it wait: one core / all", without("one"), without("all")],
] as const;

/** The claim has one part: CPU time on one core. All cores, and time, stand beside it. */
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
        { name: SIDE_NAMES[cores], target: "cloudflare", start: { cores } },
        {
          name: without(cores),
          target: "cloudflare",
          start: { cores, v8Flags: ["--no-concurrent-recompilation"] },
        },
      ]),
      contrasts: [
        [DECIDES.side, DECIDES.against],
        ...OTHERS.map(([, side, against]) => [side, against] as const),
      ],
    },
  ],
  figures: [
    {
      ...DECIDES,
      metric: "cpu",
      label: `${CASE} on workerd, one core: CPU time, compiler beside the program / compiler that makes it wait`,
      rule: takesMore(halfOf(SEEN)),
    },
    ...OTHERS.flatMap(([what, side, against]) =>
      cpuAndTime({ ...DECIDES, side, against }, (metric) => `${CASE} on workerd, ${metric}, ${what}`),
    ),
  ],
});
