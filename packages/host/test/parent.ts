// `node parent.ts host|program <log file>` starts one, and prints its pids once it is up. A line that it is
// told ends it.
import { runProgram } from "../src/index.ts";
import { serve } from "./serve.ts";

const [what, logFile = ""] = process.argv.slice(2);
const tell = (pids: readonly number[]) => process.stdout.write(`${JSON.stringify(pids)}\n`);

process.stdin.once("data", (line) => {
  if (String(line) === "throw\n") {
    throw new Error("on purpose");
  }
  process.exit(3);
});

if (what === "host") {
  tell((await serve("good", { logFile })).pids());
} else {
  const { failure } = await runProgram({ command: ["sleep", "600"], onStart: (pid) => tell([pid]) });
  process.exit(failure === null ? 0 : 1);
}
