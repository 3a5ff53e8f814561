/** Result of a check that fails only because work is not finished yet: `done` of `total` units are. */
export interface CatchUpProgress {
  /** A clause such as "catching up, 20 of 100 events". */
  readonly reason: string;
  readonly done: number;
  readonly total: number;
  /** Counter that changes with every piece of work, including those that do not increase `done`. */
  readonly revision?: number;
}

/** Resolves with undefined if the check passes. Otherwise rejects, or resolves with the reason or with its progress. */
export type ReadinessCheck = () => Promise<string | CatchUpProgress | void>;

export interface ReadinessReport {
  readonly ready: boolean;
  /** One sentence per failed check; empty when ready. */
  readonly reasons: readonly string[];
  readonly checks: Readonly<Record<string, CheckReport>>;
}

interface CheckReport {
  readonly ok: boolean;
  readonly reason?: string;
  /** Set while the check fails only because work is not finished yet. A supervisor waits as long as these numbers change. */
  readonly progress?: { readonly done: number; readonly total: number; readonly revision?: number };
  readonly durationMs: number;
}

/** Timeout of a check in milliseconds. Probes run every few seconds. */
const CHECK_TIMEOUT_MS = 2_000;

/** The readiness checks of a service. Each dependency registers a named check; `/ready` runs all of them concurrently. */
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();
  private stopping: string | undefined;

  /** @throws RangeError if a check with this name exists */
  register(name: string, check: ReadinessCheck): void {
    if (this.checks.has(name))
      throw new RangeError(`A readiness check named ${name} already exists. Choose another name.`);
    this.checks.set(name, check);
  }

  /** Makes all later reports unready, because the process is shutting down. */
  markStopping(reason: string): void {
    this.stopping = reason;
  }

  async report(): Promise<ReadinessReport> {
    const results = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await runCheck(check)] as const),
    );
    const reasons = results.flatMap(([name, { reason }]) => (reason === undefined ? [] : [`${name}: ${reason}`]));
    if (this.stopping !== undefined) reasons.unshift(this.stopping);
    return { ready: reasons.length === 0, reasons, checks: Object.fromEntries(results) };
  }
}

async function runCheck(check: ReadinessCheck): Promise<CheckReport> {
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no response within ${CHECK_TIMEOUT_MS} ms`), CHECK_TIMEOUT_MS);
  });
  const result = await Promise.race([Promise.resolve().then(check), timeout])
    .catch((error: unknown) => messageOf(error))
    .finally(() => clearTimeout(timer));
  const milliseconds = Math.round(performance.now() - began);
  if (result === undefined) return { ok: true, durationMs: milliseconds };
  if (typeof result === 'string') return { ok: false, reason: result, durationMs: milliseconds };
  const { reason, ...progress } = result;
  return { ok: false, reason, progress, durationMs: milliseconds };
}

/** Message of an error. A refused connection to several addresses is an AggregateError without a message. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}
