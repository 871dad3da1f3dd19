import type { Sample } from "@evenbench/results";
import { type CaseFit, fitCase } from "@evenbench/stats";
import { expect, test } from "vitest";
import type { CaseCourse } from "./case.ts";
import { measureInTurns } from "./in-turns.ts";

/** Says when it is its turn, and ends after so many trials; of the first ones so many were warm. */
class Course {
  readonly work = { rounds: null, summarise() {} };
  readonly lastTrialMs = 0;
  fit: () => CaseFit | null = () => null;
  #isKnown = false;
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
    return this.#isKnown || this.done >= this.#trials;
  }

  end(): void {
    this.#isKnown = true;
  }

  get warm(): number {
    return Math.min(this.done, this.#warm);
  }

  async measureTrial(): Promise<void> {
    this.#said.push(`${this.id}${this.done}`);
    this.done += 1;
  }
}

const SAMPLE: Sample = {
  ...{ caseId: "case", target: "", trial: 0, phase: "measure", roundIndex: 0, position: 0, startedAtMs: 0 },
  ...{ connectMs: null, firstByteMs: null, lastByteMs: null, cpuMs: null, minorFaults: null, status: 200 },
  ...{ bodyBytes: 1, instanceId: null, served: 1, inFlight: 0, error: null },
};

const asCourses = (courses: readonly Course[]) => courses as unknown as readonly CaseCourse[];

test("after three turns it is first the turn of the case with the fewest warm trials; one that has ended has none", async () => {
  const said: string[] = [];
  const courses = [
    new Course("a", said, { trials: 4, warm: 4 }),
    new Course("b", said, { trials: 4, warm: 1 }),
    new Course("c", said, { trials: 3, warm: 0 }),
  ];
  await measureInTurns(asCourses(courses), 60_000, null, async () => {});
  expect(said.join(" ")).toBe("a0 b0 c0 a1 b1 c1 a2 b2 c2 b3 a3");
});

test("where the time is over each case still has three", async () => {
  const said: string[] = [];
  const courses = ["a", "b"].map((id) => new Course(id, said, { trials: 10, warm: 10 }));
  await measureInTurns(asCourses(courses), -1, null, async () => {});
  expect(said.join(" ")).toBe("a0 b0 a1 b1 a2 b2");
});

test("a case that is decided gets no more than three, and the time goes to the one that is not", async () => {
  const said: string[] = [];
  const fitOf = (times: Readonly<Record<string, readonly number[]>>) => () =>
    fitCase(
      Object.entries(times).flatMap(([target, trials]) =>
        trials.flatMap((ms, trial) =>
          [0, 1, 2].map((roundIndex) => ({ ...SAMPLE, target, trial, roundIndex, lastByteMs: ms })),
        ),
      ),
      { caseId: "case", metric: "lastByteMs", baseline: "a", copy: "a~copy", targets: ["a", "a~copy", "b"] },
    );
  const clear = new Course("clear", said, { trials: 5, warm: 5 });
  const open = new Course("open", said, { trials: 5, warm: 5 });
  const base = { a: [10, 10.1, 9.9], "a~copy": [10.1, 10, 9.95] };
  clear.fit = fitOf({ ...base, b: [20, 20.1, 19.8] });
  open.fit = fitOf({ ...base, b: [10.8, 9.7, 11.5] });
  await measureInTurns(asCourses([clear, open]), 60_000, null, async () => {});
  expect(said.join(" ")).toBe("clear0 open0 clear1 open1 clear2 open2 open3 open4");
});
