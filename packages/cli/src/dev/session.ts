import { mkdir, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type BuildResult, buildArtifact, type CaseFailure } from "@evenbench/bundle";
import { ARTIFACT_APP, type CaseManifest, DEVELOPMENT_PIN, messageOf, UserError } from "@evenbench/core";
import { repositoryRoot, scratchFolder } from "@evenbench/host";
import { type Shown, serveIndex } from "./page.ts";
import { DevServer, type DevTarget } from "./servers.ts";
import { watchSources } from "./watch.ts";

class DevelopError extends UserError {}

/** Servers, and what they serve: built anew at every change, of which each server is started again. */
class Session implements Shown {
  readonly servers: readonly DevServer[];
  readonly cases = new Map<string, readonly CaseManifest[]>();
  buildError: string | null = null;
  readonly #folder: string;
  readonly #onChange: () => void;
  #built: BuildResult | null = null;
  #work: Promise<void> = Promise.resolve();
  #isStopping = false;

  private constructor(servers: readonly DevServer[], folder: string, onChange: () => void) {
    this.servers = servers;
    this.#folder = folder;
    this.#onChange = onChange;
  }

  /** @param onChange is called whenever something that the page shows has changed. */
  static async create(targets: readonly DevTarget[], folder: string, onChange: () => void): Promise<Session> {
    const servers: DevServer[] = [];
    for (const target of targets) servers.push(await DevServer.create(target, folder, onChange));
    return new Session(servers, folder, onChange);
  }

  get leftOut(): readonly CaseFailure[] {
    return this.#built?.failures ?? [];
  }

  /** Builds and starts everything. Servers that do not start say so by their state. */
  async start(): Promise<void> {
    const started = this.#start();
    // What changes meanwhile is taken up afterwards.
    this.#work = started.catch(() => {});
    return started;
  }

  takeUp(files: readonly string[]): void {
    this.#work = this.#work.then(() => this.#takeUp(files));
  }

  async stop(): Promise<void> {
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
    // Frameworks' own servers see changed sources themselves.
    const servers = this.#ofArtifact();
    if (this.#isStopping || servers.length === 0) return;
    const before = this.#built?.manifest.digest;
    await this.#build();
    const isOld = ({ target, state }: DevServer) =>
      this.#built?.manifest.digest !== before ||
      state.is === "down" ||
      files.some((file) => liesIn(join(repositoryRoot, "apps", target.name), file));
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
    this.#onChange();
  }

  #ofArtifact(): readonly DevServer[] {
    return this.servers.filter(({ target }) => target.platform !== null);
  }
}

export interface DevelopSession {
  /** Address of the page. */
  readonly url: string;
  /** Folder of the servers' logs, as long as the session lasts. */
  readonly logs: string;
  stop(): Promise<void>;
}

/**
 * Starts the targets' servers for developing, with a page over all of them, and keeps them at what the
 * sources say.
 *
 * @throws {UserError} when the page's port is taken, the sources cannot be watched, or no server starts.
 */
export async function develop(
  targets: readonly DevTarget[],
  { port, onLine }: { readonly port: number; onLine(line: string): void },
): Promise<DevelopSession> {
  let session: Session | null = null;
  // Before the page, whose server would keep a failed start alive.
  const folder = await scratchFolder("dev");
  const index = await serveIndex(port, () => session).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const logs = join(folder, "logs");
  await mkdir(logs);
  const told = new Map<string, string>();
  const onChange = () => {
    index.changed();
    for (const line of session === null ? [] : news(session, told)) onLine(line);
  };
  const current = await Session.create(targets, folder, onChange);
  session = current;
  let unwatch = async () => {};
  const stop = async () => {
    await unwatch();
    await current.stop();
    await index.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // Before the first build: what changes during it is not lost.
    const folders = watchedFolders(targets);
    if (folders.length > 0) unwatch = await watchSources(folders, (files) => current.takeUp(files), onLine);
    await current.start();
    const reasons = current.servers.flatMap(({ target, state }) =>
      state.is === "down" ? [`${target.name}: ${state.why}`] : [],
    );
    if (reasons.length === current.servers.length)
      throw new DevelopError(`No development server could be started.\n${reasons.join("\n")}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: index.url, logs, stop };
}

/** Cases and all that they are built from, and what puts them on the platforms. */
function watchedFolders(targets: readonly DevTarget[]): string[] {
  const platforms = targets.flatMap(({ platform }) => (platform === null ? [] : platform.id));
  if (platforms.length === 0) return [];
  return [join(repositoryRoot, "packages"), ...platforms.map((id) => join(repositoryRoot, "apps", id))];
}

function liesIn(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`);
}

/** A line for each server and each case folder of which there is something new to say. */
function news(session: Session, told: Map<string, string>): string[] {
  const now = new Map<string, string>();
  for (const { target, url, state } of session.servers)
    now.set(target.name, state.is === "down" ? `is down: ${state.why}` : `is ${state.is} at ${url}`);
  for (const { path, reason } of session.leftOut) now.set(path, `is left out: ${reason}`);
  if (session.buildError !== null) now.set("The artifact", `could not be built: ${session.buildError}`);
  const lines = [...now].filter(([what, how]) => told.get(what) !== how);
  told.clear();
  for (const [what, how] of now) told.set(what, how);
  return lines.map(([what, how]) => `${what} ${how}`);
}
