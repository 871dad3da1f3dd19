import { readFileSync } from "node:fs";

const LOOK_EVERY_MS = 1000;
/** Set by npm, npx and pnpm for what they start. */
const MARK = "npm_execpath";

/**
 * Calls back when the package manager that started this process is gone, or a shell between them: a signal
 * to npm does not reach what its shells have started.
 */
export function watchPackageManager(onGone) {
  if (process.env[MARK] === undefined) return () => {};
  const chain = upToPackageManager();
  const timer = setInterval(() => {
    if (chain.every((pid, index) => index === 0 || parentOf(chain[index - 1]) === pid)) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Up to the first process that no package manager started. Without /proc: the parent alone. */
function upToPackageManager() {
  const chain = [process.pid, process.ppid];
  let last = process.ppid;
  while (isBelowPackageManager(last)) {
    last = parentOf(last) ?? 1;
    chain.push(last);
  }
  return chain;
}

function isBelowPackageManager(pid) {
  return `\0${readProc(pid, "environ")}`.includes(`\0${MARK}=`);
}

/** A process whose parent ends gets another one at once. */
function parentOf(pid) {
  if (pid === process.pid) return process.ppid;
  const parent = /^PPid:\s*(\d+)/m.exec(readProc(pid, "status") ?? "")?.[1];
  return parent === undefined ? null : Number(parent);
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // Gone, or another system than Linux.
    return null;
  }
}
