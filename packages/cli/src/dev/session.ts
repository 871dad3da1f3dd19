import { join } from "node:path";
import type { BuildResult, CaseFailure } from "@evenbench/bundle";
import { ARTIFACT_APP, type CaseManifest, messageOf } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import { buildForDeveloping } from "./artifact.ts";
import { DevServer, type Places } from "./server.ts";
import type { DevTarget } from "./targets.ts";
import { liesIn } from "./watch.ts";

export class Session {
  readonly servers: readonly DevServer[];
  /** By app id. */
  readonly cases = new Map<string, readonly CaseManifest[]>();
  readonly #places: Places;
  readonly #onChange: () => void;
  readonly #stopping: AbortController;
  #built: BuildResult | null = null;
  /** Why there is no artifact of the sources as they stand, or null. */
  buildError: string | null = null;
  #work: Promise<void> = Promise.resolve();

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

  takeUp(files: readonly string[]): void {
    this.#work = this.#work.then(() => this.#takeUp(files));
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
    await Promise.all(
      ofArtifact.map((server) => {
        const source = join(repositoryRoot, "apps", server.target.name);
        if (files.some((file) => liesIn(source, file)) || server.state.is === "down")
          return server.start(after);
        return before?.manifest.digest === after.manifest.digest ? undefined : server.takeUp(after);
      }),
    );
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
    this.#onChange();
  }

  #ofArtifact(): readonly DevServer[] {
    return this.servers.filter(({ target }) => target.platform !== null);
  }
}
