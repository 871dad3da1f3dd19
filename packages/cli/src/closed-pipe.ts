/**
 * Goes on where nobody reads any longer what is printed, as behind `| head`: what is being measured is kept, and the rest of the text is lost.
 */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}
