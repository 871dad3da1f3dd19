import { join } from "node:path";
import type { BuildResult, CaseFailure } from "@evenbench/bundle";
import { ARTIFACT_APP, type CaseManifest, messageOf } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import { buildForDeveloping } from "./artifact.ts";
import { type Check, checkCase } from "./check.ts";
import { DevServer, type Places } from "./server.ts";
import type { DevTarget } from "./targets.ts";
import { liesIn } from "./watch.ts";

/** Everything that the page shows. */
export interface SessionState {
  readonly servers: readonly DevServer[];
  /** Case folders that are no case as they stand. */
  readonly leftOut: readonly CaseFailure[];
  /** Why there is no artifact of the sources as they stand, or null. */
  readonly buildError: string | null;
  /** By app id, in order. */
  readonly cases: ReadonlyMap<string, readonly CaseManifest[]>;
  /** The last check of each case, by its id. */
  readonly checks: ReadonlyMap<string, Check>;
}

/** Servers of all targets, kept at what the sources say. */
export class Session implements SessionState {
  readonly servers: readonly DevServer[];
  readonly cases = new Map<string, readonly CaseManifest[]>();
  readonly checks = new Map<string, Check>();
  readonly #places: Places;
  readonly #onChange: () => void;
  readonly #stopping: AbortController;
  #built: BuildResult | null = null;
  buildError: string | null = null;
  #work: Promise<void> = Promise.resolve();
  /** Changes taken up so far. */
  #changes = 0;
  /** Cases to be checked when there is nothing else to do. */
  readonly #unchecked = new Set<string>();
  #checking = false;

  private constructor(
    servers: readonly DevServer[],
    places: Places,
    onChange: () => void,
    stopping: AbortController,
  ) {
    this.servers = servers;
    this.#stopping = stopping;
    this.#places = places;
    this.#onChange = onChange;
  }

  /** @param onChange is called whenever something that the page shows has changed. */
  static async create(targets: readonly DevTarget[], places: Places, onChange: () => void): Promise<Session> {
    const servers: DevServer[] = [];
    const stopping = new AbortController();
    for (const target of targets) {
      servers.push(await DevServer.create(target, places, onChange, stopping.signal));
    }
    return new Session(servers, places, onChange, stopping);
  }

  get leftOut(): readonly CaseFailure[] {
    return this.#built?.failures ?? [];
  }

  /** Builds and starts everything. Servers that do not start say so by their state. */
  start(): Promise<void> {
    const started = this.#start();
    // What changes meanwhile is taken up afterwards.
    this.#work = started.catch(() => {});
    return started;
  }

  async #start(): Promise<void> {
    if (this.#ofArtifact().length > 0) await this.#build();
    for (const { target } of this.servers) {
      if (target.platform === null) this.cases.set(target.app.id, await target.app.cases());
    }
    await Promise.all(this.servers.map((server) => server.start(this.#built)));
  }

  /** Takes up changed files, one batch after the other. */
  takeUp(files: readonly string[]): void {
    this.#changes++;
    this.#work = this.#work.then(() => this.#takeUp(files));
  }

  /** Checks a case with its default parameters or others, on all targets that serve it. */
  async check(caseId: string, query = ""): Promise<void> {
    for (const [app, cases] of this.cases) {
      const manifest = cases.find(({ id }) => id === caseId);
      if (manifest === undefined) continue;
      const asked = this.servers.filter(({ target, state }) => target.app.id === app && state.is === "up");
      const addressed = asked.map(({ target, url }) => ({ name: target.name, url }));
      const check = await checkCase(addressed, manifest, query, this.#stopping.signal);
      this.checks.set(caseId, check);
      this.#onChange();
    }
  }

  /** Checks cases, all or those given, one after the other whenever no change is being taken up. */
  checkLater(caseIds: readonly string[] = this.#caseIds()): void {
    for (const id of caseIds) this.#unchecked.add(id);
    if (!this.#checking) void this.#checkUnchecked();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  async #takeUp(files: readonly string[]): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const before = this.#built;
    const ofArtifact = this.#ofArtifact();
    if (ofArtifact.length > 0) await this.#build();
    const after = this.#built;
    if (after === null) return;
    const changed = changedCases(before, after);
    await Promise.all(
      ofArtifact.map((server) => {
        const source = join(repositoryRoot, "apps", server.target.name);
        if (files.some((file) => liesIn(source, file)) || server.state.is === "down")
          return server.start(after);
        return before?.manifest.digest === after.manifest.digest ? undefined : server.takeUp(after);
      }),
    );
    this.checkLater(changed);
  }

  async #checkUnchecked(): Promise<void> {
    this.#checking = true;
    for (const id of this.#unchecked) {
      await this.#work;
      if (this.#stopping.signal.aborted) break;
      const changes = this.#changes;
      await this.check(id, this.checks.get(id)?.query);
      // What a change cut off is done again.
      this.#unchecked.delete(id);
      if (changes !== this.#changes) this.#unchecked.add(id);
    }
    this.#checking = false;
  }

  async #build(): Promise<void> {
    try {
      this.#built = await buildForDeveloping(join(this.#places.folder, ".artifact"));
      this.buildError = null;
      this.cases.set(ARTIFACT_APP, this.#built.manifest.cases);
    } catch (error) {
      // A handler that does not compile: the last artifact is served on.
      this.buildError = messageOf(error);
    }
    const known = new Set(this.#caseIds());
    for (const id of this.checks.keys()) if (!known.has(id)) this.checks.delete(id);
    this.#onChange();
  }

  #ofArtifact(): readonly DevServer[] {
    return this.servers.filter(({ target }) => target.platform !== null);
  }

  #caseIds(): string[] {
    return [...this.cases.values()].flat().map(({ id }) => id);
  }
}

/** The cases whose module is another one than before; all, where something changed that all share. */
function changedCases(before: BuildResult | null, after: BuildResult): string[] {
  const digests = new Map(before?.manifest.files.map(({ path, sha256 }) => [path, sha256]));
  const ids = after.manifest.cases.map(({ id }) => id);
  const differs = (path: string) =>
    digests.get(path) !== after.manifest.files.find((file) => file.path === path)?.sha256;
  const changed = ids.filter((id) => differs(`cases/${id}.mjs`));
  const sameCases = before?.manifest.cases.length === ids.length;
  return changed.length === 0 && sameCases && differs("index.mjs") ? ids : changed;
}
