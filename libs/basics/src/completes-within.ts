/** Whether `work` completes within `ms` milliseconds. Leaves no timer behind. Rejects if `work` rejects in time; a later rejection is ignored. */
export async function completesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, ms));
  });
  work.catch(() => {});
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
