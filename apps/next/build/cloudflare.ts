import { rm } from "node:fs/promises";
import { join } from "node:path";
import { packWorker } from "@evenbench/app-cloudflare/build";
import type { Builder } from "@evenbench/bundle/deployable";
import packageJson from "../package.json" with { type: "json" };
import { buildEnvironment } from "./environment.ts";

/** OpenNext's adapter, then what wrangler would upload of it, minified. */
export const buildForCloudflare: Builder = async (source, deployable, build) => {
  const outputs = [".next", ".open-next"].map((folder) => join(source, folder));
  const clean = () => Promise.all(outputs.map((folder) => rm(folder, { recursive: true, force: true })));
  await clean();
  const version = packageJson.devDependencies["@opennextjs/cloudflare"];
  const env = {
    ...buildEnvironment("cloudflare", `@opennextjs/cloudflare ${version}`),
    WRANGLER_SEND_METRICS: "false",
    CI: "1",
  };
  const command = ["opennextjs-cloudflare", "build", "--skipWranglerConfigCheck"] as const;
  await build.run("opennextjs-cloudflare build", command, { cwd: source, env });
  await packWorker(build, source, deployable);
  await clean();
};
