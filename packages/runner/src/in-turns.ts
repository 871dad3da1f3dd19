import type { CaseCourse } from "./case.ts";
import { hasRoomForAnother, LEAST_TRIALS } from "./plan.ts";

/**
 * Measures cases in turns: a trial of each, then the next trial of each. So the trials of a case lie all over
 * the run, and what the machine does for some minutes reaches one or two trials of every case, not all trials
 * of one. Once each has its least, those come first of which the fewest trials had warm instances alone: the
 * last turn may not have room for all.
 *
 * @param mostMs for all together: a trial that would end later is left out, but three of each case are
 *   measured in any case.
 * @param beforeTrial is told whose turn it is.
 */
export async function measureInTurns(
  courses: readonly CaseCourse[],
  mostMs: number,
  beforeTrial: (course: CaseCourse) => Promise<void>,
): Promise<void> {
  const begunAt = performance.now();
  const hasRoom = ({ work, done, lastTrialMs }: CaseCourse) => {
    const tookMs = performance.now() - begunAt;
    return work.rounds !== null || hasRoomForAnother(done, { tookMs, nextMs: lastTrialMs, mostMs });
  };
  let left = courses;
  while (left.length > 0) {
    for (const course of inNextTurn(left)) {
      if (course.hasEnded || !hasRoom(course)) continue;
      await beforeTrial(course);
      await course.measureTrial();
    }
    left = left.filter((course) => !course.hasEnded && hasRoom(course));
  }
  for (const { work } of courses) work.summarise();
}

function inNextTurn(courses: readonly CaseCourse[]): readonly CaseCourse[] {
  if (courses.some(({ done }) => done < LEAST_TRIALS)) return courses;
  return courses.toSorted((a, b) => a.warm - b.warm);
}
