import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";
import { exclusively } from "@evenbench/host/exclusively";
import { type Build, lockOf, recordBuild, runStep } from "./build.ts";
import { keepSourceMaps } from "./source-maps.ts";

/** Builds an app for one platform. @param source the app's folder, or a copy of it. */
export type Builder = (source: string, deployable: string, build: Build) => Promise<void>;

/** The builds of a framework's app, one for each platform that it has an adapter for. */
export interface FrameworkBuild<Platform extends string> {
  /** Paths that framework and adapters write in the app's folder: removed before and after. */
  readonly outputs: readonly string[];
  /** Variables of every build. */
  readonly env: Readonly<Record<string, string>>;
  /** Characters of a folder's name below which the framework builds nothing. Left out: there are none. */
  readonly refusedInPath?: string;
  /** The package of the app that adapts to a platform. */
  readonly builtWith: Readonly<Record<Platform, string>>;
  readonly builders: Readonly<
    Record<
      Platform,
      (source: string, deployable: string, build: Build, env: Record<string, string>) => Promise<void>
    >
  >;
}

/** The `refusedInPath` of frameworks that build by Vite, which takes them for the ends of paths and for patterns. */
export const REFUSED_BY_VITE = "#?*";

/**
 * Makes the builders of a framework's app, and builds at once where its build.ts was started by `node
 * build.ts <platform>`. Frameworks write into the app's own folder: one build at a time.
 */
export async function buildFrameworkApp<Platform extends string>(
  { dirname: folder, filename }: ImportMeta,
  { outputs, env, refusedInPath = "", builtWith, builders }: FrameworkBuild<Platform>,
): Promise<Readonly<Record<Platform, Builder>>> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const versions: Readonly<Record<string, string>> = { ...dependencies, ...devDependencies };
  const cleaned = (platform: Platform): Builder => {
    const ofBuild = {
      NODE_ENV: "production",
      EVENBENCH_PLATFORM: platform,
      BUILT_WITH: `${builtWith[platform]} ${versions[builtWith[platform]]}`,
      PATH: join(folder, "node_modules/.bin") + delimiter + process.env.PATH,
      ...env,
    };
    return async (source, deployable, build) => {
      assertBuildable(source, refusedInPath);
      const clean = () =>
        Promise.all(outputs.map((output) => rm(join(source, output), { recursive: true, force: true })));
      await clean();
      await builders[platform](source, deployable, build, ofBuild);
      await clean();
    };
  };
  const platforms = Object.keys(builders) as Platform[];
  const all = Object.fromEntries(platforms.map((platform) => [platform, cleaned(platform)]));
  if (process.argv[1] === filename) {
    const [, , platform = ""] = process.argv;
    process.exitCode = await buildHere(folder, platform, all);
  }
  return all as Record<Platform, Builder>;
}

/**
 * Checks that a framework can build in a folder.
 *
 * @param refused characters of a path that it cannot work with.
 * @throws {Error} with what to do, which the framework's own words do not say.
 */
export function assertBuildable(folder: string, refused: string): void {
  const found = [...refused].filter((character) => folder.includes(character));
  if (found.length === 0) {
    return;
  }
  const names = found.map((character) => `"${character}"`).join(" and ");
  throw new Error(
    `This framework builds nothing below a folder with ${names} in its name. Move the clone: it lies in ${folder}.`,
  );
}

async function buildHere(
  folder: string,
  platform: string,
  builders: Readonly<Record<string, Builder>>,
): Promise<0 | 1> {
  const builder = builders[platform];
  if (builder === undefined) {
    console.error(`Give a platform to build for: ${Object.keys(builders).join(", ")}.`);
    return 1;
  }
  const task = { app: basename(folder), platform, deployable: join(folder, "dist", platform) };
  const built = await recordBuild(task, (record, place) => builder(folder, place, record));
  return built ? 0 : 1;
}

/** A text of an app's source that is replaced for one build. */
export interface Alteration {
  /** The file, from the app on. */
  readonly file: string;
  /** The text in it, which must be there. */
  readonly from: string;
  /** The text in its place. */
  readonly to: string;
}

/**
 * Copies the server that a framework made for Node.js, without source maps: they would count as a part of its size.
 *
 * @param place its folder, from the deployable on.
 */
export async function copyServer(output: string, deployable: string, place = "."): Promise<void> {
  const deployed = join(deployable, place);
  const filter = (file: string) => !file.endsWith(".map");
  await cp(output, deployed, { recursive: true, verbatimSymlinks: true, filter });
  await keepSourceMaps(deployable, [{ deployed, maps: output }]);
  await writeFile(join(deployable, "package.json"), '{"private":true,"type":"module"}\n');
}

interface AlteredBuild {
  /** Absolute path of the app. */
  readonly app: string;
  readonly alterations: readonly Alteration[];
  readonly builder: Builder;
  readonly deployable: string;
}

/** Builds an app with alterations, in a copy below its own folder; a build of the app itself waits meanwhile. */
export function buildAlteredApp(build: AlteredBuild): Promise<void> {
  return exclusively(lockOf(join(build.app, "dist")), () => buildAltered(build));
}

/** Tells whether an entry of an app's folder is a part of its source: no package, no output and no cache of a build. */
function isSource(name: string): boolean {
  return name !== "dist" && name !== "node_modules" && !name.startsWith(".");
}

async function buildAltered(build: AlteredBuild): Promise<void> {
  const { app, alterations, builder, deployable } = build;
  await mkdir(join(app, "dist"), { recursive: true });
  const folder = await mkdtemp(join(app, "dist/altered-"));
  try {
    const source = join(folder, "source");
    const sources = (await readdir(app)).filter(isSource);
    for (const name of sources) {
      await cp(join(app, name), join(source, name), { recursive: true });
    }
    const root = { file: "tsconfig.json", from: "../../tsconfig.json", to: "../../../../../tsconfig.json" };
    const moved = sources.includes(root.file) ? [root] : [];
    for (const { file, from, to } of [...moved, ...alterations]) {
      const text = await readFile(join(source, file), "utf8");
      if (!text.includes(from)) {
        throw new Error(`${file} has no "${from}" to be replaced.`);
      }
      await writeFile(join(source, file), text.replace(from, to));
    }
    await builder(source, deployable, runStep);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
