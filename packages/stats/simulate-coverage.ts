// Prints docs/coverage.md's tables: `node packages/stats/simulate-coverage.ts [runs]`. A few minutes of one core.
import { type Scenario, simulateRuns } from "./src/simulate.ts";

const runs = Number(process.argv[2] ?? 2000);
const usual: Scenario = {
  name: "instance effects of 1 %",
  generations: 5,
  roundsPerGeneration: 20,
  instanceSd: 0.01,
  exchangeSd: 0.03,
  autocorrelation: 0,
  drift: 0,
  outliers: 0,
  heavyTails: false,
};
const scenarios: Scenario[] = [
  { ...usual, name: "no instance effects", instanceSd: 0 },
  usual,
  { ...usual, name: "instance effects of 2 %", instanceSd: 0.02 },
  { ...usual, name: "few rounds (10)", roundsPerGeneration: 10 },
  { ...usual, name: "many rounds (200)", roundsPerGeneration: 200 },
  { ...usual, name: "drift of 10 %", drift: 0.1 },
  { ...usual, name: "5 % outliers of 3x", outliers: 0.05 },
  { ...usual, name: "heavy tails", heavyTails: true },
  { ...usual, name: "autocorrelation 0.5", autocorrelation: 0.5 },
  { ...usual, name: "all at once", drift: 0.1, outliers: 0.05, heavyTails: true, autocorrelation: 0.5 },
];
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

console.log(`## Coverage of the 95 % interval, ${runs} simulated runs each\n`);
console.log("| scenario | 5 sets of instances | 10 | 15 |\n| --- | ---: | ---: | ---: |");
for (const scenario of scenarios) {
  const cells = [5, 10, 15].map((generations, index) =>
    percent(simulateRuns({ ...scenario, generations }, 1.1, runs, index + 1).coverage),
  );
  console.log(`| ${scenario.name} | ${cells.join(" | ")} |`);
}

console.log(`\n## Runs that claim a difference, ${runs} simulated runs each (${usual.name})\n`);
console.log("| true slowdown | 5 sets of instances | 10 | 15 |\n| --- | ---: | ---: | ---: |");
for (const slowdown of [0, 0.01, 0.02, 0.03, 0.05]) {
  const cells = [5, 10, 15].map((generations, index) =>
    percent(simulateRuns({ ...usual, generations }, 1 + slowdown, runs, index + 11).claimed),
  );
  console.log(`| ${slowdown === 0 ? "none (A/A)" : percent(slowdown)} | ${cells.join(" | ")} |`);
}
