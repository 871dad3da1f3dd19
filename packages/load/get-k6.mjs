// Builds k6 into the user's cache. It is AGPL: a program that we start, never a part of this repository. Plain
// JavaScript, because nothing is installed when a fresh checkout calls it.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** The version of k6 that is built, and that loads were tried with. */
export const K6_VERSION = "2.2.0";

const MODULE = "go.k6.io/k6/v2";
const K6_PROGRAM = process.platform === "win32" ? "k6.exe" : "k6";

/** Gives the path of a built k6: in the user's own cache, so that a fresh checkout finds it again. */
export function cachedK6() {
  const caches =
    process.env.XDG_CACHE_HOME ||
    (process.platform === "win32" && process.env.LOCALAPPDATA) ||
    join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
  return join(caches, "evenbench", `k6-${K6_VERSION}`, K6_PROGRAM);
}

function getK6(say) {
  const built = cachedK6();
  if (existsSync(built)) {
    return;
  }
  const places = ["go", "/usr/local/go/bin/go"];
  const go = places.find((place) => spawnSync(place, ["version"]).status === 0);
  if (go === undefined) {
    say(`k6 ${K6_VERSION} is not built: Go is not installed. What needs k6 is skipped.`);
    return;
  }
  say(`Building k6 ${K6_VERSION} from its Go module into ${built}; once, 2 to 14 minutes.`);
  const scratch = mkdtempSync(join(tmpdir(), "evenbench-k6-"));
  try {
    mkdirSync(dirname(built), { recursive: true });
    // Whole or not at all, also where two build at the same time.
    buildK6(go, scratch, `${built}.${process.pid}`);
    renameSync(`${built}.${process.pid}`, built);
  } catch (error) {
    say(`k6 ${K6_VERSION} could not be built: ${error.message}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function buildK6(go, scratch, program) {
  // From 1.17 on a module takes the versions that k6 itself asks for, and not those of all that these ask for.
  const module = `module k6-of-evenbench\n\ngo 1.21\n\nrequire ${MODULE} v${K6_VERSION}\n`;
  writeFileSync(join(scratch, "go.mod"), module);
  const args = ["build", "-mod=mod", "-trimpath", "-o", program, MODULE];
  // A registry alone: what it does not have is not fetched from elsewhere.
  const proxies = execFileSync(go, ["env", "GOPROXY"], { encoding: "utf8" }).trim().split(/[,|]/);
  const GOPROXY = proxies.filter((proxy) => proxy !== "direct").join(",");
  const env = { ...process.env, GOPROXY, GOFLAGS: "-buildvcs=false" };
  const nice = process.platform === "win32" ? [] : ["nice", "-n", "19"];
  const command = [...nice, go, ...args];
  const file = command[0];
  const words = command.slice(1);
  execFileSync(file, words, { cwd: scratch, env, stdio: ["ignore", "ignore", "inherit"] });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  // What is missing is skipped and said: no reason to fail for whoever calls this before tests.
  getK6((text) => console.error(text));
}
