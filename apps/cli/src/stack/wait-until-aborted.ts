/** Resolves when the signal is aborted. Keeps the process alive until then. */
export function waitUntilAborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  const keepAlive = setInterval(() => {}, 60_000);
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(keepAlive);
        resolve(undefined);
      },
      { once: true },
    );
  });
}
