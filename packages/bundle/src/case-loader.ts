// A process of its own for what a case does at its top level: load-cases.ts starts it, and ends it where it hangs.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { type CaseDefinition, errorLine, manifestOfCase } from "@evenbench/core";
import { caseManifest as manifestSchema } from "@evenbench/core/schema";
import type { CaseModule, LoadedCase, Loading } from "./load-cases.ts";

async function loadModule({ id, file }: CaseModule): Promise<Loading> {
  let definition: unknown;
  try {
    const module: { readonly default?: unknown } = await import(pathToFileURL(file).href);
    definition = module.default;
  } catch (error) {
    return { reason: `its top level threw: ${errorLine(error)}` };
  }
  return whyNoCase(definition) ?? describe(id, definition as CaseDefinition);
}

/** Says why a default export is no case; null where it is one. A case may be written without types. */
function whyNoCase(definition: unknown): Loading | null {
  if (typeof definition !== "object" || definition === null) {
    return { reason: "it has no default export made by defineCase({...})" };
  }
  const { golden, handle } = definition as Partial<CaseDefinition>;
  if (typeof handle !== "function") {
    return { reason: "its default export has no handle(request, parameters)" };
  }
  if (golden === undefined) {
    return {
      reason: "its default export has no golden values; write null until the first run has printed them",
    };
  }
  return null;
}

function describe(id: string, definition: CaseDefinition): Loading {
  const { data, error } = manifestSchema.safeParse(manifestOfCase(id, definition));
  if (data === undefined) {
    return { reason: describeIssue(error.issues[0]) };
  }
  const loaded: LoadedCase = { manifest: data, hasPins: definition.pins !== undefined };
  return { loaded };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function describeIssue(issue: Issue | undefined): string {
  const field = issue?.path.map(String).join(".") ?? "";
  return field === ""
    ? `its default export: ${issue?.message}`
    : `its "${field}" is wrong: ${issue?.message}`;
}

let isLoading = false;

const { stdin, stdout } = process;
/** The beginning of a line that is an answer. */
const [, , mark] = process.argv;
const write = stdout.write.bind(stdout);
// What a case prints there says nothing of the build.
stdout.write = () => true;

function answer(loading: Loading | "ready"): void {
  isLoading = false;
  stdin.ref();
  // Readers of lines end one at these two letters of Unicode, too, which JSON leaves as they are.
  const json = JSON.stringify(loading).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  write(`\n${mark}${json}\n`);
}

createInterface({ input: stdin }).on("line", async (line) => {
  isLoading = true;
  // Nothing else may keep this process alive: where all is over and the module is not loaded, it never will be.
  stdin.unref();
  answer(await loadModule(JSON.parse(line)));
});

process.on("beforeExit", () => {
  if (isLoading) {
    answer({ reason: "its top level awaits what never comes" });
  }
});

answer("ready");
