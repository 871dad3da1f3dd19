import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./install.mjs";
import { SetupError } from "./run.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const modules = join(root, "node_modules");
const bin = join(modules, ".bin");

/**
 * The folder in which the user typed the command: relative paths count from there. A package manager starts scripts in
 * the clone's root, and says where it was called itself.
 */
export const userFolder = typedIn();
process.chdir(root);

function typedIn() {
  const { INIT_CWD, npm_package_json: manifest } = process.env;
  const isOfManager = manifest === join(root, "package.json") && `${process.cwd()}/` === root;
  return isOfManager && INIT_CWD ? INIT_CWD : process.cwd();
}

/** Type stripping without a flag came with 22.18; before that (from 22.12) it needs one. */
const OLDEST_NODE = [22, 12];
const STRIPS_TYPES_UNASKED = [22, 18];

/** Installs what the lock file names, once; gives every tool's environment: Node.js 26 first, telemetry off. */
export async function prepare() {
  if (process.platform === "win32") {
    throw new SetupError(
      "Windows itself is not supported. Clone the repository in WSL, and run the command there.",
    );
  }
  const environment = {
    ...process.env,
    PATH: [nodeFolder(), bin, process.env.PATH].join(delimiter),
    DO_NOT_TRACK: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    TURBO_TELEMETRY_DISABLED: "1",
    VERCEL_TELEMETRY_DISABLED: "1",
    WRANGLER_SEND_METRICS: "false",
  };
  sayWindowsLineEnds();
  await install(environment, modules);
  return withNode(environment);
}

/**
 * Warns of a checkout that Git for Windows made before `.gitattributes` was there: formatting would fail in
 * each file.
 */
function sayWindowsLineEnds() {
  if (!readFileSync("package.json").includes("\r\n")) {
    return;
  }
  console.error(
    "! This checkout has Windows line ends, so `npm run lint` fails in each file. Commit your changes, then run: git rm -r -q --cached . && git reset -q --hard",
  );
}

/** No link in .bin: a signal would end that alone. */
function nodeFolder() {
  return join(modules, `node-${process.platform}-${process.arch}`, "bin");
}

function withNode(environment) {
  if (existsSync(join(nodeFolder(), "node"))) {
    return environment;
  }
  const version = process.versions.node.split(".").map(Number);
  if (before(version, OLDEST_NODE)) {
    throw new SetupError(
      `Node.js ${OLDEST_NODE.join(".")} or newer is needed on ${process.platform}-${process.arch}, for which the npm registry has no Node.js 26; ` +
        `this is ${process.versions.node}. Install Node.js 26 from https://nodejs.org and run the same command again.`,
    );
  }
  if (!before(version, STRIPS_TYPES_UNASKED)) {
    return environment;
  }
  const options = [process.env.NODE_OPTIONS, "--experimental-strip-types"].filter(Boolean).join(" ");
  return { ...environment, NODE_OPTIONS: options };
}

function before([major, minor], [wantedMajor, wantedMinor]) {
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}
