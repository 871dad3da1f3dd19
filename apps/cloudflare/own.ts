import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { defineOwnApp, messageOf, type OwnAppBuild, UserError } from "@evenbench/core";
import { moduleFile } from "@evenbench/host";
import type { MissingBinding } from "./src/missing-bindings.ts";
import {
  CONFIGURATION_FILES,
  namesOfLocal,
  type OwnConfiguration,
  readOwnConfiguration,
} from "./src/own-configuration.ts";
import { packWorker, usualConfiguration, writeWranglerConfiguration } from "./src/wrangler.ts";

/** The module in front of a Worker some of whose bindings are not there, in the private copy. */
const WRITTEN_ENTRY = ".evenbench/entry.ts";

/** Packs, by wrangler, a Worker whose configuration names a module that is there. */
export default defineOwnApp({
  title: "a Worker with a wrangler configuration",
  order: 9,

  async detect({ folder }) {
    const configuration = await readOwnConfiguration(folder);
    if (configuration === null || configuration.main === null) {
      return null;
    }
    const { file, main, assets } = configuration;
    const title = `the Worker of ${file} (${main})`;
    const keeps = [dirname(main) === "." ? main : dirname(main)];
    if (assets !== null) {
      keeps.push(assets.directory.replace(/^\.\//, ""));
    }
    // A file that is not there yet may be built by a command of the user's in the copy.
    const there = keeps.filter((path) => existsSync(join(folder, path)));
    return { title, refusals: {}, keeps: there, platforms: ["cloudflare"] };
  },

  async build(build) {
    const configuration = await readOwnConfiguration(build.folder);
    if (configuration === null || !build.platforms.includes("cloudflare")) {
      return { platforms: {}, routes: [] };
    }
    const { file, main } = configuration;
    if (main === null || !existsSync(join(build.folder, main))) {
      const refusal = `${file} names ${main ?? "no main module"}, which is not there: build your app first, or add --build "npm run build".`;
      return { platforms: { cloudflare: { refusal } }, routes: [] };
    }
    const deployable = build.placeFor("cloudflare");
    try {
      await configureOwnWorker(build, configuration);
      await mkdir(deployable, { recursive: true });
      await packWorker(build.run, build.folder, deployable);
      return { platforms: { cloudflare: { deployable } }, routes: [] };
    } catch (error) {
      if (!(error instanceof UserError)) {
        throw error;
      }
      return { platforms: { cloudflare: { refusal: messageOf(error) } }, routes: [] };
    }
  },
});

/** Replaces the copy's configuration by one without what the local host does not have. */
export async function configureOwnWorker(build: OwnAppBuild, configuration: OwnConfiguration): Promise<void> {
  const { folder } = build;
  const { main, local, isBundled, minify } = configuration;
  const usual = await usualConfiguration();
  const names = namesOfLocal(local);
  const missing = configuration.bindings.filter(({ name }) => !names.includes(name));
  if (missing.length > 0) {
    await refuseBindings(build, configuration, missing);
  }
  noteSimulated(build, configuration, names);
  for (const name of CONFIGURATION_FILES) {
    await rm(join(folder, name), { force: true });
  }
  // Modules that an adapter has bundled are taken as they are: bundled again, functions are printed anew. The module in
  // front of them is bundled.
  const asItIs = { no_bundle: true, find_additional_modules: true };
  await writeWranglerConfiguration(folder, {
    name: configuration.name,
    main: missing.length > 0 ? WRITTEN_ENTRY : (main ?? ""),
    compatibility_date: configuration.compatibilityDate ?? usual.compatibility_date,
    compatibility_flags: configuration.compatibilityFlags,
    vars: configuration.vars,
    rules: configuration.rules,
    define: configuration.define,
    alias: configuration.alias,
    ...(minify && { minify }),
    ...(isBundled && missing.length === 0 && asItIs),
    ...(configuration.assets !== null && { assets: configuration.assets }),
    ...local,
  });
}

/** Kinds of bindings that a Worker has of its own, without a simulator. */
const OWN_KINDS = ["Durable Object", "service binding"];

/** Notes the bindings that simulators stand for. */
function noteSimulated(build: OwnAppBuild, { bindings }: OwnConfiguration, names: readonly string[]): void {
  const simulated = bindings.filter(({ kind, name }) => names.includes(name) && !OWN_KINDS.includes(kind));
  if (simulated.length > 0) {
    build.note(
      `Simulated by Miniflare, and empty at each start: ${bindingNames(simulated)}. They run beside the Worker: their time and memory are of this machine, and count as the Worker's.`,
    );
  }
}

/** Writes a module that refuses requests which use a binding that is not there. */
async function refuseBindings(
  build: OwnAppBuild,
  { main }: OwnConfiguration,
  missing: readonly MissingBinding[],
): Promise<void> {
  const entry = join(build.folder, WRITTEN_ENTRY);
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

/** Joins bindings: "KV namespace BLOG, queue JOBS". */
function bindingNames(bindings: readonly MissingBinding[]): string {
  return bindings.map(({ kind, name }) => `${kind} ${name}`).join(", ");
}
