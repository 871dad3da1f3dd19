import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BuildResult } from "@evenbench/bundle";
import { bundleBuilder } from "@evenbench/bundle/deployable";
import { type AppDefinition, ARTIFACT_APP, type Host, messageOf, type Platform } from "@evenbench/core";
import { claimPort, discoverApps, discoverPlatforms, type LeaveOut, LOOPBACK } from "@evenbench/host";

export interface DevTarget {
  readonly name: string;
  readonly app: AppDefinition;
  /** null where the framework's own server for developing stands for all platforms. */
  readonly platform: Platform | null;
}

export async function listDevTargets(leaveOut?: LeaveOut): Promise<DevTarget[]> {
  const apps = await discoverApps(undefined, leaveOut);
  const platforms = await discoverPlatforms(undefined, leaveOut);
  return apps.flatMap((app): DevTarget[] => {
    if (app.id === ARTIFACT_APP)
      return platforms
        .filter(({ id }) => app.deployable(id) !== null)
        .map((platform) => ({ name: platform.id, app, platform }));
    return app.develop === undefined ? [] : [{ name: app.id, app, platform: null }];
  });
}

export interface DevServer {
  readonly target: DevTarget;
  /** It keeps its address as long as the session lasts. */
  readonly url: string;
  /** Why it does not serve; null while it starts or serves. */
  down: string | null;
  /** What goes wrong becomes `down`. */
  start(built: BuildResult | null): Promise<void>;
  stop(): Promise<void>;
}

export async function devServer(
  target: DevTarget,
  folder: string,
  onLine: (line: string) => void,
): Promise<DevServer> {
  const port = await claimPort(0);
  let host: Host | null = null;
  const fall = (why: string) => {
    server.down = why;
    onLine(`${target.name} is down: ${why}`);
  };
  const server: DevServer = {
    target,
    url: `http://${LOOPBACK}:${port}`,
    down: null,
    async start(built) {
      try {
        await server.stop();
        server.down = null;
        onLine(`${target.name} is starting at ${server.url}`);
        const started = await serve(target, folder, port, built);
        host = started;
        onLine(`${target.name} is up at ${server.url} (pid ${started.pids().join(", ")})`);
        void started.died.then((why) => {
          if (host !== started) return;
          host = null;
          fall(why);
        });
      } catch (error) {
        fall(messageOf(error));
      }
    },
    async stop() {
      const stopping = host;
      host = null;
      await stopping?.stop();
    },
  };
  return server;
}

async function serve(
  { app, platform, name }: DevTarget,
  folder: string,
  port: number,
  built: BuildResult | null,
): Promise<Host> {
  const settings = { port, logFile: join(folder, "logs", `${name}.log`) };
  if (platform === null) {
    if (app.develop === undefined) throw new Error(`The app "${name}" has no development server.`);
    return app.develop(settings);
  }
  if (built === null) throw new Error("There is no artifact.");
  const deployable = join(folder, name);
  const build = await bundleBuilder(platform.id);
  await build({ artifactDirectory: built.artifact, outDirectory: deployable });
  await untilFree(port);
  if (platform.develop !== undefined) return platform.develop({ ...settings, deployable });
  return platform.serve({ ...settings, deployable, cores: null, workers: 1, v8Flags: [] });
}

const POLL_MS = 100;
/** What a server that died leaves behind can listen for a moment longer. */
const FREE_WITHIN_MS = 5_000;

/** Not for long: who serves there then says so. */
async function untilFree(port: number): Promise<void> {
  const until = performance.now() + FREE_WITHIN_MS;
  while (performance.now() < until) {
    try {
      return void (await claimPort(port));
    } catch {
      await delay(POLL_MS);
    }
  }
}
