import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readModule } from "@evenbench/app-handler/entries";
import { IMPORTS_SERVER, SERVER_PACKAGES } from "@evenbench/app-handler/server-packages";
import { serverTakenByVercel } from "@evenbench/app-vercel/build";
import type { OwnAppBuild } from "@evenbench/core";
import { givesServer, type Listener } from "./find-listener.ts";

/** The module by which the builder is led to an app's own: it looks for the name early, and for a server's package in it. */
const LEADING = "app.mjs";

/**
 * Leads Vercel's builder to the module that makes a server listen, where it takes none, or one that gives no server.
 */
export async function leadVercel({ folder, source, note }: OwnAppBuild, { file }: Listener): Promise<void> {
  const taken = await serverTakenByVercel(folder);
  const text = taken === null ? "" : (readModule(join(folder, taken)) ?? "");
  const packages = Object.keys(SERVER_PACKAGES).filter((name) => source.rangeOf(name) !== null);
  // A server's package has to be named in it, where the app has one.
  const isNamed = packages.length === 0 || IMPORTS_SERVER.test(text);
  if (isNamed && (taken === file || givesServer(text))) {
    return;
  }
  const imports = packages.map((name) => `import ${JSON.stringify(name)};\n`);
  const own = JSON.stringify(`./${file}`);
  const isLed = await writeLeading(
    folder,
    `${imports.join("")}import * as own from ${own};\nexport default own.default;\n`,
  );
  if (!isLed) {
    note(
      `For Vercel its CLI takes ${taken}, as for a deployment: it gives no server, and ${file} is not asked.`,
    );
    return;
  }
  const instead =
    taken === null || !isNamed ? "finds none by itself" : `would take ${taken}, which gives no server`;
  note(`For Vercel the copy got ${LEADING}, which loads ${file}: its CLI ${instead}.`);
}

/** Writes the leading module, unless the app has one of its name. @returns false where the builder takes another one. */
async function writeLeading(folder: string, text: string): Promise<boolean> {
  const leading = join(folder, LEADING);
  if (existsSync(leading)) {
    return false;
  }
  await writeFile(leading, text);
  if ((await serverTakenByVercel(folder)) === LEADING) {
    return true;
  }
  await rm(leading);
  return false;
}
