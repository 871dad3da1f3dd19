import { packWorker } from "@evenbench/app-cloudflare/build";
import type { Builder } from "@evenbench/bundle/deployable";
import { buildEnvironment, clean } from "./vite.ts";

/** adapter-cloudflare's Worker, then what wrangler would upload of it, minified. */
export const buildForCloudflare: Builder = async (source, deployable, build) => {
  await clean(source);
  await build.run("vite build", ["vite", "build"], { cwd: source, env: buildEnvironment("cloudflare") });
  await packWorker(build, source, deployable);
  await clean(source);
};
