import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineOwnApp, messageOf, type OwnAppBuild, UserError } from "@evenbench/core";
import { CONFIGURATION_FILES, type OwnConfiguration, readOwnConfiguration } from "./src/own-configuration.ts";
import { packWorker, readWranglerConfiguration, writeWranglerConfiguration } from "./src/wrangler.ts";

const ENTRY = ".evenbench/entry.ts";

/** A Worker whose configuration names a module that is there: wrangler packs it. */
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
    // What is not there yet, a command of the user's may build in the copy.
    return { title, refusals: {}, keeps: keeps.filter((path) => existsSync(join(folder, path))) };
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
      await packWorker(build.run as Parameters<typeof packWorker>[0], build.folder, deployable);
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
  const { bindings, main } = configuration;
  const usual = await readWranglerConfiguration(import.meta.dirname);
  if (bindings.length > 0) {
    await refuseBindings(build, configuration);
  }
  for (const name of CONFIGURATION_FILES) {
    await rm(join(folder, name), { force: true });
  }
  await writeWranglerConfiguration(folder, {
    name: configuration.name,
    main: bindings.length > 0 ? ENTRY : (main ?? ""),
    compatibility_date: configuration.compatibilityDate ?? usual.compatibility_date,
    compatibility_flags: configuration.compatibilityFlags,
    vars: configuration.vars,
    rules: configuration.rules,
    define: configuration.define,
    alias: configuration.alias,
    ...(configuration.assets !== null && { assets: configuration.assets }),
  });
}

async function refuseBindings(build: OwnAppBuild, { bindings, main }: OwnConfiguration): Promise<void> {
  const entry = join(build.folder, ENTRY);
  const worker = JSON.stringify(`../${main}`);
  await mkdir(dirname(entry), { recursive: true });
  const stubs = fileURLToPath(new URL("src/missing-bindings.ts", import.meta.url));
  await cp(stubs, join(dirname(entry), "missing-bindings.ts"));
  await writeFile(
    entry,
    `import worker from ${worker};
import { refusingBindings } from "./missing-bindings.ts";
export * from ${worker};
const isClass = typeof worker === "function";
const refusing = isClass ? null : refusingBindings(worker.fetch.bind(worker), ${JSON.stringify(bindings)});
export default refusing === null ? worker : { ...worker, fetch: refusing };
`,
  );
  const names = bindings.map(({ kind, name }) => `${kind} ${name}`).join(", ");
  build.note(`Not there: ${names}. Only a path that uses one is refused.`);
}
