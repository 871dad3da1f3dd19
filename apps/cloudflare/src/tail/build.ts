import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeWranglerConfiguration } from "../wrangler.ts";

const MAIN = "tail.mjs";

export async function buildTail(directory: string, name: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL("entry.ts", import.meta.url))],
    outfile: join(directory, MAIN),
    bundle: true,
    external: ["cloudflare:*"],
    format: "esm",
    platform: "neutral",
    target: "es2024",
    logLevel: "warning",
  });
  await writeWranglerConfiguration(directory, {
    name,
    main: MAIN,
    no_bundle: true,
    compatibility_date: "2026-11-01",
    durable_objects: { bindings: [{ name: "ACCOUNTS", class_name: "Accounts" }] },
    migrations: [{ tag: "v1", new_sqlite_classes: ["Accounts"] }],
    workers_dev: true,
    preview_urls: false,
  });
}
