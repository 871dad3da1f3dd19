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

export type ServerState = { readonly is: "starting" | "up" } | { readonly is: "down"; readonly why: string };

const POLL_MS = 100;
/** What a server that died leaves behind can listen for a moment longer. */
const FREE_WITHIN_MS = 5_000;

/** It keeps its address as long as the session lasts. */
export class DevServer {
  readonly target: DevTarget;
  readonly logFile: string;
  readonly url: string;
  readonly #port: number;
  readonly #deployable: string;
  readonly #onChange: () => void;
  #host: Host | null = null;
  #state: ServerState = { is: "starting" };

  constructor(target: DevTarget, folder: string, port: number, onChange: () => void) {
    this.target = target;
    this.url = `http://${LOOPBACK}:${port}`;
    this.logFile = join(folder, "logs", `${target.name}.log`);
    this.#deployable = join(folder, target.name);
    this.#port = port;
    this.#onChange = onChange;
  }

  get state(): ServerState {
    return this.#state;
  }

  pids(): readonly number[] {
    return this.#host?.pids() ?? [];
  }

  /** What goes wrong becomes its state. */
  async start(built: BuildResult | null): Promise<void> {
    this.#become({ is: "starting" });
    try {
      await this.stop();
      const host = await this.#serve(built);
      this.#host = host;
      this.#become({ is: "up" });
      void host.died.then((why) => {
        if (this.#host !== host) return;
        this.#host = null;
        this.#become({ is: "down", why });
      });
    } catch (error) {
      this.#become({ is: "down", why: messageOf(error) });
    }
  }

  async stop(): Promise<void> {
    const host = this.#host;
    this.#host = null;
    await host?.stop();
  }

  async #serve(built: BuildResult | null): Promise<Host> {
    const { app, platform, name } = this.target;
    const settings = { port: this.#port, logFile: this.logFile };
    if (platform === null) {
      if (app.develop === undefined) throw new Error(`The app "${name}" has no development server.`);
      return app.develop(settings);
    }
    if (built === null) throw new Error("There is no artifact.");
    const build = await bundleBuilder(platform.id);
    const deployable = this.#deployable;
    await build({ artifactDirectory: built.artifact, outDirectory: deployable });
    await untilFree(this.#port);
    if (platform.develop !== undefined) return platform.develop({ ...settings, deployable });
    return platform.serve({ ...settings, deployable, cores: null, workers: 1, v8Flags: [] });
  }

  #become(state: ServerState): void {
    this.#state = state;
    this.#onChange();
  }
}

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
