// Prints the tables of docs/coverage.md on vantages: `node packages/stats/simulate-vantages.ts [runs]`. Less
// than a minute of one core.
import { percent, table } from "./src/simulation-table.ts";
import { type VantageScenario, vantageShares } from "./src/vantages/simulation.ts";

const runs = Number(process.argv[2] ?? 2000);
const usual: VantageScenario = {
  name: "routes do not differ",
  vantages: 3,
  trials: 5,
  effectMs: 5,
  betweenMs: 0,
  trialMs: 0.5,
};
const sizes = [2, 3, 5, 8];
const scenarios: VantageScenario[] = [
  usual,
  { ...usual, name: "routes differ by 1 ms", betweenMs: 1 },
  { ...usual, name: "routes differ by 5 ms", betweenMs: 5 },
  { ...usual, name: "one vantage's trials scatter 10 times as much", first: { scatter: 10 } },
  { ...usual, name: "one vantage is 10 ms slower to the target alone", first: { addsMs: 10 } },
];
const shared: VantageScenario[] = [
  { ...usual, name: "two vantages behind each edge", betweenMs: 1, behindOne: 2 },
  { ...usual, name: "the same, edges not known", betweenMs: 1, behindOne: 2, edgesTold: false },
];

console.log(`### Vantages: coverage of the pooled 99 % interval (${runs} runs a cell)\n`);
table(
  ["5 ms slower, 5 trials each", ...sizes.map((count) => `${count} vantages`), "3 vantages, by trials"],
  [
    ...scenarios.map((scenario, row) => {
      const shares = sizes.map((vantages) =>
        vantageShares({ ...scenario, vantages }, runs, 100 * row + vantages),
      );
      const byTrials = shares[sizes.indexOf(3)]?.coveredByTrials ?? 0;
      return [scenario.name, ...shares.map(({ covered }) => percent(covered)), percent(byTrials)];
    }),
  ],
);

const sharing = [4, 6, 10];
console.log(`### Vantages that share edges: coverage of the pooled 99 % interval (${runs} runs a cell)\n`);
table(
  ["routes differ by 1 ms", ...sharing.map((count) => `${count} vantages`), "6 vantages, by trials"],
  shared.map((scenario, row) => {
    const shares = sharing.map((vantages) =>
      vantageShares({ ...scenario, vantages }, runs, 1000 + 100 * row + vantages),
    );
    const byTrials = shares[sharing.indexOf(6)]?.coveredByTrials ?? 0;
    return [scenario.name, ...shares.map(({ covered }) => percent(covered)), percent(byTrials)];
  }),
);

console.log(`### Vantages: what is said (5 trials each; ${runs} runs a row)\n`);
const worlds: VantageScenario[] = [
  { ...usual, name: "no difference anywhere", effectMs: 0 },
  { ...usual, name: "none on average, routes differ by 1 ms", effectMs: 0, betweenMs: 1 },
  { ...usual, name: "none on average, routes differ by 5 ms", effectMs: 0, betweenMs: 5 },
  { ...usual, name: "2 ms slower everywhere", effectMs: 2 },
  { ...usual, name: "5 ms slower everywhere", effectMs: 5 },
  { ...usual, name: "5 ms slower, routes differ by 1 ms", betweenMs: 1 },
  { ...usual, name: "5 ms slower, routes differ by 5 ms", betweenMs: 5 },
  { ...usual, name: "one vantage alone is 10 ms slower", effectMs: 0, first: { addsMs: 10 } },
];
table(
  [
    "truth",
    "vantages",
    '"slower"',
    '"faster"',
    "disagree",
    "no difference",
    "inconclusive",
    "by trials: a difference",
  ],
  worlds.flatMap((world, row) =>
    [2, 3, 5, 8].map((vantages) => {
      const { said, saidByTrials } = vantageShares({ ...world, vantages }, runs, 2000 + 100 * row + vantages);
      return [
        world.name,
        String(vantages),
        percent(said.slower),
        percent(said.faster),
        percent(said.disagree),
        percent(said.same),
        percent(said.inconclusive),
        percent(saidByTrials),
      ];
    }),
  ),
);

console.log(`### Vantages that do not differ: called different (${runs} runs a row)\n`);
table(
  [
    "trials of each of 5 vantages",
    "by Welch's chance",
    "by the table of Q",
    "interval printed",
    "covers when printed",
  ],
  [2, 3, 5, 10, 20].map((trials) => {
    const shares = vantageShares({ ...usual, vantages: 5, trials }, runs, 3000 + trials);
    return [
      String(trials),
      percent(shares.different),
      percent(shares.differentByTable),
      percent(shares.printed),
      percent(shares.coveredWhenPrinted),
    ];
  }),
);
