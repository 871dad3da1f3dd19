import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { namedPath, type OwnPacker, packEach, slashed } from "@evenbench/bundle/deployable";
import {
  defineOwnApp,
  type OwnAppBuild,
  type OwnAppFinding,
  type OwnAppRead,
  type PlatformId,
} from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { moduleFile } from "@evenbench/host";
import { applyMigrations } from "./src/databases.ts";
import { isServiceWorker } from "./src/modules.ts";
import { bindingNames, noteSimulated } from "./src/own-bindings.ts";
import {
  CONFIGURATION_FILES,
  type OwnConfiguration,
  REDIRECT,
  readOwnConfiguration,
} from "./src/own-configuration.ts";
import { bundlePages, configurePages, filesNamedByScripts, readRoutesOf } from "./src/pages.ts";
import { packWorker, writeWranglerConfiguration } from "./src/wrangler.ts";

/** The module in front of a Worker some of whose bindings are not there, in the private copy. */
const WRITTEN_ENTRY = ".evenbench/entry.ts";

const IN_PYTHON =
  "Its Worker is written in Python. Workers are served here in JavaScript and WebAssembly alone.";

/** Packs, by wrangler, a Worker whose configuration names a module that is there. */
export default defineOwnApp({
  title: "a Worker with a wrangler configuration",
  order: 9,

  async detect(source) {
    const { folder, variables } = source;
    const configuration = await readOwnConfiguration(folder, variables);
    if (configuration === null) {
      const output = filesNamedByScripts(source);
      return output === null ? null : pagesProject(output, readRoutesOf(folder, join(folder, output)));
    }
    const { file, main, pagesOutput, assets, isBuilt, buildCommand, read } = configuration;
    if (main === null) {
      return pagesOutput === null
        ? null
        : pagesProject(file, [read, ...readRoutesOf(folder, join(configuration.folder, pagesOutput))]);
    }
    const inFolder = (path: string) => slashed(relative(folder, join(configuration.folder, path)));
    // Modules of a built Worker lie beside its main one.
    const keeps = [REDIRECT, inFolder(dirname(main) === "." && !isBuilt ? main : dirname(main))];
    if (assets !== null) {
      keeps.push(inFolder(assets.directory));
    }
    return {
      title: `the Worker of ${file} (${main})`,
      refusals: main.endsWith(".py") ? { cloudflare: IN_PYTHON } : {},
      // A file that is not there yet may be built by a command of the user's in the copy.
      keeps: keeps.filter((path) => existsSync(join(folder, path))),
      platforms: ["cloudflare"],
      isFinished: isBuilt && existsSync(join(configuration.folder, main)),
      ...(buildCommand !== null && { buildCommand }),
      read: [read],
    };
  },

  async build(build) {
    const read = () => readOwnConfiguration(build.folder, build.source.variables);
    if ((await read()) === null) {
      await configurePages(build);
    }
    const configuration = await read();
    if (configuration === null) {
      const refusal = "The private copy has no wrangler configuration: .gitignore leaves it out.";
      return { platforms: { cloudflare: { refusal } }, routes: [] };
    }
    const refusal = missingPart(configuration);
    const packers: Readonly<Record<PlatformId, OwnPacker>> = {
      cloudflare: (_, deployable) => packOwnWorker(build, configuration, deployable),
    };
    const lacking = refusal === null ? {} : { cloudflare: { refusal } };
    return { platforms: await packEach(build, packers, lacking), routes: [] };
  },
});

/** Makes the finding of a Pages project. @param name the file, or the folder, by which it was found. */
function pagesProject(name: string, read: readonly OwnAppRead[]): OwnAppFinding {
  return { title: `the Pages project of ${name}`, refusals: {}, keeps: [], platforms: ["cloudflare"], read };
}

