import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { discoverPlatforms } from "@evenbench/host";
import { type Builder, unrecorded } from "../src/index.ts";

export interface Alteration {
  readonly file: string;
  /** Must stand in the file. */
  readonly from: string;
  readonly to: string;
}

/** An app that was changed, built for the Node platform, to be served beside the real one. */
export interface AlteredApp extends AsyncDisposable {
  readonly deployable: string;
  /** Serves a deployable of the Node platform, this one or another, until the app is disposed of. */
  serve(deployable: string): Promise<string>;
}

/**
 * Copies an app's sources below its own `dist/`, where its dependencies are found, changes them and builds them for real.
 *
 * @throws {Error} when a text to be replaced is not there, or the build fails.
 */
export async function buildAltered(
  app: string,
  sources: readonly string[],
  alterations: readonly Alteration[],
  builder: Builder,
): Promise<AlteredApp> {
  await mkdir(join(app, "dist"), { recursive: true });
  const folder = await mkdtemp(join(app, "dist/altered-"));
  const stops: (() => Promise<void>)[] = [];
  const dispose = async () => {
    await Promise.all(stops.map((stop) => stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const source = join(folder, "source");
    for (const name of sources) await cp(join(app, name), join(source, name), { recursive: true });
    // Three folders further down.
    const root = { file: "tsconfig.json", from: "../../tsconfig.json", to: "../../../../../tsconfig.json" };
    for (const { file, from, to } of [root, ...alterations]) {
      const text = await readFile(join(source, file), "utf8");
      if (!text.includes(from)) throw new Error(`${file} has no "${from}" to be replaced.`);
      await writeFile(join(source, file), text.replace(from, to));
    }
    const deployable = join(folder, "deployable");
    await builder(source, deployable, unrecorded);
    return {
      deployable,
      async serve(served) {
        const platform = (await discoverPlatforms()).find(({ id }) => id === "node");
        if (platform === undefined) throw new Error("There is no platform node.");
        const logFile = join(folder, `${stops.length}.log`);
        const options = { port: 0, logFile, cores: null, workers: 1, v8Flags: [] };
        const host = await platform.serve({ ...options, deployable: served });
        stops.push(() => host.stop());
        return host.url;
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
