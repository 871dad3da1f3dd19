import { readFileSync } from "node:fs";

const LOOK_EVERY_MS = 1000;
/** Set by npm, npx and pnpm for what they start. */
const MARK = "npm_execpath";

/**
 * Sends this process SIGTERM when the package manager that started it is gone, or a shell between them: what is killed (SIGKILL)
 * cannot pass that on, and would leave servers that nobody ends. Without a package manager a command may outlive its parent. Not
 * for commands that measure: it looks once a second.
 */
export function endWithParent(): void {
  if (process.env[MARK] === undefined) return;
  const chain = upToPackageManager();
  const timer = setInterval(() => {
    if (chain.every((pid, index) => index === 0 || parentOf(chain[index - 1] ?? 0) === pid)) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** This process, its parent, and so on up to the first that no package manager started. Without /proc: the parent alone. */
function upToPackageManager(): readonly number[] {
  const chain = [process.pid, process.ppid];
  let last = process.ppid;
  while (isBelowPackageManager(last)) {
    last = parentOf(last) ?? 1;
    chain.push(last);
  }
  return chain;
}

function isBelowPackageManager(pid: number): boolean {
  return `\0${readProc(pid, "environ")}`.includes(`\0${MARK}=`);
}

/** A process whose parent ends gets another one at once. */
function parentOf(pid: number): number | null {
  if (pid === process.pid) return process.ppid;
  const parent = /^PPid:\s*(\d+)/m.exec(readProc(pid, "status") ?? "")?.[1];
  return parent === undefined ? null : Number(parent);
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // Gone, or another system than Linux.
    return null;
  }
}
