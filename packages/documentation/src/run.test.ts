// Every command of README.md and docs/ is run, each in one of the ways of ways.ts.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloudflareApi } from "@evenbench/app-cloudflare/test/api.ts";
import { vercelApi } from "@evenbench/app-vercel/test/api.ts";
import type { Host } from "@evenbench/core";
import { type ScratchRepository, scratchRepository } from "@evenbench/create/testing";
import { digestOfDeployable, writeDeployments } from "@evenbench/deploy";
import { type Recorder, startRecorder } from "@evenbench/deploy/testing";
import { repositoryRoot } from "@evenbench/host";
import { listTargets } from "@evenbench/runner";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listPages, readCommands } from "./read-commands.ts";
import { runCommand, withArguments } from "./run-command.ts";
import { fillIn, keyOf, NOT_RUN, readCommand, type Surroundings, WAYS, waysOf, whyNotRun } from "./ways.ts";

const TOKEN = "feedfacefeedfacefeedfacefeedface";
const commands = listPages().flatMap(readCommands);

test.each(commands.map(({ place, words }) => [words.join(" "), place, words] as const))(
  "%s (%s) is run in one way, or it is said why it is not",
  (_command, _place, words) => {
    expect(waysOf(words).length + (whyNotRun(words) === null ? 0 : 1)).toBe(1);
  },
);

test("no way and no reason is left over", () => {
  expect(WAYS.filter((way) => !commands.some(({ words }) => waysOf(words).includes(way)))).toEqual([]);
  const reasons = new Set(commands.map(({ words }) => whyNotRun(words)));
  for (const reason of Object.values(NOT_RUN)) expect(reasons).toContain(reason);
});

let folder: string;
let around: Surroundings;
let host: Host;
let repository: ScratchRepository;
let recorders: readonly [cloudflare: Recorder, vercel: Recorder];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  const results = join(folder, "results");
  // Through the door: what is not installed yet is, before any command has another home than the user's.
  const first = ["npm", "run", "bench", "--", "--no-build", "--case", "empty", "--target", "node"];
  const made = await runCommand([...first, "--time", "1s", "--out", results], {});
  expect(made.code, made.said).toBe(0);
  const claims = join(folder, "claims");
  const cheap = ["experiment", "price", "--no-build", "--time", "1s", "--out", claims];
  const checked = await runCommand(["evenbench", ...cheap], {});
  expect(checked.code, checked.said).toBe(0);
  around = {
    results,
    run: await onlyFolderIn(results),
    claims: await onlyFolderIn(claims),
    out: join(folder, "out"),
    deployments: join(folder, "deployments.json"),
    deployed: join(folder, "deployed.json"),
    prices: join(repositoryRoot, "packages/report/prices.json"),
  };
  host = await startClosed();
  repository = await scratchRepository();
  recorders = [
    await startRecorder(cloudflareApi(new Set())),
    await startRecorder(vercelApi(new Set()).answer),
  ];
});
afterAll(async () => {
  await host?.stop();
  await repository?.[Symbol.asyncDispose]();
  for (const recorder of recorders ?? []) await recorder[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function onlyFolderIn(parent: string): Promise<string> {
  const [name = ""] = (await readdir(parent)).filter((one) => !one.startsWith("."));
  return join(parent, name);
}

/** A function's server that demands the token, noted as a deployment. */
async function startClosed(): Promise<Host> {
  const target = (await listTargets()).find(({ name }) => name === "vercel");
  if (target === undefined) throw new Error('There is no target "vercel".');
  const { app, platform, deployable } = target;
  const logFile = join(folder, "vercel.log");
  const options = { port: 0, logFile, cores: null, workers: 1, v8Flags: [], token: TOKEN };
  const started = await platform.serve({ ...options, deployable });
  const deployment = {
    app: app.id,
    platform: platform.id,
    name: "evenbench",
    state: "deployed" as const,
    url: started.url,
    accountsUrl: null,
    digest: await digestOfDeployable(deployable),
    region: "us-east-1",
    at: new Date().toISOString(),
  };
  await writeDeployments(around.deployed, { schemaVersion: 1, token: TOKEN, deployments: [deployment] });
  return started;
}

/** Where the platforms' tools find their APIs, and a home that is not the user's. */
function variables(): Record<string, string> {
  const [cloudflare, vercel] = recorders;
  return {
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    CLOUDFLARE_API_BASE_URL: cloudflare.url,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "account",
    EVENBENCH_VERCEL_API: vercel.url,
    VERCEL_TOKEN: "atokenofvercel",
  };
}

describe.each(WAYS)("$name", (way) => {
  const own = commands.filter(({ words }) => waysOf(words).includes(way));
  const once = [...new Map(own.toReversed().map((one) => [keyOf(one.words), one])).values()].toReversed();

  test.each(once.map(({ place, words }) => [words.join(" "), place, words] as const))(
    "%s (%s)",
    async (_command, _place, words) => {
      const filled = fillIn(words, around);
      const { command, args } = readCommand(filled) ?? { command: "", args: [] };
      const added = way.added(command, args, around);
      const started = way.inScratchRepository
        ? [process.execPath, join(repository.root, "packages/cli/evenbench.ts"), ...args, ...added]
        : withArguments(filled, added);
      const { code, said } = await runCommand(started, variables(), way.ready);
      // Package managers end by the signal, too: what counts is that every process of the group has ended.
      if (way.ready) expect(said).toContain("Stopping all servers.");
      else expect(code, said).toBe(0);
      expect(said).not.toBe("");
    },
    120_000,
  );
});
