// `node parent.ts <log file>` starts a host, and prints its pids once it is up. A line that it is told ends it.
import { serve } from "./serve.ts";

const [logFile = ""] = process.argv.slice(2);
const host = await serve("good", { logFile });
process.stdout.write(`${JSON.stringify(host.pids())}\n`);

process.stdin.once("data", (line) => {
  if (String(line) === "throw\n") throw new Error("on purpose");
  process.exit(3);
});
