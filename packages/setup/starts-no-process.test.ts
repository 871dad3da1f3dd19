import { spawn } from "node:child_process";
import { expect, test } from "vitest";

test("a unit test that starts a process fails with the name that its file should have", () => {
  expect(() => spawn(process.execPath, ["--version"])).toThrow(/\*\.process\.test\.ts/);
});
