import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unrecorded } from "./build.ts";
import type { Builder } from "./build-app.ts";

/** A change to a source file. */
export interface Alteration {
  readonly file: string;
  /** Must stand in the file. */
  readonly from: string;
  readonly to: string;
}

/** What is built otherwise than the app itself. */
export interface AlteredBuild {
  /** The app's folder. */
  readonly app: string;
  /** Files and folders of it that make up its source. */
  readonly sources: readonly string[];
  readonly alterations: readonly Alteration[];
  readonly builder: Builder;
  /** Absolute path of the deployable to make. */
  readonly deployable: string;
}

/**
 * Copies an app's sources below its own `dist/`, where its dependencies are found, changes them, builds them
 * for real, and removes the copy.
 */
export async function buildAlteredApp(build: AlteredBuild): Promise<void> {
  const { app, sources, alterations, builder, deployable } = build;
  await mkdir(join(app, "dist"), { recursive: true });
  const folder = await mkdtemp(join(app, "dist/altered-"));
  try {
    const source = join(folder, "source");
    for (const name of sources) await cp(join(app, name), join(source, name), { recursive: true });
    // Three folders further down.
    const root = { file: "tsconfig.json", from: "../../tsconfig.json", to: "../../../../../tsconfig.json" };
    const moved = sources.includes(root.file) ? [root] : [];
    for (const { file, from, to } of [...moved, ...alterations]) {
      const text = await readFile(join(source, file), "utf8");
      if (!text.includes(from)) throw new Error(`${file} has no "${from}" to be replaced.`);
      await writeFile(join(source, file), text.replace(from, to));
    }
    await builder(source, deployable, unrecorded);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
