import { expect, test } from "vitest";
import { parseCpuHeader } from "./marks.ts";

test("the header of an account is read as it is written, and nothing else is", () => {
  const name = "2026-11-21/math/deployed-vercel~copy/2/measure/7";
  expect(parseCpuHeader(`${name}=12.345`)).toEqual({ requestId: name, cpuMs: 12.345, wallMs: null });
  for (const wrong of [null, "", "x", "x=", "=1", "x=-1", "x=1e9", `${"x".repeat(301)}=1`, "a=b=1"])
    expect(parseCpuHeader(wrong)).toBeNull();
});
