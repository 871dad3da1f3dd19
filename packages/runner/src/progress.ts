import type { Progress, ProgressPlace, RunOptions } from "./options.ts";
import type { CaseCourse } from "./turns.ts";

/** A trial that takes longer than it was to: so much of it is still taken to be left. */
const LEAST_LEFT = 0.15;

interface Ahead {
  readonly course: CaseCourse;
  done: number;
  nextMs: number;
}

/** `measureInTurns` played in advance, as if what is not decided yet stayed open. */
function timeLeft(courses: readonly CaseCourse[], now = performance.now()): number {
  const purses = new Map(courses.map(({ purse }) => [purse, purse.leftMs]));
  let leftMs = 0;
  const spend = ({ purse }: CaseCourse, ms: number, tookMs = 0) => {
    leftMs += ms;
    purses.set(purse, (purses.get(purse) ?? 0) - tookMs - ms);
  };
  const add = (ahead: Ahead) => {
    spend(ahead.course, ahead.nextMs);
    ahead.done += 1;
    ahead.nextMs = ahead.course.laterMs;
  };
  let open = courses.flatMap((course): Ahead[] => {
    const { done, begunAt, expectedMs } = course;
    if (course.hasEnded) return [];
    if (begunAt === null) return [{ course, done, nextMs: expectedMs }];
    const tookMs = now - begunAt;
    spend(course, Math.max(expectedMs - tookMs, LEAST_LEFT * expectedMs), tookMs);
    return [{ course, done: done + 1, nextMs: course.laterMs }];
  });
  for (const ahead of open) while (ahead.done < ahead.course.least) add(ahead);
  while (open.length > 0) {
    open = open.filter((ahead) => {
      const { purse, work } = ahead.course;
      const hasRoom = ahead.done < work.plan.trials.maximum && ahead.nextMs <= (purses.get(purse) ?? 0);
      if (hasRoom) add(ahead);
      return hasRoom;
    });
  }
  return leftMs;
}

export interface Left {
  readonly ms: number;
  readonly why: string | null;
}

/** A run that takes so many times what was announced says why. */
const GROWN = 1.1;

export class Forecast {
  readonly announcedMs: number;
  readonly #begunAt: number;
  readonly #courses: readonly CaseCourse[];
  readonly #afterwardsMs: number;
  readonly #planned: ReadonlyMap<CaseCourse, { readonly firstMs: number; readonly laterMs: number }>;

  constructor(courses: readonly CaseCourse[], afterwardsMs = 0, now = performance.now()) {
    this.#courses = courses;
    this.#afterwardsMs = afterwardsMs;
    this.#begunAt = now;
    this.announcedMs = timeLeft(courses, now) + afterwardsMs;
    this.#planned = new Map(
      courses.map((course) => [course, { firstMs: course.expectedMs, laterMs: course.laterMs }]),
    );
  }

  left(now = performance.now()): Left {
    const ms = timeLeft(this.#courses, now) + this.#afterwardsMs;
    const hasGrown = now - this.#begunAt + ms > GROWN * this.announcedMs;
    return { ms, why: (hasGrown ? this.#whatGrew() : null) ?? this.#whatIsOpen() };
  }

  #whatGrew(): string | null {
    const grown = this.#courses.flatMap((course) => {
      const { firstMs = 0, laterMs = 0 } = this.#planned.get(course) ?? {};
      const moreMs = course.tookMs - firstMs - Math.max(0, course.done - 1) * laterMs;
      return course.done > 0 && moreMs > 0 ? [{ course, moreMs }] : [];
    });
    const [most] = grown.toSorted((a, b) => b.moreMs - a.moreMs);
    if (most === undefined) return null;
    const { work, last, planned } = most.course;
    const isWarmUp = last !== null && last.warmUpMs > GROWN * planned.warmUpMs;
    return `${work.manifest.id} ${isWarmUp ? "needed longer to warm up" : "took longer than its first answers"}`;
  }

  #whatIsOpen(): string | null {
    if (this.#courses.some(({ done, least }) => done < least)) return null;
    const open = this.#courses.filter(({ hasEnded, hasRoom }) => !hasEnded && hasRoom).length;
    return open === 0 ? null : open === 1 ? "1 case is still open" : `${open} cases are still open`;
  }
}

const EVERY_MS = 200;

export function progressReporter(
  onProgress: RunOptions["onProgress"],
  caseIds: readonly string[],
  left: (now: number) => Left | null,
) {
  let lastPhase: Progress["phase"] | null = null;
  let lastShownAt = 0;
  return {
    show(progress: ProgressPlace, caseIndex = Math.max(0, caseIds.indexOf(progress.caseId ?? ""))) {
      const now = performance.now();
      if (progress.phase === lastPhase && now - lastShownAt < EVERY_MS) return;
      lastPhase = progress.phase;
      lastShownAt = now;
      const { ms = null, why = null } = left(now) ?? {};
      onProgress?.({ ...progress, caseIndex, caseCount: caseIds.length, etaMs: ms, why });
    },
  };
}
