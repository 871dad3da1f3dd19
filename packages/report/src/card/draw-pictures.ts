import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { errorLine, messageOf, UserError } from "@evenbench/core";
import { packagedFile } from "./picture.ts";

/** Largest number of threads: each takes about 50 MB, and four draw about as fast as this one makes pages. */
const MOST_THREADS = 4;

/** A thread that draws. */
interface DrawingThread {
  readonly worker: Worker;
  /** The picture that it draws now; null between two pictures. */
  pending: PromiseWithResolvers<Uint8Array> | null;
  /** Why the thread ended; null while it has not. */
  failure: Error | null;
  /** Ends when the pictures that the thread was given so far are drawn, or could not be. */
  drawn: Promise<unknown>;
}

/**
 * Threads that draw pictures while this one does something else. Each starts with its first picture; all end when the
 * object is disposed of.
 */
export class PictureThreads implements AsyncDisposable {
  readonly #threads: DrawingThread[] = [];
  readonly #threadLimit = Math.min(MOST_THREADS, availableParallelism());
  #pictures = 0;

  /**
   * Draws an SVG as PNG, the same bytes as `pngOf` makes of it.
   *
   * @throws {UserError} when the thread that draws it ends.
   */
  draw(svg: string): Promise<Uint8Array> {
    const index = this.#pictures % this.#threadLimit;
    this.#pictures += 1;
    const thread = this.#threads[index] ?? startThread();
    this.#threads[index] = thread;
    const picture = thread.drawn.then(() => drawBy(thread, svg));
    thread.drawn = picture.catch(() => {});
    return picture;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }
}

function startThread(): DrawingThread {
  const program = packagedFile("picture-thread.js") ?? join(import.meta.dirname, "picture-thread.ts");
  const worker = new Worker(program);
  const thread: DrawingThread = { worker, pending: null, failure: null, drawn: Promise.resolve() };
  const fail = (reason: Error): void => {
    thread.failure ??= reason;
    thread.pending?.reject(thread.failure);
  };
  worker.on("message", (png: Uint8Array) => thread.pending?.resolve(png));
  worker.once("error", fail);
  worker.once("exit", (code) => fail(new Error(`its thread ended with exit code ${code}`)));
  return thread;
}

/** Has a thread draw, which draws nothing else meanwhile. */
async function drawBy(thread: DrawingThread, svg: string): Promise<Uint8Array> {
  try {
    if (thread.failure !== null) {
      throw thread.failure;
    }
    thread.pending = Promise.withResolvers();
    thread.worker.postMessage(svg);
    return await thread.pending.promise;
  } catch (error) {
    throw new UserError(
      `The gallery is not complete: a picture cannot be drawn (${errorLine(messageOf(error))}). Run site again, or without --base-url: then it has no pictures.`,
    );
  } finally {
    thread.pending = null;
  }
}
