// `node build.ts <platform>`: makes the platform's deployable of the one source.
import { fileURLToPath } from "node:url";
import { buildApp } from "@evenbench/bundle/deployable";
import app from "./app.ts";
import { buildForCloudflare } from "./build/cloudflare.ts";
import { buildForNode } from "./build/node.ts";
import { buildForVercel } from "./build/vercel.ts";

const builders = { cloudflare: buildForCloudflare, node: buildForNode, vercel: buildForVercel };
const folder = fileURLToPath(new URL(".", import.meta.url));
process.exitCode = await buildApp(app, folder, builders, process.argv[2] ?? "");
