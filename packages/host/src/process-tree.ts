import { readdirSync, readFileSync } from "node:fs";

// Apart from everything else: supervisors import this alone.

/** A process and all that it started, and these in turn, wherever they moved their process group to. */
export function processTree(root: number): readonly number[] {
  const found: number[] = [];
  const rest = [root];
  for (let pid = rest.pop(); pid !== undefined; pid = rest.pop()) {
    const children = childrenOf(pid);
    if (children === null) continue;
    found.push(pid);
    rest.push(...children);
  }
  return found;
}

function childrenOf(pid: number): readonly number[] | null {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => childrenOfThread(pid, thread));
  } catch {
    return null;
  }
}

function childrenOfThread(pid: number, thread: string): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1");
    return list.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and is another user's.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
