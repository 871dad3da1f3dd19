// Prints the tables of docs/coverage.md on kinds, drifts and warmth: `node packages/stats/simulate-kinds.ts
// [runs]`. A few minutes of one core.
import type { Scenario } from "./src/simulation.ts";
import { calledNotWarm, kindsSaid } from "./src/simulation-kinds.ts";
import { ONE_MODE, saidOfOneMode } from "./src/simulation-shapes.ts";
import { coverage, verdictShares } from "./src/simulation-study.ts";
import { percent, table } from "./src/simulation-table.ts";

const runs = Number(process.argv[2] ?? 500);
const usual: Scenario = {
  name: "neither",
  trials: 5,
  roundsPerTrial: 20,
  instanceSd: 0.01,
  exchangeSd: 0.03,
  autocorrelation: 0,
  drift: 0,
  outliers: 0,
  heavyTails: false,
};
const sizes = [5, 10];
const perSize = (what: string) => sizes.map((trials) => `${what}, ${trials} trials`);

const kinds: Scenario[] = [
  usual,
  { ...usual, name: "half of the instances take 10 % longer", instanceKinds: { share: 0.5, factor: 1.1 } },
  { ...usual, name: "half of the instances take 40 % longer", instanceKinds: { share: 0.5, factor: 1.4 } },
  { ...usual, name: "one instance in five takes 40 % longer", instanceKinds: { share: 0.2, factor: 1.4 } },
  {
    ...usual,
    name: "every 2nd request takes 1.75 times as long",
    exchangeKinds: { share: 1 / 2, factor: 1.75 },
  },
  {
    ...usual,
    name: "the same in 21 rounds: medians lie on either level",
    roundsPerTrial: 21,
    exchangeKinds: { share: 1 / 2, factor: 1.75 },
  },
  {
    ...usual,
    name: "every 3rd request takes 2.7 times as long",
    exchangeKinds: { share: 1 / 3, factor: 2.7 },
  },
  {
    ...usual,
    name: "every 6th request takes 1.7 times as long",
    exchangeKinds: { share: 1 / 6, factor: 1.7 },
  },
];

console.log(`### Instances and requests in two kinds, of all targets alike (${runs} runs a cell)\n`);
table(
  ["20 rounds a trial, unless said", ...perSize("coverage"), ...perSize("false verdicts")],
  kinds.map((scenario, row) => {
    const judged = sizes.map((trials) =>
      verdictShares({ ...scenario, trials }, [0], runs, 4000 + 100 * row + trials),
    );
    return [
      scenario.name,
      ...sizes.map((trials) => percent(coverage({ ...scenario, trials }, runs, 3000 + 100 * row + trials))),
      ...judged.map(([none]) => percent((none?.found ?? 0) + (none?.wrong ?? 0))),
    ];
  }),
);

console.log(`### How often kinds are said (${runs} runs a cell)\n`);
const oneKind: Scenario[] = [
  { ...usual, name: "one kind, requests scatter by 20 %", exchangeSd: 0.2 },
  { ...usual, name: "one kind, 20 %, heavy tails", exchangeSd: 0.2, heavyTails: true },
  { ...usual, name: "one kind, 20 %, autocorrelation of 0.5", exchangeSd: 0.2, autocorrelation: 0.5 },
  { ...usual, name: "one kind, instances differ by 10 %", instanceSd: 0.1 },
  { ...usual, name: "one request in 20 takes 3 times as long", outliers: 0.05 },
];
table(
  [
    "20 rounds a trial, unless said",
    ...perSize("of requests"),
    "of instances, 7 trials",
    ...perSize("of instances").slice(1),
  ],
  [...oneKind, ...kinds.slice(1)].map((scenario, row) => {
    const said = (trials: number) => kindsSaid({ ...scenario, trials }, runs, 5000 + 100 * row + trials);
    const [seven, ...all] = [7, ...sizes].map(said);
    return [
      scenario.name,
      ...all.map(({ ofExchanges }) => percent(ofExchanges)),
      percent(seven?.ofInstances ?? 0),
      ...all.slice(1).map(({ ofInstances }) => percent(ofInstances)),
    ];
  }),
);

console.log(`### How often times of one mode are said to be two kinds (${4 * runs} runs a cell)\n`);
const few = [6, 20].map((count) => ["instances", count] as const);
const many = [40, 500].map((count) => ["requests", count] as const);
table(
  ["times", ...[...few, ...many].map(([of, count]) => `${count} ${of}`)],
  Object.entries(ONE_MODE).map(([name, draw], row) => [
    name,
    ...[...few, ...many].map(([of, count]) =>
      percent(saidOfOneMode(draw, of, count, 4 * runs, 5500 + 100 * row + count)),
    ),
  ]),
);

console.log(
  `### A target with the same mean, whose every 3rd request takes 2.7 times as long (${runs} runs a row)\n`,
);
// The mean of 2/3 and 2.7/3.
const sameMean = 3 / 4.7 - 1;
table(
  ["trials", '"faster"', '"slower"', "its requests are said to come in two kinds"],
  sizes.map((trials) => {
    const scenario = { ...usual, trials, target: { exchangeKinds: { share: 1 / 3, factor: 2.7 } } };
    const [one] = verdictShares(scenario, [sameMean], runs, 6000 + trials);
    const { ofExchanges } = kindsSaid(scenario, runs, 6100 + trials);
    return [String(trials), percent(one?.wrong ?? 0), percent(one?.found ?? 0), percent(ofExchanges)];
  }),
);

console.log(`### A drift over the run of one target only (${runs} runs a cell)\n`);
table(
  ["the target becomes slower by", ...perSize("coverage of the mean over the run"), ...perSize('"slower"')],
  [0.01, 0.02, 0.05, 0.1].map((drift, row) => {
    const scenario = { ...usual, target: { drift } };
    return [
      percent(drift),
      ...sizes.map((trials) =>
        percent(coverage({ ...scenario, trials }, runs, 7000 + 100 * row + trials, Math.exp(drift / 2))),
      ),
      ...sizes.map((trials) => {
        const [one] = verdictShares({ ...scenario, trials }, [0], runs, 8000 + 100 * row + trials);
        return percent(one?.found ?? 0);
      }),
    ];
  }),
);

console.log(
  `### Instances whose times fall while they are measured: called not warm (${runs} runs a cell)\n`,
);
const lengths = [20, 50, 100];
table(
  ["fall from the first round to the last", ...lengths.map((rounds) => `${rounds} rounds`)],
  [0, 0.05, 0.1, 0.15, 0.2, 0.3].map((fall, row) => [
    percent(fall),
    ...lengths.map((roundsPerTrial) =>
      percent(calledNotWarm({ ...usual, fall, roundsPerTrial }, runs, 9000 + 100 * row + roundsPerTrial)),
    ),
  ]),
);
