import type { LeaveOut, LeftOut } from "@evenbench/host";
import { type Exit, ExitCode } from "./exit.ts";
import { sayAside } from "./say.ts";

interface Asked {
  readonly target?: readonly string[];
  readonly app?: readonly string[];
  readonly case?: readonly string[];
}

const said = new Set<string>();

/** Says on stderr what cannot be loaded. Several parts of a command look for apps: each is said once. */
export const sayLeftOut: LeaveOut = ({ path, reason }) => {
  if (said.has(path)) return;
  said.add(path);
  sayAside(`! ${path} is left out: ${reason}`);
};

/** The same, and the command fails, unless all that was asked for was named and is there. */
export function leaveOut(asked: Asked, exit: Exit): LeaveOut {
  return (one) => {
    sayLeftOut(one);
    if (isMissed(one, asked)) exit.code = ExitCode.failed;
  };
}

/** Who names targets asks for no other platform; who names apps or cases, for no other app. */
function isMissed({ path }: LeftOut, { target, app, case: cases }: Asked): boolean {
  if (target !== undefined) return false;
  return path.endsWith("platform.ts") || (app === undefined && cases === undefined);
}
