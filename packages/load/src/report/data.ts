import type { CaseManifest } from "@evenbench/core";
import type { Warning } from "@evenbench/report";
import { byPlatform, platformColours } from "@evenbench/report/parts";
import { type LoadRun, type LoadSubject, readLoad } from "@evenbench/results";
import { type Capacity, findCapacity, findSaturation, type Saturation } from "../analysis/saturation.ts";
import { type StageSummary, StageTally } from "../analysis/stage-summary.ts";
import { loadWarnings } from "./warnings.ts";

export interface LoadData {
  readonly run: LoadRun;
  readonly warnings: readonly Warning[];
  readonly cases: readonly CaseLoadReport[];
}

export interface CaseLoadReport {
  readonly manifest: CaseManifest;
  readonly subjects: readonly SubjectReport[];
}

export interface SubjectReport {
  readonly subject: LoadSubject;
  readonly colour: number;
  /** How many subjects before it have that colour: lines of one colour differ by their dashes. */
  readonly before: number;
  readonly stages: readonly StageSummary[];
  readonly saturation: Saturation | null;
  readonly capacity: Capacity | null;
}

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
      subjects: coloured(run.plan.subjects).flatMap(({ subject, colour, before }): SubjectReport[] => {
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
            before,
            stages: own,
            saturation: condition === null ? findSaturation(own) : null,
            capacity: condition === null ? null : findCapacity(own),
          },
        ];
      }),
    })),
  };
}

function coloured(
  subjects: readonly LoadSubject[],
): readonly Pick<SubjectReport, "subject" | "colour" | "before">[] {
  const placed = subjects.map(({ name, target }) => ({ ...target, name }));
  const colours = platformColours(placed);
  const order = placed.toSorted(byPlatform).map(({ name }) => name);
  return order.flatMap((name, index) => {
    const colour = colours.get(name) ?? 0;
    const before = order.slice(0, index).filter((one) => colours.get(one) === colour).length;
    return subjects.filter((one) => one.name === name).map((subject) => ({ subject, colour, before }));
  });
}
