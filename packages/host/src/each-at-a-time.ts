/** Number of things that are worked on at a time: the file system takes as many well. */
const AT_A_TIME = 8;

/** Does work on each of many things, of which a few are under way at a time. */
export async function eachAtATime<T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> {
  const rest = things.values();
  const workOnNext = async (): Promise<void> => {
    // All of these loops take from one iterator.
    for (const thing of rest) {
      await work(thing);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, workOnNext));
}
