import { once } from "node:events";
import { existsSync, readFileSync, unwatchFile, watchFile } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { SourceMap } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
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

/** An app that is served for developing. */
export interface DevTarget {
  readonly name: string;
  readonly app: AppDefinition;
  /** null where the framework's own server for developing stands for all platforms. */
  readonly platform: Platform | null;
}

/**
 * Lists what can be served for developing: the artifact by each platform, and each app whose framework has a
 * server of its own for it.
 *
 * @param leaveOut is told of apps and platforms that cannot be loaded. Default: the first one is an error.
 */
export async function listDevTargets(leaveOut?: LeaveOut): Promise<DevTarget[]> {
  const apps = await discoverApps(undefined, leaveOut);
  const platforms = await discoverPlatforms(undefined, leaveOut);
  return apps.flatMap((app): DevTarget[] => {
    if (app.id === ARTIFACT_APP) {
      return platforms
        .filter(({ id }) => app.deployable(id) !== null)
        .map((platform) => ({ name: platform.id, app, platform }));
    }
    return app.develop === undefined ? [] : [{ name: app.id, app, platform: null }];
  });
}

/**
 * Until `signal` aborts, servers are kept at what the sources say. The first has `port`, the others follow;
 * 0: free ones.
 */
export async function develop(
  targets: readonly DevTarget[],
  port: number,
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const folder = await scratchFolder("dev");
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "logs"));
  const thrown = new Set<string>();
  const servers: DevServer[] = [];
  let built: BuildResult | null = null;
  for (const [index, target] of targets.entries()) {
    servers.push(devServer(target, await claimPort(port === 0 ? 0 : port + index), folder, signal, onLine));
    const tell = (what: string, stack: string) => {
      const told = target.platform !== null && thrown.has(what);
      if (!told) {
        onLine(`${target.name}: ${what}${withSources(stack, built)}`);
      }
      thrown.add(what);
    };
    parts.defer(followThrown(logOf(target, folder), tell));
  }
  const ofArtifact = targets.filter(({ platform }) => platform !== null);
  let faults: readonly string[] = [];

  async function build(): Promise<void> {
    const faultsBefore = faults;
    try {
      built = await buildArtifact({ outDirectory: join(folder, ".artifact"), developing: true });
      faults = built.failures.map(
        ({ path, reason }) => `${relative(repositoryRoot, path)} is left out: ${reason}`,
      );
    } catch (error) {
      // A handler that does not compile.
      faults = [`The artifact could not be built, and the last one is still served: ${messageOf(error)}`];
    }
    for (const fault of faults) {
      if (!faultsBefore.includes(fault)) {
        onLine(fault);
      }
    }
  }

  /** Everything is built anew, and what that changes is started again; what does not serve is started. */
  async function takeUp(files: readonly string[]): Promise<void> {
    if (signal.aborted) {
      return;
    }
    thrown.clear();
    const before = built?.manifest.digest;
    if (ofArtifact.length > 0) {
      await build();
    }
    const isOld = ({ name, platform }: DevTarget) =>
      platform !== null &&
      (built?.manifest.digest !== before ||
        files.some((file) => file.startsWith(join(repositoryRoot, "apps", name) + sep)));
    const starting = servers.filter(
      ({ target, host, down }) => host === null || down !== null || isOld(target),
    );
    await Promise.all(starting.map((server) => server.start(built)));
  }

  let work: Promise<void> = Promise.resolve();
  const doNext = (files: readonly string[]) => {
    work = work.then(() => takeUp(files));
  };
  parts.defer(async () => {
    await work;
    await Promise.all(servers.map(({ host }) => host?.stop()));
  });
  // Before the first build: what changes during it is not lost.
  if (ofArtifact.length > 0) {
    const watched = ofArtifact.map(({ name }) => join(repositoryRoot, "apps", name));
    parts.defer(await watchSources([join(repositoryRoot, "packages"), ...watched], doNext, onLine));
  }
  doNext([]);
  await work;
  if (servers.every(({ down }) => down !== null)) {
    const reasons = servers.map(({ target, down }) => `${target.name}: ${down}`);
    throw new UserError(`No development server could be started.\n${reasons.join("\n")}`);
  }
  if (signal.aborted) {
    return;
  }
  onLine(`\nLogs: ${join(folder, "logs")}\nCtrl-C ends it.`);
  await once(signal, "abort");
}

