import { expect, test } from "vitest";
import type { CaseCourse } from "./case.ts";
import { measureInTurns } from "./in-turns.ts";

/** Says when it is its turn, and ends after so many trials; of the first ones so many were warm. */
class Course {
  readonly work = { rounds: null, summarise() {} };
  readonly lastTrialMs = 0;
  readonly id: string;
  readonly #said: string[];
  readonly #trials: number;
  readonly #warm: number;
  done = 0;

  constructor(id: string, said: string[], { trials, warm }: { trials: number; warm: number }) {
    this.id = id;
    this.#said = said;
    this.#trials = trials;
    this.#warm = warm;
  }

  get hasEnded(): boolean {
    return this.done >= this.#trials;
  }

  get warm(): number {
    return Math.min(this.done, this.#warm);
  }

  async measureTrial(): Promise<void> {
    this.#said.push(`${this.id}${this.done}`);
    this.done += 1;
  }
}

const asCourses = (courses: readonly Course[]) => courses as unknown as readonly CaseCourse[];

test("after three turns it is first the turn of the case with the fewest warm trials; one that has ended has none", async () => {
  const said: string[] = [];
  const courses = [
    new Course("a", said, { trials: 4, warm: 4 }),
    new Course("b", said, { trials: 4, warm: 1 }),
    new Course("c", said, { trials: 3, warm: 0 }),
  ];
  await measureInTurns(asCourses(courses), 60_000, async () => {});
  expect(said.join(" ")).toBe("a0 b0 c0 a1 b1 c1 a2 b2 c2 b3 a3");
});

test("where the time is over each case still has three", async () => {
  const said: string[] = [];
  const courses = ["a", "b"].map((id) => new Course(id, said, { trials: 10, warm: 10 }));
  await measureInTurns(asCourses(courses), -1, async () => {});
  expect(said.join(" ")).toBe("a0 b0 a1 b1 a2 b2");
});
