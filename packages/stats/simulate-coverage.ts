// Prints the tables of docs/coverage.md on runs: `node packages/stats/simulate-coverage.ts [runs]`. A minute of one core.
import { type RunScenario, runShares, stoppedShares } from "./src/simulation-study.ts";
import { percent, table } from "./src/simulation-table.ts";

const runs = Number(process.argv[2] ?? 2000);
const usual: RunScenario = {
  name: "seven cases whose instances scatter by 1.2 to 11 %",
  instanceSds: [0.012, 0.015, 0.02, 0.03, 0.05, 0.08, 0.11],
  trialSd: 0.1,
};
const scenarios: RunScenario[] = [
  usual,
  { ...usual, name: "one target scatters 1.6 times as much", oneScatters: 1.6 },
  { ...usual, name: "two cases have instances of two kinds, 40 % apart", kinds: { cases: 2, factor: 1.4 } },
  { ...usual, name: "heavy tails (Student's t, 5 degrees)", tails: 5 },
  { ...usual, name: "two cases, 2 and 5 %", instanceSds: [0.02, 0.05] },
  { ...usual, name: "one case alone, 2 %", instanceSds: [0.02] },
];
for (const trials of [3, 10]) {
  console.log(`### ${trials} trials: what is said of runs (${runs} runs a row)\n`);
  table(
    ["runs", "covered", "half-width", "copies called different", "5 % found", "10 % found"],
    scenarios.map((scenario, row) => {
      const said = runShares(scenario, trials, runs, 100 * trials + row);
      const { covered, halfWidth, falsePositives, found5, found10 } = said;
      return [scenario.name, ...[covered, halfWidth, falsePositives, found5, found10].map(percent)];
    }),
  );
}

const stopped = Math.ceil(runs / 4);
console.log(`### Cases that end once decided, 3 to 8 trials (${stopped} runs a row)\n`);
table(
  ["runs", "copies called different", "covered", "5 % found", "10 % found", "trials where 50 % differ"],
  scenarios.map((scenario, row) => {
    const { falsePositives, covered, found5, found10, trials } = stoppedShares(
      scenario,
      8,
      stopped,
      900 + row,
    );
    return [scenario.name, ...[falsePositives, covered, found5, found10].map(percent), trials.toFixed(1)];
  }),
);
