import { analyseFit, areDecided, type CaseFit, isPreciseEnough } from "@evenbench/stats";
import type { CaseCourse } from "./case.ts";
import { hasRoomForAnother, LEAST_TRIALS } from "./plan.ts";

/**
 * Measures cases in turns: a trial of each, then the next trial of each. So the trials of a case lie all over
 * the run, and what the machine does for some minutes reaches one or two trials of every case, not all trials
 * of one. Once each has its least, the time goes where the doubt is: a case that is decided gets no more. Of the others
 * those come first of which the fewest trials had warm instances alone.
 *
 * @param mostMs for all together: a trial that would end later is left out, but three of each case are
 *   measured in any case.
 * @param precision that was asked for, as a fraction: then a case ends when it is reached instead.
 * @param beforeTrial is told whose turn it is.
 */
export async function measureInTurns(
  courses: readonly CaseCourse[],
  mostMs: number,
  precision: number | null,
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
    endKnown(courses, precision);
    left = left.filter((course) => !course.hasEnded && hasRoom(course));
  }
  for (const { work } of courses) work.summarise();
}

function endKnown(courses: readonly CaseCourse[], precision: number | null): void {
  const known = courses.flatMap((course) => {
    const fit = course.done < LEAST_TRIALS ? null : course.fit();
    return fit === null ? [] : [{ course, fit }];
  });
  const fits = known.map(({ fit }) => fit);
  const isEnough =
    precision === null
      ? areDecided(fits)
      : fits.map((fit: CaseFit) => isPreciseEnough(analyseFit(fit), precision));
  for (const [index, { course }] of known.entries()) if (isEnough[index]) course.end();
}

function inNextTurn(courses: readonly CaseCourse[]): readonly CaseCourse[] {
  if (courses.some(({ done }) => done < LEAST_TRIALS)) return courses;
  return courses.toSorted((a, b) => a.warm - b.warm);
}
