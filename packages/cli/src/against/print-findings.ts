import { join } from "node:path";
import { type FailOn, failing } from "@evenbench/report";
import { writeWhole } from "@evenbench/results";
import type { OutputOptions } from "../output-options.ts";
import { say, sayAside, sayJson, sayNote } from "../say.ts";
import { type Finding, renderFindings } from "./findings.ts";
import type { Measured } from "./measure-pairs.ts";
import type { Pairs } from "./pairs.ts";

/** Prints what was found, and writes it beside the runs. @returns whether a condition to fail on is met. */
export async function printFindings(
  { findings, left }: Measured,
  pairs: Pairs,
  { out, json = false, failOn }: OutputOptions & { readonly out: string; readonly failOn?: FailOn },
): Promise<boolean> {
  const oneSided = [...pairs.oneSided, ...left];
  if (json) sayJson({ findings, equal: pairs.equal, oneSided }, 2);
  else await printText(findings, { equal: pairs.equal, oneSided }, out);
  return failOn !== undefined && printFailing(findings, failOn);
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
