import { cp, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { linkPackages } from "@evenbench/bundle/deployable";
import { type OwnAppBuild, type OwnAppSource, UserError } from "@evenbench/core";
import { findListener, type Listener } from "./find-listener.ts";
import { FIRST_NAME, firstEntry, HELD_NAME, nodeHeld, serverEntry } from "./sources.ts";

/** Folders of an app that its server does not read: packages are linked, and the others are outputs of builds here. */
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".git", ".vercel", ".evenbench", ".wrangler"]);

/** Gives the module of the copy that listens. @throws {UserError} where there is none. */
export function listenerIn(source: OwnAppSource): Listener {
  const listener = findListener(source);
  if (listener === null) {
    throw new UserError(
      'The private copy has no module that listens: a script "start" names none that is there. Name its command: --start "npm start".',
    );
  }
  return listener;
}

/** Packs a server that listens for Node.js: the app as it is, started in its own folder. */
export async function packNodeServer(build: OwnAppBuild, deployable: string): Promise<void> {
  const listener = listenerIn(build.source);
  const app = join(deployable, "app");
  await mkdir(app, { recursive: true });
  const isTaken = (path: string) => path === build.folder || !LEFT_OUT.has(basename(path));
  await cp(build.folder, app, { recursive: true, verbatimSymlinks: true, filter: isTaken });
  await linkPackages(build, deployable, { folder: app });
  await writeFile(join(deployable, HELD_NAME), nodeHeld);
  const isLoadedFirst = listener.preloads !== undefined && listener.preloads.length > 0;
  if (isLoadedFirst) {
    await writeFile(join(app, FIRST_NAME), firstEntry(listener, listener.preloads));
  }
  const entry = isLoadedFirst ? { ...listener, file: FIRST_NAME } : listener;
  await writeFile(join(deployable, "server.mjs"), serverEntry(entry));
}
