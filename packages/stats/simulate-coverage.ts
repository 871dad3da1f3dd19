// Prints the tables of docs/coverage.md: `node packages/stats/simulate-coverage.ts [runs]`. A few minutes of one core.
import type { Scenario } from "./src/simulation.ts";
import { partsSaid } from "./src/simulation-parts.ts";
import {
  coverage,
  plainCoverage,
  stopWhenPrecise,
  type VerdictShares,
  verdictShares,
} from "./src/simulation-study.ts";
import { percent, table } from "./src/simulation-table.ts";

const runs = Number(process.argv[2] ?? 2000);
const usual: Scenario = {
  name: "instances differ by 1 %",
  trials: 5,
  roundsPerTrial: 20,
  instanceSd: 0.01,
  exchangeSd: 0.03,
  autocorrelation: 0,
  drift: 0,
  outliers: 0,
  heavyTails: false,
};
const scenarios: Scenario[] = [
  { ...usual, name: "instances do not differ", instanceSd: 0 },
  { ...usual, name: "instances differ by 0.5 %", instanceSd: 0.005 },
  usual,
  { ...usual, name: "instances differ by 2 %", instanceSd: 0.02 },
  { ...usual, name: "2 % those of the target, 1 % the others'", target: { instanceSd: 0.02 } },
  { ...usual, name: "5 % those of the target, 1 % the others'", target: { instanceSd: 0.05 } },
  { ...usual, name: "1 %, 10 rounds", roundsPerTrial: 10 },
  { ...usual, name: "1 %, 200 rounds", roundsPerTrial: 200 },
  { ...usual, name: "1 %, drift of 10 %", drift: 0.1 },
  {
    ...usual,
    name: "1 %, machine 1.6 times slower at times, for 5 rounds",
    machine: { factor: 1.6, rounds: 5 },
  },
  {
    ...usual,
    name: "1 %, machine 1.6 times slower at times, for 50 rounds",
    machine: { factor: 1.6, rounds: 50 },
  },
  {
    ...usual,
    name: "1 %, requests scatter by 30 % in four of ten trials",
    unsteady: { share: 0.4, exchangeSd: 0.27 },
  },
  {
    ...usual,
    name: "the same, 8 rounds",
    roundsPerTrial: 8,
    unsteady: { share: 0.4, exchangeSd: 0.27 },
  },
  { ...usual, name: "1 %, one request in 20 takes 3 times as long", outliers: 0.05 },
  { ...usual, name: "1 %, heavy tails", heavyTails: true },
  { ...usual, name: "1 %, autocorrelation of 0.5", autocorrelation: 0.5 },
  { ...usual, name: "1 %, all of these", drift: 0.1, outliers: 0.05, heavyTails: true, autocorrelation: 0.5 },
];

console.log(`### Coverage of the 95 % interval (${runs} runs a cell)\n`);
const sizes = [2, 3, 5, 10, 15];
table(
  ["20 rounds a trial, unless said", ...sizes.map((trials) => `${trials} trials`)],
  scenarios.map((scenario, row) => [
    scenario.name,
    ...sizes.map((trials) => percent(coverage({ ...scenario, trials }, runs, 100 * row + trials))),
  ]),
);

console.log(
  `### Coverage of the plain bootstrap's 95 % interval, one pair of instances (${runs} runs a cell)\n`,
);
const lengths = [10, 20, 50, 200];
const steady = { ...usual, instanceSd: 0.01 };
const pairs: Scenario[] = [
  { ...steady, name: "independent requests" },
  { ...steady, name: "autocorrelation of 0.5", autocorrelation: 0.5 },
  {
    ...steady,
    name: "heavy tails, and one request in 20 takes 3 times as long",
    heavyTails: true,
    outliers: 0.05,
  },
];
const plain = pairs.map((scenario, row) =>
  lengths.map((roundsPerTrial) =>
    plainCoverage({ ...scenario, roundsPerTrial }, runs, 2000 + 1000 * row + roundsPerTrial),
  ),
);
table(
  ["of", ...lengths.map((rounds) => `${rounds} rounds`)],
  [
    ...pairs.map(({ name }, row) => [
      `the pair's own ratio, ${name}`,
      ...(plain[row] ?? []).map(({ own }) => percent(own)),
    ]),
    ["the builds' ratio, instances differ by 1 %", ...(plain[0] ?? []).map(({ builds }) => percent(builds))],
  ],
);

