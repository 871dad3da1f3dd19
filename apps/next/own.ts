import { existsSync } from "node:fs";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { vercelBuild } from "@evenbench/app-vercel/build";
import {
  buildByFramework,
  foldersUpFrom,
  keepSourceMaps,
  type OwnPacker,
  packEach,
  slashed,
} from "@evenbench/bundle/deployable";
import {
  defineOwnApp,
  type OwnAppBuild,
  type OwnAppSource,
  parseJson,
  reasonOf,
  UserError,
} from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { entriesBelow } from "@evenbench/host";
import { packByOpenNext, prepareOpenNext, QUIET } from "./src/own-open-next.ts";
import { readNextManifests, routesOf } from "./src/own-routes.ts";

export default defineOwnApp({
  title: "Next.js",
  order: 0,
  // The Vercel CLI; what the other platforms need is added in the copy.
  tools: { vercel: ["vercel"] },

  async detect(source) {
    const routers = routersOf(source);
    if (source.rangeOf("next") === null || routers.length === 0 || isOfVinext(source)) {
      return null;
    }
    return { title: `Next.js (${routers.join(" and ")})`, refusals: {}, keeps: [] };
  },

  /** Builds once for all platforms: two builds of one source differ in build id and names of files. */
  async build(build) {
    const lacking = build.platforms.includes("cloudflare") ? await prepareOpenNext(build) : null;
    await prepareNext(build);
    await nextBuild(build);
    const platforms = await packEach(build, PACKERS, lacking === null ? {} : { cloudflare: lacking });
    return {
      platforms,
      routes: routesOf(await readNextManifests(build.folder, await outputOf(build.folder))),
    };
  },
});

/** Tells whether an app is built by vinext: it names it, and its script "build" does not call Next.js. */
function isOfVinext({ rangeOf, packageJson }: OwnAppSource): boolean {
  return rangeOf("vinext") !== null && !/\bnext build\b/.test(packageJson?.scripts?.build ?? "");
}

/** Lists the routers that an app has pages of. Without any, Next.js builds nothing. */
function routersOf({ folder }: OwnAppSource): readonly string[] {
  const has = (name: string) => existsSync(join(folder, name)) || existsSync(join(folder, "src", name));
  const routers: string[] = [];
  if (has("app")) {
    routers.push("App Router");
  }
  if (has("pages")) {
    routers.push("Pages Router");
  }
  return routers;
}

/** Gives an app a lock file: without one Next.js and OpenNext look for it in folders that are none of the app's. */
async function prepareNext({ folder, workspace }: OwnAppBuild): Promise<void> {
  if (lockedFolder(folder, workspace) !== null) {
    return;
  }
  await writeFile(join(workspace, "yarn.lock"), "");
}

/** Names of lock files, in the order in which OpenNext looks for them. */
const LOCK_FILES = ["bun.lockb", "bun.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"];

function lockedFolder(folder: string, workspace: string): string | null {
  const hasLock = (place: string) => LOCK_FILES.some((file) => existsSync(join(place, file)));
  return foldersUpFrom(folder, workspace).find(hasLock) ?? null;
}

const OUTPUT = ".next";

/** The file of a build that has its configuration. */
const REQUIRED_FILES = "required-server-files.json";

async function nextBuild(build: OwnAppBuild): Promise<void> {
  const root = lockedFolder(build.folder, build.workspace) ?? build.workspace;
  // As OpenNext sets them, where the app's own configuration says nothing of output.
  const env = { ...QUIET, NEXT_PRIVATE_STANDALONE: "true", NEXT_PRIVATE_OUTPUT_TRACE_ROOT: root };
  const tool = { command: "next build", package: "next", file: "dist/bin/next" };
  try {
    await buildByFramework(build, tool, env);
  } catch (error) {
    throw explainedFailure(error);
  }
  const output = await outputOf(build.folder);
  if (existsSync(join(build.folder, output, "standalone"))) {
    return;
  }
  const text = readIfThere(join(build.folder, output, REQUIRED_FILES)) ?? "";
  const { config } = (parseJson(text) ?? {}) as { readonly config?: { readonly output?: string } };
  throw new UserError(
    config?.output === "export"
      ? 'The build made files alone, as next.config says by output: "export": nothing is rendered for a request, so there is nothing to compare.'
      : `\`next build\` left no folder ${OUTPUT}/standalone. A distDir that lies below another folder is not looked into.`,
  );
}

