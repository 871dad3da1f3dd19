import { once } from "node:events";
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
  /** Fails when the thread ends, with the reason; it never succeeds. */
  readonly ended: Promise<never>;
  /** Ends when the pictures that the thread was given so far are drawn, or could not be. */
  drawn: Promise<unknown>;
}

/**
 * Threads that draw pictures while this one does something else. Each starts with its first picture; all end when the
 * object is disposed of.
 */
export class PictureThreads implements AsyncDisposable {
  readonly #threads: DrawingThread[] = [];
  readonly #most = Math.min(MOST_THREADS, availableParallelism());
  #pictures = 0;

  /**
   * Draws an SVG as PNG, the same bytes as `pngOf` makes of it.
   *
   * @throws {UserError} when the thread that draws it ends.
   */
  draw(svg: string): Promise<Uint8Array> {
    const index = this.#pictures % this.#most;
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
  const { promise: ended, reject } = Promise.withResolvers<never>();
  // Whoever waits for a picture hears of it; between two pictures nobody waits.
  ended.catch(() => {});
  worker.once("error", reject);
  worker.once("exit", (code) => reject(new Error(`its thread ended with exit code ${code}`)));
  return { worker, ended, drawn: Promise.resolve() };
}

/** Has a thread draw, which draws nothing else meanwhile. */
async function drawBy({ worker, ended }: DrawingThread, svg: string): Promise<Uint8Array> {
  try {
    worker.postMessage(svg);
    const [png] = await Promise.race([once(worker, "message"), ended]);
    return png;
  } catch (error) {
    throw new UserError(
      `A picture cannot be drawn: ${errorLine(messageOf(error))}. Start it again; without --base-url no pictures are made.`,
    );
  }
}
