import { readRun, type Sample, type WarmUp } from "@evenbench/results";
import { row } from "./print.ts";

const ACTIVITIES = ["start and rest", "calibrate", "warm", "measure", "transfer"] as const;
type Activity = (typeof ACTIVITIES)[number];

/**
 * Where the time of a run went, from its samples: an exchange lasts until the next one of its trial begins,
 * or until its own end.
 */
export async function shares(folder: string): Promise<void> {
  const { run, samples } = await readRun(folder);
  const needs = new Map(run.warmUps.map((one) => [keyOf(one), one]));
  const spent = new Map<Activity, number>(ACTIVITIES.map((activity) => [activity, 0]));
  const add = (activity: Activity, ms: number) => spent.set(activity, (spent.get(activity) ?? 0) + ms);
  for (const sample of samples) add(activityOf(sample, needs.get(keyOf(sample))), sample.lastByteMs ?? 0);
  const allMs = Date.parse(run.finishedAt ?? run.startedAt) - Date.parse(run.startedAt);
  add("start and rest", allMs - [...spent.values()].reduce((sum, ms) => sum + ms, 0));
  row(run.id, `${(allMs / 1000).toFixed(0)} s, ${run.plan.cases.length} cases`);
  for (const [activity, ms] of spent) row(`  ${activity}`, `${((100 * ms) / allMs).toFixed(1)} %`);
}

/** Beyond what an instance needs, its warm-up looked for that. */
function activityOf({ phase, roundIndex }: Sample, need: WarmUp | undefined): Activity {
  if (phase === "measure" || phase === "transfer") return phase;
  if (phase !== "warmup") return "start and rest";
  return roundIndex >= (need?.needed ?? Number.POSITIVE_INFINITY) ? "calibrate" : "warm";
}

function keyOf({ caseId, target, trial }: Pick<Sample, "caseId" | "target" | "trial">): string {
  return [caseId, target, trial].join(" ");
}
