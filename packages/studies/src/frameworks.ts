import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlatform, namePlatform, type Platform } from "@evenbench/core";
import { accessVariables, LOOPBACK, serverEnvironment, startHost } from "@evenbench/host";
import { createReport } from "@evenbench/report";
import { type LocalTarget, run } from "@evenbench/runner";
import { row } from "./print.ts";

const TIME_FOR_A_CASE_MS = 60_000;

/**
 * Framework apps against the framework's own server (what `next start` runs, adapter-node's server) on the
 * same build, without our cluster and hosts around it: times, and CPU time for each request.
 */
export async function frameworks(all: readonly LocalTarget[]): Promise<void> {
  for (const appId of new Set(all.map(({ app }) => app.id))) {
    const targets = all.filter(({ app }) => app.id === appId);
    const node = targets.find(({ platform }) => platform.id === "node");
    if (node === undefined) continue;
    const own: LocalTarget = { ...node, name: "own-server", platform: ownServer(node.platform) };
    const out = await mkdtemp(join(tmpdir(), "evenbench-frameworks-"));
    try {
      const { folder } = await run({
        targets: [own, ...targets],
        cases: { [appId]: await node.app.cases() },
        baseline: own.name,
        timeMs: TIME_FOR_A_CASE_MS,
        seed: 1,
        out,
      });
      console.log((await createReport(folder)).markdown);
      console.log(await readFile(join(folder, "summary.csv"), "utf8"));
    } finally {
      await rm(out, { recursive: true, force: true });
    }
  }
  row("Time for each case", `${TIME_FOR_A_CASE_MS / 1000} s`);
}

/** One process of the deployable's server, as its framework starts it. */
function ownServer(node: Platform): Platform {
  const definition = definePlatform({
    ...node,
    serve: (options) =>
      startHost({
        ...options,
        name: "framework's own server",
        command: (port) => ({
          file: process.execPath,
          args: [join(options.deployable, "server.mjs")],
          cwd: options.deployable,
          env: serverEnvironment({
            HOST: LOOPBACK,
            HOSTNAME: LOOPBACK,
            PORT: String(port),
            KEEP_ALIVE_TIMEOUT: "65000",
            ...accessVariables(options.token),
          }),
        }),
      }),
  });
  return namePlatform("own", definition);
}
