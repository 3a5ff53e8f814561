export interface Latencies {
  readonly milliseconds: readonly number[];
  readonly seconds: number;
}

export interface Rate {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Runs concurrent writers for a number of seconds, each one operation after the other, and returns the latency of every operation. */
export async function measure(
  writers: number,
  seconds: number,
  createWriter: () => () => Promise<unknown>,
): Promise<Latencies> {
  const milliseconds: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1_000;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      const write = createWriter();
      for (let before = performance.now(); before < end; before = performance.now()) {
        await write();
        milliseconds.push(performance.now() - before);
      }
    }),
  );
  return { milliseconds, seconds: (performance.now() - started) / 1_000 };
}

/** Combines the latencies of all rounds into one rate. */
export function mergeRounds(rounds: readonly Latencies[]): Rate {
  const sorted = rounds.flatMap((round) => round.milliseconds).sort((a, b) => a - b);
  const seconds = rounds.reduce((sum, round) => sum + round.seconds, 0);
  return { perSecond: sorted.length / seconds, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}
