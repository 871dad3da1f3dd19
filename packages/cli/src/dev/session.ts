import { mkdir, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type BuildResult, buildArtifact } from "@evenbench/bundle";
import { messageOf, UserError } from "@evenbench/core";
import { repositoryRoot, scratchFolder } from "@evenbench/host";
import { type Shown, serveIndex } from "./page.ts";
import { type DevServer, type DevTarget, devServer } from "./servers.ts";
import { watchSources } from "./watch.ts";

/** Until it is disposed of, servers are kept at what the sources say. */
export async function develop(
  targets: readonly DevTarget[],
  { port, onLine }: { readonly port: number; onLine(line: string): void },
) {
  const folder = await scratchFolder("dev");
  const parts = new AsyncDisposableStack();
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    const logs = join(folder, "logs");
    await mkdir(logs);
    const servers: DevServer[] = [];
    for (const target of targets) servers.push(await devServer(target, folder, onLine));
    const session = new Session(servers, folder, onLine);
    const { url } = parts.use(await serveIndex(port, session));
    parts.use(session);
    // Before the first build: what changes during it is not lost.
    const folders = watchedFolders(targets);
    if (folders.length > 0)
      parts.defer(await watchSources(folders, (files) => session.takeUp(files), onLine));
    await session.start();
    if (servers.every(({ down }) => down !== null)) {
      const reasons = servers.map(({ target, down }) => `${target.name}: ${down}`);
      throw new UserError(`No development server could be started.\n${reasons.join("\n")}`);
    }
    return { url, logs, [Symbol.asyncDispose]: () => parts.disposeAsync() };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

function watchedFolders(targets: readonly DevTarget[]): string[] {
  const platforms = targets.flatMap(({ platform }) => (platform === null ? [] : platform.id));
  if (platforms.length === 0) return [];
  return [join(repositoryRoot, "packages"), ...platforms.map((id) => join(repositoryRoot, "apps", id))];
}

/** At every change everything is built anew, and what it changes is started again. */
class Session implements Shown {
  readonly servers: readonly DevServer[];
  /** What stands on the page above the servers: what is left out, and why the last build failed. */
  faults: readonly string[] = [];
  readonly #folder: string;
  readonly #onLine: (line: string) => void;
  #built: BuildResult | null = null;
  #work: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(servers: readonly DevServer[], folder: string, onLine: (line: string) => void) {
    this.servers = servers;
    this.#folder = folder;
    this.#onLine = onLine;
  }

  start(): Promise<void> {
    const started = this.#start();
    // What changes meanwhile is taken up afterwards.
    this.#work = started.catch(() => {});
    return started;
  }

  takeUp(files: readonly string[]): void {
    this.#work = this.#work.then(() => this.#takeUp(files));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#work;
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  async #start(): Promise<void> {
    if (this.#ofArtifact().length > 0) await this.#build();
    await Promise.all(this.servers.map((server) => server.start(this.#built)));
  }

  async #takeUp(files: readonly string[]): Promise<void> {
    const servers = this.#ofArtifact();
    if (this.#isStopping || servers.length === 0) return;
    const before = this.#built?.manifest.digest;
    await this.#build();
    const isOld = ({ target, down }: DevServer) =>
      this.#built?.manifest.digest !== before ||
      down !== null ||
      files.some((file) => file.startsWith(join(repositoryRoot, "apps", target.name) + sep));
    await Promise.all(servers.filter(isOld).map((server) => server.start(this.#built)));
  }

  async #build(): Promise<void> {
    const told = this.faults;
    try {
      this.#built = await buildArtifact({
        outDirectory: join(this.#folder, ".artifact"),
        developing: true,
      });
      this.faults = this.#built.failures.map(
        ({ path, reason }) => `${relative(repositoryRoot, path)} is left out: ${reason}`,
      );
    } catch (error) {
      // A handler that does not compile.
      this.faults = [
        `The artifact could not be built, and the last one is still served: ${messageOf(error)}`,
      ];
    }
    for (const fault of this.faults) if (!told.includes(fault)) this.#onLine(fault);
  }

  #ofArtifact(): readonly DevServer[] {
    return this.servers.filter(({ target }) => target.platform !== null);
  }
}
