export interface Latencies {
  readonly milliseconds: readonly number[];
  readonly seconds: number;
}

export interface Rate {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Runs so many writers side by side, each doing one thing after the other, for so long. */
export async function measure(
  writers: number,
  seconds: number,
  writer: () => () => Promise<unknown>,
): Promise<Latencies> {
  const milliseconds: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1_000;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      const once = writer();
      for (let before = performance.now(); before < end; before = performance.now()) {
        await once();
        milliseconds.push(performance.now() - before);
      }
    }),
  );
  return { milliseconds, seconds: (performance.now() - started) / 1_000 };
}

/** All rounds as one. */
export function merge(rounds: readonly Latencies[]): Rate {
  const sorted = rounds.flatMap((round) => round.milliseconds).sort((a, b) => a - b);
  const seconds = rounds.reduce((sum, round) => sum + round.seconds, 0);
  return { perSecond: sorted.length / seconds, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}
