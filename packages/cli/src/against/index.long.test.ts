// Its modules are replaced: a real build would be interrupted at any of its steps, or be over before.

import { UserError } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host/repository";
import { afterEach, expect, test, vi } from "vitest";
import { interruptible } from "../exit.ts";
import { buildTargets } from "../targets.ts";
import { type AgainstOptions, againstFolder } from "./index.ts";
import { pairUp } from "./pairs.ts";

vi.mock("../targets.ts", async (original) => ({ ...(await original<object>()), buildTargets: vi.fn() }));
vi.mock("../exit.ts", async (original) => ({ ...(await original<object>()), interruptible: vi.fn() }));
vi.mock("./pairs.ts", async (original) => ({ ...(await original<object>()), pairUp: vi.fn() }));
afterEach(() => {
  vi.resetAllMocks();
});

const options = { out: "results/builds", build: true } as unknown as AgainstOptions;

async function exitAfterBuild(isInterrupted: boolean): Promise<number> {
  const interruption = new AbortController();
  vi.mocked(interruptible).mockReturnValue(interruption.signal);
  vi.mocked(buildTargets).mockImplementation(async () => {
    if (isInterrupted) interruption.abort();
    throw new UserError("The build failed.");
  });
  const exit = { code: 0 };
  await againstFolder(repositoryRoot, repositoryRoot, options, exit);
  return exit.code;
}

test("Ctrl-C during the build of the working copy is no failed build", async () => {
  expect(await exitAfterBuild(true)).toBe(130);
});

test("a build that fails by itself is one", async () => {
  await expect(exitAfterBuild(false)).rejects.toThrow("The build failed.");
});

test("a platform that could not be loaded fails the command, whatever was found of the others", async () => {
  vi.mocked(interruptible).mockReturnValue(new AbortController().signal);
  vi.mocked(buildTargets).mockImplementation(async (targets) => ({
    targets,
    missing: [],
    casesLeftOut: false,
  }));
  vi.mocked(pairUp).mockResolvedValue({ changed: [], equal: ["node"], oneSided: [] });
  const exit = { code: 1 };
  await againstFolder(repositoryRoot, repositoryRoot, options, exit);
  expect(exit.code).toBe(1);
});
