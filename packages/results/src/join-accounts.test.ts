import { expect, test } from "vitest";
import { joinAccounts, requestId } from "./accounts.ts";
import type { SampleKey } from "./schema/sample.ts";

const key: SampleKey = {
  caseId: "math",
  target: "deployed-vercel~copy",
  trial: 2,
  phase: "measure",
  roundIndex: 7,
};

test("a request's name is a header's value and tells all samples apart", () => {
  expect(requestId("2026-11-21", key)).toBe("2026-11-21/math/deployed-vercel~copy/2/measure/7");
  const others = [
    { ...key, roundIndex: 8 },
    { ...key, phase: "warmup" as const },
    { ...key, target: "ü=" },
  ];
  const names = [key, ...others].map((one) => requestId("run", one));
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[!-<>-~]+$/);
});

test("accounts find their samples; gaps and strays are counted, doubles are not", () => {
  const measured = new Map(["a", "b", "c"].map((id, roundIndex) => [id, { ...key, roundIndex }]));
  const account = (id: string, cpuMs: number) => ({ requestId: id, cpuMs, wallMs: null });
  const joined = joinAccounts("t", measured, [
    account("a", 1),
    account("a", 9),
    account("c", 3),
    account("x", 4),
  ]);
  expect(joined).toMatchObject({ target: "t", exchanges: 3, strays: 1 });
  expect(joined.accounts.map(({ roundIndex, cpuMs }) => [roundIndex, cpuMs])).toEqual([
    [0, 1],
    [2, 3],
  ]);
});
