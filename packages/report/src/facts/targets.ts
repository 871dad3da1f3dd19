// What was asked: the targets of a run, their names, columns and versions.
import type { Run } from "@evenbench/results";
import type { ReportTarget } from "../shown-targets.ts";
import type { Setting, TargetFacts } from "./facts.ts";

/** The part of the record of a run, or of a load, that describes targets. A load says nothing of builds. */
export type TargetRecord = Pick<Run, "identities" | "events"> & Partial<Pick<Run, "deployables">>;

/** Gives the facts of a run's targets, in their order. */
export function targetFacts(run: TargetRecord, targets: readonly ReportTarget[]): readonly TargetFacts[] {
  return targets.map((target) => {
    const { name, app, platform, about, copyOf, colour, spoken } = target;
    const identity = run.identities[name];
    const size = run.deployables?.[name]?.size ?? null;
    return {
      name,
      platform,
      app,
      column: columnOf(target, targets),
      spoken,
      copyOf,
      state: target.state ?? null,
      colour,
      runtime: identity?.facts.runtime ?? null,
      engine: identity?.facts.v8 ?? null,
      adapter: identity?.facts.adapter ?? null,
      artifact: identity?.pins.artifact ?? null,
      size: size === null ? null : { bytes: size.bytes, gzipBytes: size.gzipBytes },
      usdPerCpuHour: about?.cpuPrice?.usdPerCpuHour ?? null,
      usdPerMillion: about?.requestPrice?.usdPerMillion ?? null,
      limits: [
        ...limitsOf(run, name),
        ...(about?.limits ?? []).map(({ metric, value, source }) => ({ metric, value, source })),
      ],
      absent: absenceOf(run, name),
    };
  });
}

/** Names a target's column: its short name, but its own where another target of its app has the same short name. */
function columnOf({ name, app, shown, copyOf }: ReportTarget, targets: readonly ReportTarget[]): string {
  const alike = targets.filter((other) => other.app === app && other.shown === shown);
  return copyOf !== null || alike.length > 1 ? name : shown;
}

function limitsOf({ deployables }: TargetRecord, name: string): TargetFacts["limits"] {
  const limit = deployables?.[name]?.size.limit ?? null;
  if (limit === null) {
    return [];
  }
  const metric = limit.counts === "bytes" ? "sizeBytes" : "gzipBytes";
  return [{ metric, value: limit.bytes, source: limit.says }];
}

/** Says why a target has no part in the run at all, by the event that is of no single case; null where it was measured. */
function absenceOf({ events }: TargetRecord, name: string): TargetFacts["absent"] {
  const ofTarget = events.filter(({ caseId, target }) => target === name && caseId === null);
  const failure = ofTarget.find(({ kind }) => kind === "build-failed" || kind === "target-dropped");
  if (failure === undefined) {
    return null;
  }
  const code = failure.kind === "build-failed" ? "not-built" : (failure.why ?? "dropped");
  return { code, quote: failure.detail };
}

/** Facts that stand at the targets themselves. */
const AT_TARGETS: readonly string[] = ["runtime", "v8", "adapter"];

/** Lists the settings of the targets: those that must be equal, then those that may differ. */
export function settingsOf(
  { identities }: TargetRecord,
  targets: readonly ReportTarget[],
): readonly Setting[] {
  const known = targets.flatMap(({ name, copyOf }) => {
    const identity = copyOf === null ? identities[name] : undefined;
    return identity === undefined ? [] : [{ name, identity }];
  });
  return (["pins", "facts"] as const).flatMap((kind) => {
    const keys = new Set(known.flatMap(({ identity }) => Object.keys(identity[kind])));
    const listed = [...keys].filter((key) => kind === "pins" || !AT_TARGETS.includes(key)).sort();
    const settings = listed.map((key) => ({
      key,
      mustBeEqual: kind === "pins",
      byTarget: known.flatMap(({ name, identity }) => {
        const value = identity[kind][key] ?? null;
        return value === null ? [] : [{ target: name, value }];
      }),
    }));
    return settings.filter(({ byTarget }) => byTarget.length > 0);
  });
}
