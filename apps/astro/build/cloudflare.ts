import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packWorker } from "@evenbench/app-cloudflare/build";
import { type Builder, keepSourceMaps } from "@evenbench/bundle/deployable";
import { buildEnvironment, clean } from "./environment.ts";

/** The adapter's Worker, whose modules wrangler uploads as they are: Vite has bundled them. */
export const buildForCloudflare: Builder = async (source, deployable, build) => {
  await clean(source);
  await build.run("astro build", ["astro", "build"], { cwd: source, env: buildEnvironment("cloudflare") });
  const server = join(source, "dist/astro/server");
  await writeFile(join(server, "wrangler.jsonc"), await uploadConfiguration(server));
  // Both would be found before it.
  await rm(join(server, "wrangler.json"));
  await rm(join(source, ".wrangler"), { recursive: true });
  await packWorker(build, server, deployable);
  await keepSourceMaps(deployable, [{ deployed: join(deployable, "upload"), maps: server }]);
  await clean(source);
};

/** What the adapter wrote for wrangler, without its notes for itself: paths of this machine, and what is empty. */
async function uploadConfiguration(server: string): Promise<string> {
  const written: object = JSON.parse(await readFile(join(server, "wrangler.json"), "utf8"));
  const { name, main, compatibility_date, compatibility_flags, no_bundle, rules, assets, vars } =
    written as Record<string, unknown>;
  return JSON.stringify({
    name,
    main,
    compatibility_date,
    compatibility_flags,
    no_bundle,
    rules,
    assets,
    vars,
  });
}
