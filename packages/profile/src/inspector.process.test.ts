import inspector from "node:inspector";
import { claimPort } from "@evenbench/host";
import { afterEach, expect, test } from "vitest";
import { connectInspector } from "./inspector.ts";
import { ProfileError } from "./profile-error.ts";

afterEach(() => inspector.close());

async function openPort(): Promise<number> {
  const port = await claimPort(0);
  inspector.open(port, "127.0.0.1");
  return port;
}

test("a method's result comes back; one that does not exist is refused in the inspector's words", async () => {
  const session = await connectInspector(await openPort());
  expect(await session.call("Runtime.evaluate", { expression: "6 * 7" })).toMatchObject({
    result: { value: 42 },
  });
  await expect(session.call("Nothing.such")).rejects.toThrow("'Nothing.such' wasn't found");
  session.close();
});

test("a connection that ends fails what was asked, and all that comes after", async () => {
  const session = await connectInspector(await openPort());
  const asked = session.call("Runtime.evaluate", {
    expression: "new Promise(() => {})",
    awaitPromise: true,
  });
  session.close();
  await expect(asked).rejects.toThrow(ProfileError);
  await expect(session.call("Profiler.enable")).rejects.toThrow("ended");
});

test("a port where nothing listens is said, with the reason", async () => {
  const port = await claimPort(0);
  await expect(connectInspector(port)).rejects.toThrow(
    `V8's inspector does not answer at http://127.0.0.1:${port}/json (ECONNREFUSED).`,
  );
});
