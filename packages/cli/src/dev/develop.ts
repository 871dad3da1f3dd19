import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type BuildResult, buildArtifact } from "@evenbench/bundle";
import { bundleBuilder } from "@evenbench/bundle/deployable";
import {
  type AppDefinition,
  ARTIFACT_APP,
  type Host,
  messageOf,
  type Platform,
  UserError,
} from "@evenbench/core";
import {
  claimPort,
  discoverApps,
  discoverPlatforms,
  type LeaveOut,
  LOOPBACK,
  repositoryRoot,
  scratchFolder,
} from "@evenbench/host";
import { watchSources } from "./watch.ts";

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

interface DevOptions {
  /** Of the first server, the next one's is the next; 0: free ones. */
  readonly port: number;
  readonly signal: AbortSignal;
  onLine(line: string): void;
}

/** Until `signal` aborts, servers are kept at what the sources say. */
export async function develop(targets: readonly DevTarget[], { port, signal, onLine }: DevOptions) {
  await using parts = new AsyncDisposableStack();
  const folder = await scratchFolder("dev");
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "logs"));
  const servers: DevServer[] = [];
  for (const target of targets) {
    const own = await claimPort(port === 0 ? 0 : port + servers.length);
    servers.push(devServer(target, own, folder, onLine));
  }
  const ofArtifact = servers.filter(({ target }) => target.platform !== null);
  let built: BuildResult | null = null;
  let faults: readonly string[] = [];

  async function build(): Promise<void> {
    const told = faults;
    try {
      built = await buildArtifact({ outDirectory: join(folder, ".artifact"), developing: true });
      faults = built.failures.map(
        ({ path, reason }) => `${relative(repositoryRoot, path)} is left out: ${reason}`,
      );
    } catch (error) {
      // A handler that does not compile.
      faults = [`The artifact could not be built, and the last one is still served: ${messageOf(error)}`];
    }
    for (const fault of faults) if (!told.includes(fault)) onLine(fault);
  }

  async function startAll(): Promise<void> {
    if (ofArtifact.length > 0) await build();
    await Promise.all(servers.map((server) => server.start(built)));
  }

  /** Everything is built anew, and what that changes is started again. */
  async function takeUp(files: readonly string[]): Promise<void> {
    if (signal.aborted) return;
    const before = built?.manifest.digest;
    await build();
    const isOld = ({ target, down }: DevServer) =>
      built?.manifest.digest !== before ||
      down !== null ||
      files.some((file) => file.startsWith(join(repositoryRoot, "apps", target.name) + sep));
    await Promise.all(ofArtifact.filter(isOld).map((server) => server.start(built)));
  }

  let work: Promise<void> = Promise.resolve();
  const doNext = (next: () => Promise<void>) => {
    work = work.then(next);
  };
  parts.defer(async () => {
    await work;
    await Promise.all(servers.map((server) => server.stop()));
  });
  const watched = ofArtifact.map(({ target }) => join(repositoryRoot, "apps", target.name));
  // Before the first build: what changes during it is not lost.
  if (watched.length > 0) {
    const sources = [join(repositoryRoot, "packages"), ...watched];
    parts.defer(await watchSources(sources, (files) => doNext(() => takeUp(files)), onLine));
  }
  doNext(startAll);
  await work;
  if (servers.every(({ down }) => down !== null)) {
    const reasons = servers.map(({ target, down }) => `${target.name}: ${down}`);
    throw new UserError(`No development server could be started.\n${reasons.join("\n")}`);
  }
  onLine(`\nLogs: ${join(folder, "logs")}\nCtrl-C ends it.`);
  if (!signal.aborted) await once(signal, "abort");
}

interface DevServer {
  readonly target: DevTarget;
  /** Why it does not serve; null while it starts or serves. */
  readonly down: string | null;
  /** What goes wrong becomes `down`. */
  start(built: BuildResult | null): Promise<void>;
  stop(): Promise<void>;
}

/** It keeps its address as long as the session lasts. */
function devServer(
  target: DevTarget,
  port: number,
  folder: string,
  onLine: (line: string) => void,
): DevServer {
  const url = `http://${LOOPBACK}:${port}`;
  let host: Host | null = null;
  let down: string | null = null;
  const fall = (why: string) => {
    down = why;
    onLine(`${target.name} is down: ${why}`);
  };
  const stop = async () => {
    const stopping = host;
    host = null;
    await stopping?.stop();
  };
  return {
    target,
    get down() {
      return down;
    },
    async start(built) {
      try {
        await stop();
        down = null;
        onLine(`${target.name} is starting at ${url}`);
        const started = await serve(target, folder, port, built);
        host = started;
        onLine(`${target.name} is up at ${url} (pid ${started.pids().join(", ")})`);
        void started.died.then((why) => {
          if (host !== started) return;
          host = null;
          fall(why);
        });
      } catch (error) {
        fall(messageOf(error));
      }
    },
    stop,
  };
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