/** Finds the folder of a build in the app's own. next.config may name another one; where there is none, the usual one. */
async function outputOf(folder: string): Promise<string> {
  const names = [OUTPUT, ...(await readdir(folder))];
  return names.find((name) => existsSync(join(folder, name, REQUIRED_FILES))) ?? OUTPUT;
}

/** Explains an error of fetching fonts from Google, which is what many apps fetch while they are built. */
function explainedFailure(error: unknown): Error {
  const { message, quotes } = reasonOf(error);
  if (!/fonts\.googleapis\.com|Google Fonts|font\/google/.test(quotes.join("\n"))) {
    return new UserError(message, quotes);
  }
  return new UserError(
    `${message}\nThe build fetches fonts from fonts.googleapis.com. Where that is not reached, use next/font/local, or name a file with the answers: NEXT_FONT_GOOGLE_MOCKED_RESPONSES=/path/to/fonts.cjs in a file that --env-file gives.`,
    quotes,
  );
}

/**
 * Writes the module that starts the standalone server as "localhost": under another name Next.js takes a rewrite to the
 * request's own address for one to another server, and asks itself for ever.
 */
function standaloneServer(file: string): string {
  return `import { lookup } from "node:dns/promises";

const { address } = await lookup("localhost").catch(() => ({ address: null }));
if (address === process.env.HOSTNAME) {
  process.env.HOSTNAME = "localhost";
}
await import(${JSON.stringify(file)});
`;
}

const PACKERS: Readonly<Record<string, OwnPacker>> = {
  async cloudflare(build, deployable) {
    if ((await outputOf(build.folder)) !== OUTPUT) {
      throw new UserError(
        `OpenNext takes a build in ${OUTPUT} alone, and next.config names another distDir.`,
      );
    }
    await packByOpenNext(build, deployable);
  },

  /** Packs Next.js with its standalone server, which does not run next.config: a stock one would start a workerd. */
  async node({ folder }, deployable) {
    const output = await outputOf(folder);
    const app = await standaloneApp(join(folder, output));
    await cp(join(folder, output, "standalone"), deployable, { recursive: true, verbatimSymlinks: true });
    await cp(join(folder, output, "static"), join(deployable, app, output, "static"), { recursive: true });
    await keepServerMaps(folder, deployable);
    if (existsSync(join(folder, "public"))) {
      await cp(join(folder, "public"), join(deployable, app, "public"), { recursive: true });
    }
    await writeFile(join(deployable, "server.mjs"), standaloneServer(`./${slashed(join(app, "server.js"))}`));
  },

  /** The Vercel CLI takes what `next build` left in the very same folder. */
  async vercel(build, deployable) {
    const output = await outputOf(build.folder);
    const settings = {
      framework: "nextjs",
      buildCommand: "true",
      installCommand: "true",
      ...(output !== OUTPUT && { outputDirectory: output }),
    };
    await vercelBuild(build.run, { directory: build.folder, deployable, settings, env: QUIET });
    await keepServerMaps(build.folder, deployable);
  },
};

/** Keeps the maps of the server's scripts, wherever the deployable has these: neither output takes them along. */
async function keepServerMaps(folder: string, deployable: string): Promise<void> {
  const output = await outputOf(folder);
  const maps = join(folder, output, "server");
  const entries = await entriesBelow(deployable);
  const folders = entries.filter(
    (entry) => entry.isDirectory() && entry.name === "server" && basename(entry.parentPath) === output,
  );
  const deployed = folders.map((entry) => ({ deployed: join(entry.parentPath, entry.name), maps }));
  await keepSourceMaps(deployable, deployed);
}

/** Finds the app in standalone output, which repeats the folders from the workspace on. */
async function standaloneApp(output: string): Promise<string> {
  const file = join(output, REQUIRED_FILES);
  const { relativeAppDir = "" } = JSON.parse(await readFile(file, "utf8")) as { relativeAppDir?: string };
  return relativeAppDir;
}
