import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "@evenbench/core";
import { repositoryRoot, scratchFolder } from "@evenbench/host";
import { type IndexServer, serveIndex } from "./index-server.ts";
import type { DevServer } from "./server.ts";
import { Session } from "./session.ts";
import type { DevTarget } from "./targets.ts";
import { watchSources } from "./watch.ts";

class DevelopError extends UserError {}

export interface DevelopSettings {
  /** Port of the page, on the loopback interface; 0 for a free one. */
  readonly port: number;
  onLine(line: string): void;
}

export interface DevelopSession {
  readonly url: string;
  readonly servers: readonly DevServer[];
  /** Folder of the servers' logs, as long as the session lasts. */
  readonly logs: string;
  stop(): Promise<void>;
}

/**
 * Starts the targets' servers for developing, with a page over all of them, and keeps them at what the
 * sources say.
 *
 * @throws {HostError} when the page's port is taken.
 * @throws {UserError} when the sources cannot be watched.
 * @throws {DevelopError} when no server starts; the message says why of each.
 */
export async function develop(
  targets: readonly DevTarget[],
  { port, onLine }: DevelopSettings,
): Promise<DevelopSession> {
  let session: Session | null = null;
  const index: IndexServer = await serveIndex(port, () => session);
  const folder = await scratchFolder("dev");
  const logs = join(folder, "logs");
  await mkdir(logs);
  const told = new Map<string, string>();
  const onChange = () => {
    index.changed();
    for (const line of session === null ? [] : news(session, told)) onLine(line);
  };
  session = await Session.create(targets, { folder, logs }, onChange);
  const current = session;
  const endings: (() => Promise<void>)[] = [
    () => current.stop(),
    () => index.close(),
    () => rm(folder, { recursive: true, force: true }),
  ];
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= endings.reduce((before, end) => before.then(end), Promise.resolve());
    return stopping;
  };
  try {
    // Before the first build: what changes during it is not lost.
    const folders = watchedFolders(targets);
    if (folders.length > 0)
      endings.unshift(await watchSources(folders, (files) => current.takeUp(files), onLine));
    await current.start();
    if (current.servers.every(({ state }) => state.is === "down")) throw noneUp(current.servers);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: index.url, servers: current.servers, logs, stop };
}

/**
 * Cases and all that they are built from, and what puts them on the platforms. Frameworks' own servers watch
 * by themselves.
 */
function watchedFolders(targets: readonly DevTarget[]): string[] {
  const platforms = targets.flatMap(({ platform }) => (platform === null ? [] : platform.id));
  if (platforms.length === 0) return [];
  return [join(repositoryRoot, "packages"), ...platforms.map((id) => join(repositoryRoot, "apps", id))];
}

/** A line for each server and each case folder of which there is something new to say. */
function news(session: Session, told: Map<string, string>): string[] {
  const now = new Map<string, string>();
  for (const { target, url, state } of session.servers) {
    now.set(target.name, state.is === "down" ? `is down: ${state.why}` : `is ${state.is} at ${url}`);
  }
  for (const { path, reason } of session.leftOut) now.set(path, `is left out: ${reason}`);
  if (session.buildError !== null) now.set("The artifact", `could not be built: ${session.buildError}`);
  const lines = [...now]
    .filter(([what, how]) => told.get(what) !== how)
    .map(([what, how]) => `${what} ${how}`);
  for (const what of told.keys()) if (!now.has(what)) told.delete(what);
  for (const [what, how] of now) told.set(what, how);
  return lines;
}

function noneUp(servers: readonly DevServer[]): DevelopError {
  const reasons = servers.map(
    ({ target, state }) => `${target.name}: ${state.is === "down" ? state.why : ""}`,
  );
  return new DevelopError(`No server for developing could be started.\n${reasons.join("\n")}`);
}
