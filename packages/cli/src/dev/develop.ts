import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type BuildResult, buildArtifact } from "@evenbench/bundle";
import { bundleBuilder } from "@evenbench/bundle/deployable";
import {
  type AppDefinition,
  ARTIFACT_APP,
  type Host,
  messageOf,
  type Platform,
  reasonOf,
  UserError,
  withQuotes,
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
import { followThrown, withSources } from "./thrown.ts";
import { watchSources } from "./watch.ts";

/** An app that is served for developing. */
export interface DevTarget {
  /** The name of the platform, or of the app that has a server of its own. */
  readonly name: string;
  readonly app: AppDefinition;
  /** The platform that serves it; null where the framework's own server for developing stands for all platforms. */
  readonly platform: Platform | null;
}

/**
 * Lists what can be served for developing: the artifact by each platform, and each framework's own server.
 *
 * @param leaveOut is called with what cannot be loaded. Default: the first one is thrown.
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
 * Runs development servers until the signal aborts: they are built and started anew when sources change.
 *
 * @param port of the first server; the others follow it. 0: free ones.
 * @param onLine is called with each line for the user.
 * @throws {UserError} where no server could be started.
 */
export async function develop(
  targets: readonly DevTarget[],
  port: number,
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const { path: folder } = parts.use(await scratchFolder("dev"));
  await mkdir(join(folder, "logs"));
  const session = new DevSession(folder, signal, onLine);
  for (const [index, target] of targets.entries()) {
    session.add(target, await claimPort(port === 0 ? 0 : port + index));
    parts.defer(
      followThrown(logOf(target, folder), (what, stack) => session.reportThrown(target, what, stack)),
    );
  }
  parts.defer(() => session.stop());
  // Before the first build: what changes during it is not lost.
  if (session.servesArtifact) {
    const onChange = (files: readonly string[]) => void session.rebuild(files);
    parts.defer(await watchSources(session.watchedFolders(), onChange, onLine));
  }
  await session.rebuild([]);
  session.assertSomeServe();
  if (signal.aborted) {
    return;
  }
  onLine(`\nLogs: ${join(folder, "logs")}\nCtrl-C ends it.`);
  await once(signal, "abort");
}

/** The servers of one call of `develop`, and the artifact that they serve. */
class DevSession {
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #onLine: (line: string) => void;
  readonly #servers: DevServer[] = [];
  /** Errors that were reported since the last build: several platforms throw the same. */
  readonly #thrown = new Set<string>();
  /** The artifact; null before the first build, and where no server needs it. */
  #built: BuildResult | null = null;
  /** Sentences on what the last build left out, or on why it failed. */
  #faults: readonly string[] = [];
  /** The builds and starts so far: each begins when the one before has ended. */
  #work: Promise<void> = Promise.resolve();

  constructor(folder: string, signal: AbortSignal, onLine: (line: string) => void) {
    this.#folder = folder;
    this.#signal = signal;
    this.#onLine = onLine;
  }

  /** Adds the server of a target, which is not started yet. */
  add(target: DevTarget, port: number): void {
    this.#servers.push(devServer(target, port, this.#folder, this.#signal, this.#onLine));
  }

  /** True if there is a server of the artifact. */
  get servesArtifact(): boolean {
    return this.#servers.some(({ target }) => target.platform !== null);
  }

  /** Lists the folders whose changes make a new build necessary: the packages, and the platforms that serve. */
  watchedFolders(): readonly string[] {
    const platforms = this.#servers.filter(({ target }) => target.platform !== null);
    return [join(repositoryRoot, "packages"), ...platforms.map(({ target }) => platformFolderOf(target))];
  }

  /** Reports an error that a server has thrown. One of the artifact, which all platforms throw, is reported once. */
  reportThrown(target: DevTarget, what: string, stack: string): void {
    const isKnown = target.platform !== null && this.#thrown.has(what);
    if (!isKnown) {
      this.#onLine(`${target.name}: ${what}${withSources(stack, this.#built)}`);
    }
    this.#thrown.add(what);
  }

  /**
   * Builds anew, and starts what that changes, or what does not serve. Calls wait for each other.
   *
   * @param files absolute paths of the sources that changed.
   */
  rebuild(files: readonly string[]): Promise<void> {
    this.#work = this.#work.then(() => this.#rebuildNow(files));
    return this.#work;
  }

  async #rebuildNow(files: readonly string[]): Promise<void> {
    if (this.#signal.aborted) {
      return;
    }
    this.#thrown.clear();
    const digestBefore = this.#built?.manifest.digest;
    if (this.servesArtifact) {
      await this.#build();
    }
    const isArtifactNew = this.#built?.manifest.digest !== digestBefore;
    const starting = this.#servers.filter(({ target, host, down }) => {
      const isOld = target.platform !== null && (isArtifactNew || hasFiles(target, files));
      return host === null || down !== null || isOld;
    });
    await Promise.all(starting.map((server) => server.start(this.#built)));
  }

  /** Builds the artifact, and reports faults that the build before did not have. */
  async #build(): Promise<void> {
    const faultsBefore = this.#faults;
    try {
      const outDirectory = join(this.#folder, ".artifact");
      this.#built = await buildArtifact({ outDirectory, developing: true });
      this.#faults = this.#built.failures.map(
        ({ path, reason }) => `${relative(repositoryRoot, path)} is left out: ${reason}`,
      );
    } catch (error) {
      // A handler that does not compile.
      this.#faults = [
        `The artifact could not be built, and the last one is still served: ${messageOf(error)}`,
      ];
    }
    for (const fault of this.#faults.filter((found) => !faultsBefore.includes(found))) {
      this.#onLine(fault);
    }
  }

  /** @throws {UserError} with each server's reason where none serves. */
  assertSomeServe(): void {
    if (this.#servers.every(({ down }) => down !== null)) {
      const reasons = this.#servers.map(({ target, down }) => `${target.name}: ${down}`);
      throw new UserError(`No development server could be started.\n${reasons.join("\n")}`);
    }
  }

  /** Stops all servers, when what is being built or started has ended. */
  async stop(): Promise<void> {
    await this.#work;
    await Promise.all(this.#servers.map(({ host }) => host?.stop()));
  }
}

function platformFolderOf({ name }: DevTarget): string {
  return join(repositoryRoot, "apps", name);
}

function hasFiles(target: DevTarget, files: readonly string[]): boolean {
  return files.some((file) => file.startsWith(platformFolderOf(target) + sep));
}

/** The development server of one target, which is started anew for each build. */
interface DevServer {
  readonly target: DevTarget;
  /** The server that was started last; null before the first start. */
  host: Host | null;
  /** The reason for which it does not serve; null while it starts or serves. */
  down: string | null;
  /** Starts it anew. What fails is reported, and kept in `down`. @param built null for an app with a server of its own. */
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
  const goDown = (why: string) => {
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
        const host = await serveUntilEnd(target, folder, port, built, signal);
        server.host = host;
        onLine(`${target.name} is up at ${url} (pid ${host.pids().join(", ")})`);
        void host.died.then((reason) => goDown(withQuotes(reason)));
      } catch (error) {
        if (!signal.aborted) {
          goDown(withQuotes(reasonOf(error)));
        }
      }
    },
  };
  return server;
}

function logOf({ name }: DevTarget, folder: string): string {
  return join(folder, "logs", `${name}.log`);
}

/** Starts a server: the framework's own, or the platform's with what it makes of the artifact. */
async function serveUntilEnd(
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
