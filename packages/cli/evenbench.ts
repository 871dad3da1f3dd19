#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { registerTextImports } from "@evenbench/host/text-imports";

// Reading TypeScript takes most of a start: what was read once is kept. Nothing that is measured gets it: it
// goes to no other process.
enableCompileCache(join(import.meta.dirname, "../../node_modules/.cache/evenbench/compiled"));
// Styles of pages are imported as text, by commands that load them before anything else.
registerTextImports();
const { endWithParent, main, surviveClosedPipes } = await import("./src/main.ts");

surviveClosedPipes();
endWithParent();
process.exitCode = await main(process.argv.slice(2));
