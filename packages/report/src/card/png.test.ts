import { Resvg } from "@resvg/resvg-wasm";
import { expect, test } from "vitest";
import { pngOf } from "./picture.ts";
import { encodePng } from "./png.ts";

const WIDTH = 7;
const HEIGHT = 5;

test("another program reads the same pixels from a PNG", async () => {
  const pixels = Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, index) =>
    index % 4 === 3 ? 255 : (index * 37) % 256,
  );
  const png = encodePng(pixels, WIDTH);
  const size = `width="${WIDTH}" height="${HEIGHT}"`;
  const image = `<image ${size} image-rendering="optimizeSpeed" href="data:image/png;base64,${png.toString("base64")}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${image}</svg>`;
  // The first picture loads what draws.
  await pngOf(svg);
  const read = new Resvg(svg).render();
  expect([read.width, read.height]).toEqual([WIDTH, HEIGHT]);
  expect([...read.pixels]).toEqual([...pixels]);
});
