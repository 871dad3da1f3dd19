// Keeps the log of a server within bounds while the server writes it.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

// Supervisors import this: it imports little, so that they start soon.

/** Number of bytes that are kept of a log's beginning. */
const HEAD_BYTES = 1024 * 1024;
/** Number of bytes that are kept of a log's end. */
const TAIL_BYTES = 1024 * 1024;
/** Size of a log, in bytes, from which on what lies between both is taken out. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Milliseconds between two looks at a log's size. */
const LOOK_EVERY_MS = 500;

/** A log that is kept within bounds. */
export interface BoundLog {
  /** Looks at it for the last time. */
  close(): void;
}

/**
 * Looks at the size of a log that others append to, and keeps its head and its tail where it becomes too long. Whoever
 * writes it has the file itself, so that writing costs what it costs elsewhere.
 *
 * @param onGrowth is called with the number of bytes that were written since, wherever there are more.
 */
export function boundLog(file: string, onGrowth: (bytes: number) => void): BoundLog {
  // What is written goes behind what the server writes meanwhile.
  const descriptor = openSync(file, "a+");
  let sizeBefore = fstatSync(descriptor).size;
  let written = 0;
  const look = (): void => {
    const { size } = fstatSync(descriptor);
    if (size > sizeBefore) {
      written += size - sizeBefore;
      onGrowth(written);
    }
    sizeBefore = size > MOST_BYTES ? shorten(descriptor, size) : size;
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return {
    close() {
      clearInterval(timer);
      look();
      closeSync(descriptor);
    },
  };
}

/** Says in a line of a log how much of it is left out there. */
export function leftOut(bytes: number): string {
  return `\n[evenbench: ${bytes} bytes are left out here]\n`;
}

/** Takes out what lies between head and tail. @returns the size in bytes afterwards. */
function shorten(descriptor: number, size: number): number {
  const note = leftOut(size - HEAD_BYTES - TAIL_BYTES);
  const kept = Buffer.alloc(note.length + TAIL_BYTES, note, "latin1");
  readSync(descriptor, kept, note.length, TAIL_BYTES, size - TAIL_BYTES);
  ftruncateSync(descriptor, HEAD_BYTES);
  writeSync(descriptor, kept);
  return HEAD_BYTES + kept.length;
}