const slowdowns = [0, 0.01, 0.02, 0.03, 0.05];
const groups: { readonly name: string; pick(share: VerdictShares): number }[] = [
  { name: '**"faster" or "slower"**', pick: ({ found, wrong }) => found + wrong },
  { name: '"no difference seen"', pick: ({ noDifference }) => noDifference },
  { name: "other rule: the interval alone", pick: ({ excluded }) => excluded },
  { name: "other rule: beyond the A/A copy's estimate", pick: ({ beyondCopy }) => beyondCopy },
];
for (const roundsPerTrial of [20, 100]) {
  console.log(`### Verdicts with ${roundsPerTrial} rounds a trial (${usual.name}; ${runs} runs a row)\n`);
  const rows = [3, 5, 7, 10, 15, 20].map((trials) => ({
    trials,
    shares: verdictShares({ ...usual, trials, roundsPerTrial }, slowdowns, 0.02, runs, trials),
  }));
  table(
    ["said", "trials", "A/A", ...slowdowns.slice(1).map((slowdown) => `${slowdown * 100} % slower`)],
    groups.flatMap(({ name, pick }) =>
      rows.map(({ trials, shares }) => [
        name,
        String(trials),
        ...shares.map((share) => percent(pick(share))),
      ]),
    ),
  );
}

console.log(
  `### Interim analyses after 5, 10 and 15 trials, to a precision of 2 % (A/A, ${runs} runs a row)\n`,
);
table(
  [
    "instances differ by",
    "coverage at the end",
    "false positives",
    "ended after 5",
    "after 10",
    "coverage of those ended after 5",
  ],
  [0.005, 0.01, 0.015, 0.02].map((instanceSd, row) => {
    const ended = stopWhenPrecise({ ...usual, instanceSd }, 0.02, runs, 1000 + row);
    return [
      percent(instanceSd),
      percent(ended.coverage),
      percent(ended.falsePositives),
      percent(ended.endedAt5),
      percent(ended.endedAt10),
      percent(ended.coverageOfEarliest),
    ];
  }),
);

// As many rounds as a run notes arrivals in.
const streamed: Scenario = { ...usual, roundsPerTrial: 5 };
const pages: Scenario[] = [
  streamed,
  { ...streamed, name: "instances differ by 3 %", instanceSd: 0.03 },
  { ...streamed, name: "1 %, heavy tails", heavyTails: true },
  {
    ...streamed,
    name: "1 %, machine 1.6 times slower at times, for 5 rounds",
    machine: { factor: 1.6, rounds: 5 },
  },
];
console.log(`### Parts of a streamed page, 5 rounds a trial (${runs} runs a cell)\n`);
table(
  [
    "",
    ...[3, 5, 10].map((trials) => `coverage, ${trials} trials`),
    ...[3, 5, 10].map((trials) => `A/A: a part called different, ${trials}`),
    ...[3, 5, 10].map((trials) => `5 % slower: found in a part, ${trials}`),
  ],
  pages.map((page, row) => [
    page.name,
    ...[1.1, 1, 1.05].flatMap((ratio) =>
      [3, 5, 10].map((trials) => {
        const said = partsSaid({ ...page, trials }, ratio, runs, 3000 + 100 * row + trials);
        return percent(ratio === 1.1 ? said.coverage : said.called);
      }),
    ),
  ]),
);
