import { expect, test } from "vitest";
import { assertOpenFiles, refuseClientLimit } from "./open-files.ts";

const refusal = (connections: number, limit: number | null) => {
  try {
    assertOpenFiles({ connections, processes: 2 }, 1, limit);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

test("a measurement that needs more open files than the limit is refused with the limit, the need and what to type", () => {
  expect(refusal(512, 200)).toMatch(
    /may have 200 open files.*needs about 570.*ulimit -n 570\. Or offer fewer/,
  );
  expect(refusal(2, 30)).toMatch(/may have 30 open files.*needs about 60.*ulimit -n 60\.$/);
});

test("one that needs no more is not, nor where no limit is known; this process's own is found", () => {
  expect(refusal(512, 570)).toBeNull();
  expect(refusal(512, null)).toBeNull();
  expect(() => assertOpenFiles({ connections: 1, processes: 0 }, 0)).not.toThrow();
  // No system gives so many.
  expect(() => assertOpenFiles({ connections: 1e12, processes: 0 }, 0)).toThrow(/may have \d+ open files/);
});

test("only what the client itself ran out of ends a measurement", () => {
  const detail = "this process has as many open files as it may have (ulimit -n) (EMFILE)";
  expect(() => refuseClientLimit({ kind: "client-limit", detail })).toThrow(/no failure of the target/);
  for (const kind of ["connection", "timeout", "client-pause"] as const) {
    refuseClientLimit({ kind, detail });
  }
  refuseClientLimit(null);
});
