import { UserError } from "@evenbench/core";
import { expect, test } from "vitest";
import { PictureThreads } from "./draw-pictures.ts";
import { pngOf } from "./picture.ts";

const drawing = (words: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#fff"/><text y="15" font-size="15">${words}</text></svg>`;

test("threads draw many pictures, each the same bytes as without them", async () => {
  const drawings = Array.from({ length: 20 }, (_, index) => drawing(`No ${index}`));
  await using threads = new PictureThreads();
  const pictures = await Promise.all(drawings.map((svg) => threads.draw(svg)));
  const own = await Promise.all(drawings.map(pngOf));
  expect(pictures.map((png) => Buffer.from(png).toString("base64"))).toEqual(
    own.map((png) => png.toString("base64")),
  );
});

test("what cannot be drawn is an error of one line, also for the pictures behind it, and the threads end", async () => {
  const threads = new PictureThreads();
  const pictures = Array.from({ length: 20 }, () => threads.draw("no drawing"));
  for (const { status, reason } of (await Promise.allSettled(pictures)) as PromiseRejectedResult[]) {
    expect(status).toBe("rejected");
    expect(reason).toBeInstanceOf(UserError);
    expect(reason.message).toMatch(
      /^The gallery is not complete: a picture cannot be drawn \(SVG data .+\)\. Run site again, [^\n]+$/,
    );
  }
  await threads[Symbol.asyncDispose]();
  await expect(threads.draw(drawing("late"))).rejects.toThrow("a picture cannot be drawn");
});
