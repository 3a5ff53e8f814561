/** Returns a function that runs at most `limit` functions concurrently; the others wait in order of arrival. */
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
