// The package's declarations: those of TypeScript's own output for src/index.ts and for each type that it names, in
// one file that imports nothing. No bundler of declarations works without the programming interface of TypeScript,
// which version 7 has not; TypeScript's output is regular enough to be taken apart by lines.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@evenbench/host/repository";
import { type NamedSchemas, typeOfSchema, withoutSpace } from "./zod-types.ts";

/** Packages whose types the interface may name. */
const PACKAGES = ["core", "results", "stats", "page", "report"];
/** The declarations of the package's entry, from the repository's root on. */
const DECLARED_ENTRY = "packages/evenbench/src/index.d.ts";

/** A file of declarations, as TypeScript writes them. */
interface DeclarationFile {
  /** Origin of the names that the file imports or exports again, by the name that each has here. */
  readonly imports: ReadonlyMap<string, ImportedName>;
  /** Files whose names are all exported again. */
  readonly exportsAll: readonly string[];
  /** Declarations with their comments, without `export` and `declare`, by name. */
  readonly declared: ReadonlyMap<string, string>;
}

/** A name of another file. */
interface ImportedName {
  /** Path of the file. */
  readonly file: string;
  /** Name in that file; "*" stands for all of its names. */
  readonly name: string;
}

/** Files of declarations by path. */
type Files = ReadonlyMap<string, DeclarationFile>;

/** Writes the declarations of the package's entry to `file`. @throws {Error} where a type cannot be written. */
export async function writeDeclarations(file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "evenbench-declarations-"));
  try {
    const files = await readDeclarations(await emitDeclarations(folder), folder);
    await writeFile(file, declarationsOf(files, join(folder, DECLARED_ENTRY)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Lets TypeScript write the declarations of all sources below `folder`, and gives their paths. Types are
 * checked elsewhere.
 */
async function emitDeclarations(folder: string): Promise<readonly string[]> {
  const sources = PACKAGES.map((name) => join(repositoryRoot, "packages", name, "src/**/*.ts"));
  const settings = {
    extends: join(repositoryRoot, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      listEmittedFiles: true,
      rootDir: repositoryRoot,
      outDir: folder,
      typeRoots: [join(repositoryRoot, "node_modules/@types")],
    },
    include: [...sources, join(import.meta.dirname, "index.ts")],
    exclude: [join(repositoryRoot, "**/*.test.ts")],
  };
  const settingsFile = join(folder, "tsconfig.json");
  await writeFile(settingsFile, JSON.stringify(settings));
  const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [compiler, "-p", settingsFile], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...stdout.matchAll(/^TSFILE:\s+(.*\.d\.ts)$/gm)].map(([, path = ""]) => path);
}

async function readDeclarations(paths: readonly string[], folder: string): Promise<Files> {
  const modules = await packageModules(folder);
  const files = new Map<string, DeclarationFile>();
  for (const path of paths) {
    const find = (specifier: string): string | null =>
      specifier.startsWith(".")
        ? join(dirname(path), specifier.replace(/\.tsx?$/, ".d.ts"))
        : (modules.get(specifier) ?? null);
    files.set(path, parseDeclarations(await readFile(path, "utf8"), find));
  }
  return files;
}

/** Gives the declarations of what packages export, by what is imported, such as "@evenbench/results". */
async function packageModules(folder: string): Promise<ReadonlyMap<string, string>> {
  const modules = new Map<string, string>();
  for (const name of PACKAGES) {
    const manifest = join(repositoryRoot, "packages", name, "package.json");
    const { exports }: { exports: Record<string, unknown> } = JSON.parse(await readFile(manifest, "utf8"));
    for (const [path, source] of Object.entries(exports)) {
      if (typeof source === "string") {
        const declarations = source.replace(/\.tsx?$/, ".d.ts");
        modules.set(`@evenbench/${join(name, path)}`, join(folder, "packages", name, declarations));
      }
    }
  }
  return modules;
}

/** Reads a file of declarations. @param find gives the file that is imported as this; null for others' packages. */
function parseDeclarations(text: string, find: (specifier: string) => string | null): DeclarationFile {
  const imports = new Map<string, ImportedName>();
  const exportsAll: string[] = [];
  const declared = new Map<string, string>();
  for (const statement of statementsOf(text)) {
    const [, specifier] = /^(?:import|export) .* from "([^"]+)";$/s.exec(statement) ?? [];
    const file = specifier === undefined ? null : find(specifier);
    if (file !== null) {
      const [, names] = /\{(.*)\}/s.exec(statement) ?? [];
      const [, namespace] = /\* as (\w+)/.exec(statement) ?? [];
      for (const word of names?.split(",") ?? []) {
        const [name = "", alias = name] = word
          .trim()
          .replace(/^type /, "")
          .split(" as ");
        imports.set(alias, { file, name });
      }
      if (namespace !== undefined) {
        imports.set(namespace, { file, name: "*" });
      } else if (names === undefined) {
        exportsAll.push(file);
      }
    }
    const [, comment = "", declaration = "", name] =
      /^(\/\*\*.*?\*\/\n)?(?:export )?(?:declare )?((?:interface|type|const|function) (\w+)\b.*)$/s.exec(
        statement,
      ) ?? [];
    if (name !== undefined) {
      declared.set(name, comment + declaration);
    }
  }
  return { imports, exportsAll, declared };
}

