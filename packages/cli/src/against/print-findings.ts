import { join } from "node:path";
import { type FailOn, failing } from "@evenbench/report";
import { listed } from "@evenbench/report/parts";
import { writeWhole } from "@evenbench/results";
import type { OutputOptions } from "../output-options.ts";
import { say, sayAside, sayJson, sayNote } from "../say.ts";
import { type Finding, renderFindings } from "./findings.ts";
import type { Measured } from "./measure-pairs.ts";
import type { Pairs } from "./pairs.ts";

interface PrintOptions extends OutputOptions {
  readonly out: string;
  readonly failOn?: FailOn;
  readonly signal: AbortSignal;
}

export async function printFindings(
  { findings, left, unfinished }: Measured,
  pairs: Pairs,
  { out, json = false, failOn, signal }: PrintOptions,
): Promise<boolean> {
  const oneSided = [...pairs.oneSided, ...left];
  if (json) sayJson({ findings, equal: pairs.equal, oneSided, unfinished }, 2);
  else await printText(findings, { equal: pairs.equal, oneSided }, out);
  for (const line of unfinished) sayAside(`evenbench: ${line}`);
  if (failOn === undefined) return unfinished.length > 0;
  const isMet = printFailing(findings, failOn);
  const isUnjudged = !signal.aborted && printUnjudged(findings, pairs.changed);
  return unfinished.length > 0 || isMet || isUnjudged;
}

async function printText(
  findings: readonly Finding[],
  others: Pick<Pairs, "equal" | "oneSided">,
  out: string,
): Promise<void> {
  const text = renderFindings(findings, others);
  say(text);
  if (findings.length === 0) return;
  const file = join(out, "against.txt");
  await writeWhole(file, `${text}\n`);
  sayNote(`Written into ${file}`);
}

/** @returns whether there are any. */
function printFailing(findings: readonly Finding[], failOn: FailOn): boolean {
  const failed = failing(findings, failOn);
  for (const { caseId, target, verdict, ratio } of failed)
    sayAside(`evenbench: ${target} is ${verdict} in ${caseId}: ${ratio?.estimate.toFixed(3)}×.`);
  return failed.length > 0;
}

/** @returns whether there are changed targets of which nothing was found out. */
function printUnjudged(findings: readonly Finding[], changed: Pairs["changed"]): boolean {
  const isJudged = (name: string) => findings.some(({ target, ratio }) => target === name && ratio !== null);
  const names = changed.map(({ name }) => name).filter((name) => !isJudged(name));
  if (names.length === 0) return false;
  sayAside(
    `evenbench: --fail-on has no verdict to act on for ${listed(names)}, for the reasons above. Name cases (--case) that do the same work in both states, and see that both are measured whole.`,
  );
  return true;
}
