import type { Run } from "@evenbench/core";
import { formatPercent } from "./format.ts";

/** The command that measures the same again: same cases, targets, budgets and seed. */
export function repeatCommand(run: Run): string {
  const { plan } = run;
  const budgets = [...new Set(Object.values(plan.caseBudgetMs).map((ms) => Math.round(ms)))];
  const words = ["npm run bench -- run", `--seed ${plan.seed}`];
  words.push(`--case ${quoted(plan.cases.map(({ id }) => id).join(","))}`);
  for (const { name, url, twinOf } of plan.targets) {
    if (twinOf === null) words.push(`--target ${quoted(url === null ? name : `${name}=${url}`)}`);
  }
  const baseline = plan.targets.find(({ twinOf }) => twinOf !== null)?.twinOf;
  if (baseline != null) words.push(`--baseline ${quoted(baseline)}`);
  if (plan.roundsPerGeneration !== null) words.push(`--rounds ${plan.roundsPerGeneration}`);
  if (budgets.length === 1) words.push(`--time ${budgets[0]}ms`);
  if (plan.coldStarts > 0) words.push(`--cold ${plan.coldStarts}`);
  words.push(`--precision ${formatPercent(plan.precision).replace(" ", "")}`);
  for (const pin of plan.allowedPins) words.push(`--allow ${quoted(pin)}`);
  return words.join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
