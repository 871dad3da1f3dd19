import { mkdir, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type BuildResult, buildArtifact, type CaseFailure } from "@evenbench/bundle";
import { ARTIFACT_APP, type CaseManifest, DEVELOPMENT_PIN, messageOf, UserError } from "@evenbench/core";
import { claimPort, repositoryRoot, scratchFolder } from "@evenbench/host";
import { type Shown, serveIndex } from "./page.ts";
import { DevServer, type DevTarget } from "./servers.ts";
import { watchSources } from "./watch.ts";

/** At every change everything is built anew, and what it changes is started again. */
class Session implements Shown {
  readonly servers: DevServer[] = [];
  readonly cases = new Map<string, readonly CaseManifest[]>();
  buildError: string | null = null;
  readonly #folder: string;
  readonly #onLine: (line: string) => void;
  readonly #told = new Map<string, string>();
  #built: BuildResult | null = null;
  #work: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(folder: string, onLine: (line: string) => void) {
    this.#folder = folder;
    this.#onLine = onLine;
  }

  get leftOut(): readonly CaseFailure[] {
    return this.#built?.failures ?? [];
  }

  async add(target: DevTarget): Promise<void> {
    this.servers.push(new DevServer(target, this.#folder, await claimPort(0), () => this.#tell()));
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
    for (const { target } of this.servers)
      if (target.platform === null) this.cases.set(target.app.id, await target.app.cases());
    await Promise.all(this.servers.map((server) => server.start(this.#built)));
  }

  async #takeUp(files: readonly string[]): Promise<void> {
    const servers = this.#ofArtifact();
    if (this.#isStopping || servers.length === 0) return;
    const before = this.#built?.manifest.digest;
    await this.#build();
    const isOld = ({ target, state }: DevServer) =>
      this.#built?.manifest.digest !== before ||
      state.is === "down" ||
      files.some((file) => file.startsWith(join(repositoryRoot, "apps", target.name) + sep));
    await Promise.all(servers.filter(isOld).map((server) => server.start(this.#built)));
  }

  async #build(): Promise<void> {
    try {
      this.#built = await buildArtifact({
        outDirectory: join(this.#folder, ".artifact"),
        nodeEnv: "development",
        pins: DEVELOPMENT_PIN,
        answersFailures: true,
      });
      this.buildError = null;
      this.cases.set(ARTIFACT_APP, this.#built.manifest.cases);
    } catch (error) {
      // A handler that does not compile: the last artifact is served on.
      this.buildError = messageOf(error);
    }
    this.#tell();
  }

  #ofArtifact(): readonly DevServer[] {
    return this.servers.filter(({ target }) => target.platform !== null);
  }

  /** Only what is new. */
  #tell(): void {
    const now = new Map<string, string>();
    for (const { target, url, state } of this.servers)
      now.set(target.name, state.is === "down" ? `is down: ${state.why}` : `is ${state.is} at ${url}`);
    for (const { path, reason } of this.leftOut)
      now.set(relative(repositoryRoot, path), `is left out: ${reason}`);
    if (this.buildError !== null) now.set("The artifact", `could not be built: ${this.buildError}`);
    for (const [what, how] of now) if (this.#told.get(what) !== how) this.#onLine(`${what} ${how}`);
    this.#told.clear();
    for (const [what, how] of now) this.#told.set(what, how);
  }
}

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
    const session = new Session(folder, onLine);
    for (const target of targets) await session.add(target);
    const { url } = parts.use(await serveIndex(port, session));
    parts.use(session);
    // Before the first build: what changes during it is not lost.
    const folders = watchedFolders(targets);
    if (folders.length > 0)
      parts.defer(await watchSources(folders, (files) => session.takeUp(files), onLine));
    await session.start();
    const reasons = session.servers.flatMap(({ target, state }) =>
      state.is === "down" ? [`${target.name}: ${state.why}`] : [],
    );
    if (reasons.length === targets.length)
      throw new UserError(`No development server could be started.\n${reasons.join("\n")}`);
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
