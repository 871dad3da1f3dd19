import { expect, test } from "vitest";
import { describeFailedStarts, startAll } from "./start-host.ts";

const never = () => new Error("explained although nothing failed");

test("all are started side by side, and given in their order", async () => {
  const both = Promise.withResolvers<void>();
  // One after the other would wait here for good.
  const first = async () => both.promise.then(() => "a");
  const second = async () => {
    both.resolve();
    return "b";
  };
  const stop = async () => expect.unreachable();
  expect(await startAll([first, second], stop, never)).toEqual(["a", "b"]);
});

test("where some fail, those that started are stopped, also the ones that started later, and all reasons are told", async () => {
  const stopped: string[] = [];
  const attempt = startAll(
    [
      async () => "early",
      () => Promise.reject(new Error("no port")),
      () => new Promise<string>((resolve) => setTimeout(() => resolve("late"), 5)),
      () => Promise.reject("no words"),
    ],
    async (name) => stopped.push(name),
    (failed) => new Error(describeFailedStarts(failed, ["one", "two", "three", "four"], "targets")),
  );
  await expect(attempt).rejects.toThrow("2 of 4 targets did not start.\ntwo: no port\nfour: no words");
  expect(stopped.toSorted()).toEqual(["early", "late"]);
});

test("one that cannot be stopped does not hide why another did not start", async () => {
  const attempt = startAll(
    [async () => "up", () => Promise.reject(new Error("why"))],
    () => Promise.reject(new Error("does not stop")),
    ([first]) => first?.reason,
  );
  await expect(attempt).rejects.toThrow("why");
});
