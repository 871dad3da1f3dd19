import { expect, test } from "vitest";
import { BackgroundTasks } from "./background-tasks.ts";

test("a task waits until one of those before has ended where there are as many as may run", async () => {
  await using tasks = new BackgroundTasks(2);
  const events: string[] = [];
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  await tasks.start(() => first.promise);
  await tasks.start(() => second.promise);
  const third = tasks.start(async () => void events.push("third began"));
  await new Promise(setImmediate);
  expect(events).toEqual([]);
  second.resolve();
  await third;
  expect(events).toEqual(["third began"]);
  first.resolve();
  await tasks.end();
});

test("what a task throws ends the next start or the end, once the others have ended", async () => {
  const tasks = new BackgroundTasks(4);
  let isOtherDone = false;
  const other = async () => {
    await new Promise(setImmediate);
    isOtherDone = true;
  };
  await tasks.start(other);
  await tasks.start(() => Promise.reject(new Error("disk full")));
  await expect(tasks.end()).rejects.toThrow("disk full");
  expect(isOtherDone).toBe(true);
  await expect(tasks.start(other)).rejects.toThrow("disk full");
});
