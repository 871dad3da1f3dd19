import { join } from "node:path";
import type { BuildResult } from "@evenbench/bundle";
import { bundleBuilder } from "@evenbench/bundle/deployable";
import { type Host, messageOf, type Platform } from "@evenbench/core";
import { claimPort, LOOPBACK } from "@evenbench/host";
import { fetchIdentity } from "@evenbench/probe/preflight";
import { replaceArtifact } from "./artifact.ts";
import type { DevTarget } from "./targets.ts";

/** How long a platform's own server may take to notice new files, before it is started again. */
const NOTICED_WITHIN_MS = 30_000;
const POLL_MS = 100;
/** What a server that died leaves behind can listen for a moment longer. */
const FREE_WITHIN_MS = 5_000;
/** A server that reloads may lose a request: it is asked again. */
const ASK_AGAIN_AFTER_MS = 2_000;

export type ServerState =
  | { readonly is: "starting" | "reloading" | "up" }
  /** Until the next change, which starts it again. */
  | { readonly is: "down"; readonly why: string };

export interface Places {
  readonly folder: string;
  readonly logs: string;
}

/** A target with its server, at one address as long as the session lasts. */
export class DevServer {
  readonly target: DevTarget;
  readonly logFile: string;
  readonly #port: number;
  readonly #deployable: string;
  readonly #onChange: () => void;
  readonly #stopping: AbortSignal;
  #host: Host | null = null;
  #state: ServerState = { is: "starting" };

  private constructor(
    target: DevTarget,
    places: Places,
    port: number,
    onChange: () => void,
    stopping: AbortSignal,
  ) {
    this.target = target;
    this.logFile = join(places.logs, `${target.name}.log`);
    this.#deployable = join(places.folder, target.name);
    this.#port = port;
    this.#onChange = onChange;
    this.#stopping = stopping;
  }

  static async create(
    target: DevTarget,
    places: Places,
    onChange: () => void,
    stopping: AbortSignal,
  ): Promise<DevServer> {
    return new DevServer(target, places, await claimPort(0), onChange, stopping);
  }

  get url(): string {
    return `http://${LOOPBACK}:${this.#port}`;
  }

  get state(): ServerState {
    return this.#state;
  }

  pids(): readonly number[] {
    return this.#host?.pids() ?? [];
  }

  /** Builds what it serves, if that is ours to build, and starts it. What goes wrong becomes its state. */
  async start(built: BuildResult | null): Promise<void> {
    this.#become({ is: "starting" });
    await this.#orDown(async () => {
      await this.#end();
      const { app, platform } = this.target;
      if (platform === null) {
        const options = { port: this.#port, logFile: this.logFile };
        return this.#watch(await app.develop?.(options));
      }
      if (built === null) throw new Error("There is no artifact.");
      const build = await bundleBuilder(platform.id);
      await build({ artifactDirectory: built.artifact, outDirectory: this.#deployable });
      await this.#serve(platform);
    });
  }

  /** Takes up another artifact. Frameworks' own servers see changed sources themselves. */
  async takeUp(built: BuildResult): Promise<void> {
    const { platform } = this.target;
    if (platform === null) return;
    if (this.#host === null) return this.start(built);
    this.#become({ is: "reloading" });
    await this.#orDown(async () => {
      await replaceArtifact(this.#deployable, built);
      if (platform.develop !== undefined && (await this.#noticed(built.manifest.digest))) return;
      if (this.#stopping.aborted) return;
      await this.#end();
      await this.#serve(platform);
    });
  }

  async stop(): Promise<void> {
    await this.#end();
  }

  async #serve(platform: Platform): Promise<void> {
    await untilFree(this.#port);
    const common = { deployable: this.#deployable, port: this.#port, logFile: this.logFile };
    const serve = () => platform.serve({ ...common, cores: null, workers: 1, v8Flags: [] });
    this.#watch(await (platform.develop === undefined ? serve() : platform.develop(common)));
  }

  #watch(host: Host | undefined): void {
    if (host === undefined) throw new Error(`The app "${this.target.name}" has no server for developing.`);
    this.#host = host;
    this.#become({ is: "up" });
    void host.died.then((why) => {
      if (this.#host !== host) return;
      this.#host = null;
      this.#become({ is: "down", why });
    });
  }

  /**
   * Whether a server that reloads by itself comes to serve the artifact; not, where it dies of the change or
   * misses it.
   */
  async #noticed(digest: string): Promise<boolean> {
    const until = performance.now() + NOTICED_WITHIN_MS;
    while (performance.now() < until && this.#host !== null && !this.#stopping.aborted) {
      const identity = await fetchIdentity(this.url, { timeoutMs: ASK_AGAIN_AFTER_MS }).catch(() => null);
      if (identity?.pins.artifact === digest) {
        this.#become({ is: "up" });
        return true;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return false;
  }

  async #end(): Promise<void> {
    const host = this.#host;
    this.#host = null;
    await host?.stop();
  }

  async #orDown(work: () => Promise<void>): Promise<void> {
    if (this.#stopping.aborted) return;
    try {
      await work();
    } catch (error) {
      this.#become({ is: "down", why: messageOf(error) });
    }
  }

  #become(state: ServerState): void {
    this.#state = state;
    this.#onChange();
  }
}

/** Waits for a port that is taken, but not for long: who serves there then says so. */
async function untilFree(port: number): Promise<void> {
  const until = performance.now() + FREE_WITHIN_MS;
  const isFree = () =>
    claimPort(port).then(
      () => true,
      () => false,
    );
  while (!(await isFree()) && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