/** Says in one sentence which part that a configuration names is not there; null where all are. */
export function missingPart({ file, folder, main, assets }: OwnConfiguration): string | null {
  const parts = [main ?? "", assets?.directory ?? ""].filter((path) => path !== "");
  const missing = parts.find((path) => !existsSync(join(folder, path)));
  return missing === undefined
    ? null
    : `${file} names ${missing}, which is not there after the app's build. Name the command that makes it: --build "npm run build".`;
}

/**
 * Packs the Worker of a configuration, or of a Pages project. A binding that this machine lacks is refused where a path
 * uses it.
 *
 * @throws {UserError} where the configuration, or its static files, lie outside of the copy.
 */
export async function packOwnWorker(
  build: OwnAppBuild,
  own: OwnConfiguration,
  deployable: string,
): Promise<void> {
  const { file, main, assets, pagesOutput } = own;
  const { folder, workspace: within } = build;
  namedPath({ file: REDIRECT, named: file, from: folder, within });
  namedPath({ file, named: assets?.directory ?? pagesOutput ?? "", from: own.folder, within });
  const isPages = main === null && pagesOutput !== null;
  const configuration = isPages ? await bundlePages(build, own, pagesOutput) : own;
  await applyMigrations(build, own, deployable);
  await configureOwnWorker(build, configuration);
  await mkdir(deployable, { recursive: true });
  await packWorker(build.run, configuration.folder, deployable);
}

/** Replaces the copy's configuration by one without what the local host does not have. */
async function configureOwnWorker(build: OwnAppBuild, configuration: OwnConfiguration): Promise<void> {
  const { folder, main, bindings, missing, local, isBundled, minify } = configuration;
  // A Worker of listeners alone has no handler that could be called behind a check.
  const isChecked = missing.length > 0 && !isServiceWorker(readIfThere(join(folder, main ?? "")) ?? "");
  if (isChecked) {
    await refuseBindings(build, configuration);
  } else if (missing.length > 0) {
    build.note(`Not there: ${bindingNames(missing)}. A path that uses one fails.`);
  }
  noteSimulated(
    build,
    bindings.filter((binding) => !missing.includes(binding)),
  );
  for (const name of CONFIGURATION_FILES) {
    await rm(join(folder, name), { force: true });
  }
  // Modules that an adapter has bundled are taken as they are: bundled again, functions are printed anew. The module in
  // front of them is bundled.
  const asItIs = { no_bundle: true, find_additional_modules: true };
  await writeWranglerConfiguration(folder, {
    name: configuration.name,
    main: isChecked ? WRITTEN_ENTRY : (main ?? ""),
    compatibility_date: configuration.compatibilityDate,
    compatibility_flags: configuration.compatibilityFlags,
    vars: configuration.vars,
    rules: configuration.rules,
    define: configuration.define,
    alias: configuration.alias,
    ...(minify && { minify }),
    ...(isBundled && !isChecked && asItIs),
    ...(configuration.assets !== null && { assets: configuration.assets }),
    ...local,
  });
}

/** Writes a module that refuses requests which use a binding that is not there. */
async function refuseBindings(
  build: OwnAppBuild,
  { main, folder, missing }: OwnConfiguration,
): Promise<void> {
  const entry = join(folder, WRITTEN_ENTRY);
  const worker = JSON.stringify(`../${main}`);
  await mkdir(dirname(entry), { recursive: true });
  const stubs = moduleFile("apps/cloudflare/src/missing-bindings");
  await cp(stubs, join(dirname(entry), "missing-bindings.ts"));
  await writeFile(
    entry,
    `import worker from ${worker};
import { refusingBindings } from "./missing-bindings.ts";
export * from ${worker};
const isClass = typeof worker === "function";
const refusing = isClass ? null : refusingBindings(worker.fetch.bind(worker), ${JSON.stringify(missing)});
export default refusing === null ? worker : { ...worker, fetch: refusing };
`,
  );
  build.note(`Not there: ${bindingNames(missing)}. Only a path that uses one is refused.`);
}
