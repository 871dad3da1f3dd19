import type { CaseManifest, LoadRun, LoadSubject } from "@evenbench/core";
import type { Warning } from "@evenbench/report";
import { readLoad } from "@evenbench/results";
import { type Capacity, findCapacity } from "../analysis/capacity.ts";
import { findSaturation, type Saturation } from "../analysis/saturation.ts";
import { type StageSummary, StageTally } from "../analysis/stage-summary.ts";
import { loadWarnings } from "./warnings.ts";

/** Everything that a load's report says, before it has a form. */
export interface LoadData {
  readonly run: LoadRun;
  readonly warnings: readonly Warning[];
  readonly cases: readonly CaseLoadReport[];
}

export interface CaseLoadReport {
  readonly manifest: CaseManifest;
  readonly subjects: readonly SubjectReport[];
}

/** What one subject did in one case. */
export interface SubjectReport {
  readonly subject: LoadSubject;
  /** Which colour it has in all figures. */
  readonly colour: number;
  readonly stages: readonly StageSummary[];
  /** null without closed-loop stages. */
  readonly saturation: Saturation | null;
  /** null where no capacity was searched. */
  readonly capacity: Capacity | null;
}

/**
 * Reads the folder of a load run and works out what it shows.
 *
 * @throws {ResultsError} when there is no such run, it is not valid, or a newer Evenbench wrote it.
 */
export async function readLoadData(folder: string): Promise<LoadData> {
  const tallies = new Map<number, StageTally>();
  const { run, damage } = await readLoad(folder, (sample) => {
    const tally = tallies.get(sample.stage) ?? new StageTally();
    tallies.set(sample.stage, tally);
    tally.push(sample);
  });
  const { condition } = run.plan;
  const stages = run.stages.map((stage, index) =>
    (tallies.get(index) ?? new StageTally()).summarise(stage, condition),
  );
  return {
    run,
    warnings: loadWarnings(run, stages, damage),
    cases: run.plan.cases.map((manifest) => ({
      manifest,
      subjects: run.plan.subjects.flatMap((subject, colour): SubjectReport[] => {
        const own = stages.filter(
          ({ stage, held }) =>
            stage.caseId === manifest.id &&
            stage.subject === subject.name &&
            // The closed loop with which a search begins only says where.
            (held === null || stage.load.kind === "open"),
        );
        if (own.length === 0) return [];
        return [
          {
            subject,
            colour,
            stages: own,
            saturation: condition === null ? findSaturation(own) : null,
            capacity: condition === null ? null : findCapacity(own),
          },
        ];
      }),
    })),
  };
}
