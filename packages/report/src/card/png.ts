import { crc32, deflateSync } from "node:zlib";

/** The bytes that begin each PNG. */
const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const HEADER_BYTES = 13;
const BIT_DEPTH = 8;
/** Red, green, blue and alpha, by the number that PNG has for them. */
const RGBA = 6;
const PIXEL_BYTES = 4;
/** Level of zlib's compression: level 4 takes twice the time, for a file that is a seventh smaller. */
const LEVEL = 3;

/** The rows of the picture before: those of the next one of its size take their place, so that memory does not grow. */
let rows: Buffer = Buffer.alloc(0);

/**
 * Writes pixels as PNG (https://www.w3.org/TR/png-3/). Its rows have no filter: of texts on white these make more bytes.
 *
 * @param pixels rows from the top, of red, green, blue and alpha.
 * @param width number of pixels of a row.
 */
export function encodePng(pixels: Uint8Array, width: number): Buffer {
  const rowBytes = width * PIXEL_BYTES;
  const height = pixels.length / rowBytes;
  const length = (1 + rowBytes) * height;
  if (rows.length !== length) {
    // The byte before each row is its filter's: 0 for none.
    rows = Buffer.alloc(length);
  }
  for (let row = 0; row < height; row++) {
    rows.set(pixels.subarray(row * rowBytes, (row + 1) * rowBytes), row * (1 + rowBytes) + 1);
  }
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(BIT_DEPTH, 8);
  header.writeUInt8(RGBA, 9);
  return Buffer.concat([
    SIGNATURE,
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(rows, { level: LEVEL })),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Makes a part of a PNG: length, type, data, and the checksum of type and data. */
function pngChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checked = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(checked));
  return Buffer.concat([length, checked, checksum]);
}
