import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const modules = join(root, "node_modules");
const bin = join(modules, ".bin");
const stamp = join(modules, ".evenbench-setup");
// Wherever in the clone somebody stands.
process.chdir(root);

/** Type stripping without a flag came with 22.18; before that (from 22.12) it needs one. */
const OLDEST_NODE = [22, 12];
const STRIPS_TYPES_UNASKED = [22, 18];

export class SetupError extends Error {}

/** Installs what the lock file names, once; gives every tool's environment: Node.js 24 first, telemetry off. */
export async function prepare() {
  if (process.platform === "win32")
    throw new SetupError(
      "Windows itself is not supported. Clone the repository in WSL, and run the command there.",
    );
  const environment = {
    ...process.env,
    PATH: [nodeFolder(), bin, process.env.PATH].join(delimiter),
    DO_NOT_TRACK: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    TURBO_TELEMETRY_DISABLED: "1",
    VERCEL_TELEMETRY_DISABLED: "1",
    WRANGLER_SEND_METRICS: "false",
  };
  await install(environment);
  return withNode(environment);
}

/** Gives the exit code: 128 + signal when killed. */
export function run(command, args, environment, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: environment,
      stdio: "inherit",
      ...options,
    });
    // Ctrl-C reaches the child too (same process group). It decides when and how to end; we wait for it.
    const wait = () => {};
    const pass = (signal) => child.kill(signal);
    process.on("SIGINT", wait).on("SIGTERM", pass).on("SIGHUP", pass);
    const stopWatching = watchPackageManager(() => pass("SIGTERM"));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      process.off("SIGINT", wait).off("SIGTERM", pass).off("SIGHUP", pass);
      stopWatching();
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

async function install(environment) {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const manager = JSON.parse(readFileSync("package.json", "utf8")).packageManager;
  console.error(`evenbench: installing packages with ${manager} (once)`);
  // Standard output stays free for what the command itself prints (`serve --json`).
  const code = await run("npx", ["-y", manager, "install"], environment, { stdio: ["inherit", 2, 2] });
  if (code !== 0) {
    throw new SetupError(
      `Packages could not be installed (${manager} ended with code ${code}; its words are above). ` +
        "Check that the npm registry can be reached, then run the same command again.",
    );
  }
  mkdirSync(modules, { recursive: true });
  writeFileSync(stamp, fingerprint());
}

function fingerprint() {
  const parents = ["apps", "packages", "packages/cases"].filter((parent) => existsSync(parent));
  const below = parents.flatMap((parent) =>
    readdirSync(parent)
      .map((name) => join(parent, name))
      .sort(),
  );
  const folders = ["", ...below];
  const files = [
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    ...folders.map((folder) => join(folder, "package.json")),
  ];
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const file of files) {
    if (existsSync(file)) hash.update(`${file}\n`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** No link in .bin: a signal would end that alone. */
function nodeFolder() {
  return join(modules, `node-${process.platform}-${process.arch}`, "bin");
}

function withNode(environment) {
  if (existsSync(join(nodeFolder(), "node"))) return environment;
  const version = process.versions.node.split(".").map(Number);
  if (before(version, OLDEST_NODE)) {
    throw new SetupError(
      `Node.js ${OLDEST_NODE.join(".")} or newer is needed on ${process.platform}-${process.arch}, for which the npm registry has no Node.js 24; ` +
        `this is ${process.versions.node}. Install Node.js 24 from https://nodejs.org and run the same command again.`,
    );
  }
  if (!before(version, STRIPS_TYPES_UNASKED)) return environment;
  const options = [process.env.NODE_OPTIONS, "--experimental-strip-types"].filter(Boolean).join(" ");
  return { ...environment, NODE_OPTIONS: options };
}

function before([major, minor], [wantedMajor, wantedMinor]) {
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}

const LOOK_EVERY_MS = 1000;
/** Set by npm, npx and pnpm for what they start. */
const MARK = "npm_execpath";

/** Calls back when the package manager above, or a shell between, is gone: its signals do not get through. */
function watchPackageManager(onGone) {
  if (process.env[MARK] === undefined) return () => {};
  const above = pidsAbove();
  const timer = setInterval(() => {
    // A process whose parent ends gets another one at once.
    if (pidsAbove() === above) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Up to the first process that no package manager started. Without /proc: the parent alone. */
function pidsAbove() {
  const pids = [process.ppid];
  while (`\0${readProc(pids.at(-1), "environ")}`.includes(`\0${MARK}=`)) {
    pids.push(Number(/^PPid:\s*(\d+)/m.exec(readProc(pids.at(-1), "status"))?.[1] ?? 1));
  }
  return pids.join();
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // Gone, or another system than Linux.
    return "";
  }
}
