import { spawn } from "node:child_process";
import { once } from "node:events";
import { beforeAll, expect, test } from "vitest";
import { connectInspector, InspectorError } from "./inspector.ts";
import { claimPort } from "./start-host.ts";

let port: number;
/** An idle process of its own: an inspector opened and closed within the test's process can crash it. */
beforeAll(async () => {
  port = await claimPort(0);
  const inspected = spawn(
    process.execPath,
    [`--inspect=127.0.0.1:${port}`, "-e", "console.log('ready'); setInterval(() => {}, 1000)"],
    { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, NODE_OPTIONS: "" } },
  );
  await once(inspected.stdout, "data");
  return async () => {
    if (inspected.kill("SIGKILL")) {
      await once(inspected, "exit");
    }
  };
});

test("a method's result comes back; one that does not exist is refused in the inspector's words", async () => {
  const session = await connectInspector(port);
  const params = { expression: "6 * 7" };
  expect(await session.call("Runtime.evaluate", params)).toMatchObject({ result: { value: 42 } });
  await expect(session.call("Nothing.such")).rejects.toThrow("'Nothing.such' wasn't found");
  session.close();
});

test("a connection that ends fails what was asked, and all that comes after", async () => {
  const session = await connectInspector(port);
  const never = { expression: "new Promise(() => {})", awaitPromise: true };
  const answer = session.call("Runtime.evaluate", never);
  session.close();
  await expect(answer).rejects.toThrow(InspectorError);
  await expect(session.call("Profiler.enable")).rejects.toThrow("ended");
});