/** Splits declarations into statements with the comments before them: each begins in the first column. */
function statementsOf(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line !== "");
  const statements: string[] = [];
  let isInComment = false;
  /** True where the last statement is a comment alone so far: what follows is its declaration. */
  let isCommentAlone = false;
  for (const line of lines) {
    const isInFirstColumn = /^[^\s}]/.test(line);
    if (isInFirstColumn && !isCommentAlone) {
      statements.push(line);
    } else {
      statements.push(`${statements.pop() ?? ""}\n${line}`);
    }
    const opensComment = line.startsWith("/**");
    const closesComment = line.includes("*/");
    isInComment = (isInComment || opensComment) && !closesComment;
    isCommentAlone = isInComment || (opensComment && closesComment) || line === " */";
  }
  return statements;
}

/** Writes what the entry declares and each type that it names, with names as the entry gives them. */
function declarationsOf(files: Files, entry: string): string {
  const named = namedSchemas(files);
  const publicNames = new Map<string, string>();
  for (const [name, imported] of files.get(entry)?.imports ?? []) {
    const found = findName(files, imported.file, imported.name);
    if (found !== null) {
      publicNames.set(importKeyOf(found), name);
    }
  }
  const written = new Map<string, string>();
  const open: ImportedName[] = [...(files.get(entry)?.declared.keys() ?? [])].map((name) => ({
    file: entry,
    name,
  }));
  for (const place of open) {
    if (written.has(importKeyOf(place))) {
      continue;
    }
    const { text, uses } = writeOne(files, place, named, publicNames);
    written.set(importKeyOf(place), indented(exported(text, place.file === entry)));
    open.push(...uses);
  }
  assertUnlike([...written.keys()].map((key) => publicNames.get(key) ?? key.split(" ")[1] ?? ""));
  const head = "// Made by the build from the sources' own types: docs/api.md is the reference.\n";
  return `${[head, ...written.values()].join("\n")}\nexport {};\n`;
}

function importKeyOf({ file, name }: ImportedName): string {
  return `${file} ${name}`;
}

/** Exports a declaration, but no constant that a type is made of: the package has no such value. */
function exported(text: string, isOfEntry: boolean): string {
  return text.replace(DECLARED, (_, comment: string, kind: string) => {
    const isValue = kind === "const" || kind === "function";
    const exporting = isOfEntry || !isValue ? "export " : "";
    const declaring = isValue ? "declare " : "";
    return `${comment}${exporting}${declaring}${kind} `;
  });
}

/** A declaration, with the comment before it. */
const DECLARED = /^((?:\/\*\*.*?\*\/\n)?)(interface|type|const|function) /s;

/** Sets each line as deep as the braces that are open before it. */
function indented(text: string): string {
  let depth = 0;
  const lines = text.split("\n").map((line) => {
    const words = line.trim();
    const isWithinComment = words.startsWith("*");
    depth -= words.startsWith("}") ? 1 : 0;
    const shown = "  ".repeat(depth) + (isWithinComment ? " " : "") + words;
    depth += words.endsWith("{") && !isWithinComment ? 1 : 0;
    return shown;
  });
  return lines.join("\n");
}

