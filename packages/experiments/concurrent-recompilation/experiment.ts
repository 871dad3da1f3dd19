import { cpuAndTime, defineExperiment, OWN_METHOD } from "../src/define.ts";
import { halfOf, takesMore } from "../src/judge.ts";

const CASE = "react-ssr";
/** The factor that a first look saw on one core: 22 to 25 ms beside a compiler, 14 to 16 ms without. */
const SEEN_RATIO = 1.55;
/** Names of the sides whose compiler runs beside the program, by their cores. */
const SIDE_NAMES = { one: "one core", all: "all cores" } as const;
const CORES = ["one", "all"] as const;
const waitingSide = (cores: (typeof CORES)[number]) => `${SIDE_NAMES[cores]}, not concurrent`;

const DECIDING_PAIR = { comparison: "workerd", side: SIDE_NAMES.one, against: waitingSide("one") };
/** Pairs of sides that decide nothing. */
const OTHER_PAIRS = [
  {
    what: "all cores: compiler beside / compiler that makes it wait",
    side: SIDE_NAMES.all,
    against: waitingSide("all"),
  },
  { what: "compiler beside: one core / all", side: SIDE_NAMES.one, against: SIDE_NAMES.all },
  {
    what: "compiler that makes it wait: one core / all",
    side: waitingSide("one"),
    against: waitingSide("all"),
  },
];

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
          name: waitingSide(cores),
          target: "cloudflare",
          start: { cores, v8Flags: ["--no-concurrent-recompilation"] },
        },
      ]),
      contrasts: [
        [DECIDING_PAIR.side, DECIDING_PAIR.against],
        ...OTHER_PAIRS.map(({ side, against }) => [side, against] as const),
      ],
    },
  ],
  figures: [
    {
      ...DECIDING_PAIR,
      metric: "cpu",
      label: `${CASE} on workerd, one core: CPU time, compiler beside the program / compiler that makes it wait`,
      rule: takesMore(halfOf(SEEN_RATIO)),
    },
    ...OTHER_PAIRS.flatMap(({ what, side, against }) =>
      cpuAndTime({ ...DECIDING_PAIR, side, against }, (metric) => `${CASE} on workerd, ${metric}, ${what}`),
    ),
  ],
});
