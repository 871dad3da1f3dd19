/**
 * Goes on where output cannot be written, as behind `| head` or on a full disk: what is being measured is
 * kept. Where that is nobody's wish, one line says so and the exit code is 1.
 */
export function surviveClosedPipes(): void {
  // Whoever closes it wants no messages.
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.stderr.write(
      `evenbench: the output cannot be written (${error.code}). Files are written all the same.\n`,
    );
    process.once("exit", () => {
      process.exitCode ||= 1;
    });
  });
}
