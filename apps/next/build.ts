// `node build.ts <platform>`: makes the platform's deployable of the one source in `app/`.
import { fileURLToPath } from "node:url";
import { exclusively, recordBuild } from "@evenbench/deployable";
import app from "./app.ts";
import { builders } from "./build/builders.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const [platform = ""] = process.argv.slice(2);
const builder = builders[platform];
const deployable = app.deployable(platform);
if (builder === undefined || deployable === null) {
  throw new Error(`Give a platform to build for: ${Object.keys(builders).join(", ")}.`);
}
const built = await recordBuild({ app: app.id, platform, deployable }, (record) =>
  // Next.js writes into the app's own folder, whichever platform it builds for.
  exclusively(`${here}dist/.building`, () => builder(here, deployable, record)),
);
if (!built) process.exitCode = 1;