function assertUnlike(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new Error(
      `Two types of the package's declarations are named ${repeated}. Export one by another name.`,
    );
  }
}

/** Writes one declaration, and gives what it names. */
function writeOne(
  files: Files,
  place: ImportedName,
  named: NamedSchemas,
  publicNames: ReadonlyMap<string, string>,
): { readonly text: string; readonly uses: readonly ImportedName[] } {
  const file = files.get(place.file);
  const text = withSchema(file?.declared.get(place.name) ?? "", files, place.file, named);
  const uses: ImportedName[] = [];
  // Types are written with a capital, after the name of a namespace where they are imported by one.
  const references = /\/\*\*.*?\*\/|"[^"]*"|\b(?:[a-z]\w*\.)?[A-Z]\w*\b/gs;
  const renamed = text.replace(references, (reference) => {
    const found = /^[/"]/.test(reference) ? null : findReference(files, place.file, reference, named);
    if (found === null) {
      return reference;
    }
    uses.push(found);
    return publicNames.get(importKeyOf(found)) ?? found.name;
  });
  return { text: renamed, uses };
}

/** Finds the declaration of a type; null for those of the language. */
function findReference(
  files: Files,
  file: string,
  reference: string,
  named: NamedSchemas,
): ImportedName | null {
  const [name = "", namespace] = reference.split(".").reverse();
  const imported = namespace === undefined ? undefined : files.get(file)?.imports.get(namespace);
  const found = findName(files, imported?.file ?? file, name);
  if (found !== null || ![...named.values()].includes(name)) {
    return found;
  }
  // The type of a schema within one names a file that its own does not import.
  const owner = [...files].find(([, { declared }]) => declared.get(name)?.includes("z.infer<"));
  return owner === undefined ? null : { file: owner[0], name };
}

/** Finds the declaration of a name that a file declares, imports or exports again; null where it does not. */
function findName(files: Files, path: string, name: string): ImportedName | null {
  const file = files.get(path);
  if (file === undefined) {
    return null;
  }
  if (file.declared.has(name)) {
    return { file: path, name };
  }
  const imported = file.imports.get(name);
  if (imported !== undefined) {
    return findName(files, imported.file, imported.name);
  }
  for (const other of file.exportsAll) {
    const found = findName(files, other, name);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

/** Writes the fields of a schema in the place of its inference: `type Run = z.infer<typeof runSchema>;`. */
function withSchema(text: string, files: Files, file: string, named: NamedSchemas): string {
  const [, comment = "", name, schema = ""] = INFERRED.exec(text) ?? [];
  if (name === undefined) {
    return text;
  }
  const others = new Map([...named].filter(([, other]) => other !== name));
  const type = typeOfSchema(schemaText(files, file, schema), others);
  return type.startsWith("{") ? `${comment}interface ${name} ${type}` : `${comment}type ${name} = ${type};`;
}

/** A type that is inferred from a schema, with the comment before it: comment, type and schema. */
const INFERRED = /^(\/\*\*.*?\*\/\n)?type (\w+) = z\.infer<typeof (\w+)>;$/s;

function schemaText(files: Files, file: string, name: string): string {
  const found = findName(files, file, name);
  const text = found === null ? "" : (files.get(found.file)?.declared.get(found.name) ?? "");
  const [, schema] = /const \w+: (.*);$/s.exec(text) ?? [];
  if (schema === undefined) {
    throw new Error(`${relative(repositoryRoot, file)} has no schema ${name} whose type could be written.`);
  }
  return schema;
}

function namedSchemas(files: Files): NamedSchemas {
  const named = new Map<string, string>();
  for (const [path, { declared }] of files) {
    for (const [name, text] of declared) {
      const [, , , schema] = INFERRED.exec(text) ?? [];
      if (schema !== undefined) {
        named.set(withoutSpace(schemaText(files, path, schema)), name);
      }
    }
  }
  return named;
}
