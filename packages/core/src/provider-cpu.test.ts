import { expect, test } from "vitest";
import { joinAccounts, parseCpuHeader, requestId, type SampleKey } from "./provider-cpu.ts";

const key: SampleKey = {
  caseId: "math",
  target: "deployed-vercel~twin",
  generation: 2,
  phase: "measure",
  roundIndex: 7,
};

test("a request's name is a header's value and tells all samples apart", () => {
  expect(requestId("2026-11-21", key)).toBe("2026-11-21/math/deployed-vercel~twin/2/measure/7");
  const others = [
    { ...key, roundIndex: 8 },
    { ...key, phase: "warmup" as const },
    { ...key, target: "ü=" },
  ];
  const names = [key, ...others].map((one) => requestId("run", one));
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[!-<>-~]+$/);
});

test("the header of an account is read as it is written, and nothing else is", () => {
  const name = requestId("run", key);
  expect(parseCpuHeader(`${name}=12.345`)).toEqual({ requestId: name, cpuMs: 12.345, wallMs: null });
  for (const wrong of [null, "", "x", "x=", "=1", "x=-1", "x=1e9", `${"x".repeat(301)}=1`, "a=b=1"])
    expect(parseCpuHeader(wrong)).toBeNull();
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
