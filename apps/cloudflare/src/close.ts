import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { putInFront } from "@evenbench/bundle/deployable";
import { findModules } from "./modules.ts";
import { readWranglerConfiguration, writeWranglerConfiguration } from "./wrangler.ts";

const FRONT = "evenbench-front.mjs";

/** Its compatibility layer names a Node.js. A deployed Worker knows neither its version nor V8's. */
const RUNTIME = { EVENBENCH_RUNTIME: "Cloudflare-Workers" };

/** What wrangler is to take along beside the main module. Its own rules hold for what it bundles. */
const MODULES = [{ type: "ESModule", globs: ["**/*.js", "**/*.mjs"] }];

export async function closeWorker(deployable: string): Promise<void> {
  const configuration = await readWranglerConfiguration(deployable);
  const [main] = await findModules(deployable, configuration);
  const name = main?.name ?? "";
  const front = posix.join(dirname(name), FRONT);
  await putInFront({
    source: fileURLToPath(new URL("front.ts", import.meta.url)),
    outfile: join(deployable, "upload", front),
    behind: `./${posix.basename(name)}`,
  });
  const rules = configuration.rules ?? MODULES;
  await writeWranglerConfiguration(deployable, {
    ...configuration,
    main: posix.join("upload", front),
    find_additional_modules: true,
    rules,
    vars: { ...configuration.vars, ...RUNTIME },
  });
}