/** The development server of one target, which is started anew for each build. */
interface DevServer {
  readonly target: DevTarget;
  /** Null before the first start. */
  host: Host | null;
  /** Why it does not serve; null while it starts or serves. */
  down: string | null;
  /** @param built the artifact; null for an app that has a development server of its own. */
  start(built: BuildResult | null): Promise<void>;
}

/** Makes a server that keeps its address as long as the session lasts. */
function devServer(
  target: DevTarget,
  port: number,
  folder: string,
  signal: AbortSignal,
  onLine: (line: string) => void,
): DevServer {
  const url = `http://${LOOPBACK}:${port}`;
  const fall = (why: string) => {
    server.down = why;
    onLine(`${target.name} is down: ${why}`);
  };
  const server: DevServer = {
    target,
    host: null,
    down: null,
    async start(built) {
      try {
        // Of one that died, too: what it left behind may still listen.
        await server.host?.stop();
        server.down = null;
        onLine(`${target.name} is starting at ${url}`);
        const host = await serve(target, folder, port, built, signal);
        server.host = host;
        onLine(`${target.name} is up at ${url} (pid ${host.pids().join(", ")})`);
        void host.died.then(fall);
      } catch (error) {
        if (!signal.aborted) {
          fall(messageOf(error));
        }
      }
    },
  };
  return server;
}

/**
 * Finds an error with its frames, as the artifact for developing writes it, or as all frameworks do; its
 * message may have several lines.
 */
const THROWN =
  /(case ".+" threw: .*(?:(?:\n(?! +at |evenbench: ).*){1,20}?(?=\n +at ))?|\w*Error\b.*(?:\n(?! +at ).*){0,5}?(?=\n +at ))((?:\n +at .*)*)/g;
const FRAMES = 5;

function followThrown(logFile: string, onThrown: (what: string, stack: string) => void): () => void {
  const look = (now: { readonly size: number }, { size }: { readonly size: number }) => {
    const added = now.size > size ? readFileSync(logFile).subarray(size, now.size).toString() : "";
    for (const [, what = "", stack = ""] of stripVTControlCharacters(added).matchAll(THROWN)) {
      onThrown(what, stack);
    }
  };
  watchFile(logFile, { interval: 250 }, look);
  return () => unwatchFile(logFile, look);
}

/** Each platform has put the modules of the artifact, as they are, into a folder of this name. */
const MODULE_FRAME = /[^\s(]*artifact\/(\S+\.mjs):(\d+):(\d+)/g;

/**
 * Gives frames with their places in sources. Only frames of the user's own code are kept: below a framework
 * there are many.
 */
function withSources(stack: string, built: BuildResult | null): string {
  const mapped = stack.replace(MODULE_FRAME, (frame, module: string, ...at: readonly string[]) => {
    const file = join(built?.artifact ?? "", `${module}.map`);
    if (!existsSync(file)) {
      return frame;
    }
    const map = new SourceMap(JSON.parse(readFileSync(file, "utf8")));
    const origin = map.findOrigin(Number(at[0]), Number(at[1]));
    if (!("fileName" in origin)) {
      return frame;
    }
    return `${resolve(dirname(file), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  });
  const frames = mapped.replaceAll(join(repositoryRoot, sep), "").split("\n");
  return frames
    .filter((frame) => !/\bnode(_modules\/|:)/.test(frame))
    .slice(0, FRAMES + 1)
    .join("\n");
}

const logOf = ({ name }: DevTarget, folder: string) => join(folder, "logs", `${name}.log`);

async function serve(
  target: DevTarget,
  folder: string,
  port: number,
  built: BuildResult | null,
  signal: AbortSignal,
): Promise<Host> {
  const { app, platform, name } = target;
  const settings = { port, logFile: logOf(target, folder), signal };
  if (platform === null) {
    if (app.develop === undefined) {
      throw new Error(`The app "${name}" has no development server.`);
    }
    return app.develop(settings);
  }
  if (built === null) {
    throw new Error("There is no artifact.");
  }
  const deployable = join(folder, name);
  const build = await bundleBuilder(platform.id);
  await build({ artifactDirectory: built.artifact, outDirectory: deployable });
  return platform.serve({ ...settings, deployable, cores: null, workers: 1, v8Flags: [] });
}
