/** Returns a function that runs at most `limit` functions at once; the others wait in the order in which they came. */
export function limitConcurrency(limit: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await run();
    } finally {
      // Hand the place to the first waiting function.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
