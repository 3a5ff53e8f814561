/** Not ready yet, but on the way there: `done` of `total` units of work are finished. */
export interface CatchingUp {
  /** One clause, such as "catching up, 20 of 100 events". */
  readonly reason: string;
  readonly done: number;
  readonly total: number;
  /** Changes with every piece of work, also with those that do not raise `done` yet. */
  readonly moves?: number;
}

/** Resolves when all is well; rejects, or resolves with a text or with its progress, to say why not. */
export type ReadinessCheck = () => Promise<string | CatchingUp | void>;

export interface ReadinessReport {
  readonly ready: boolean;
  /** One sentence a failed check; empty when ready. */
  readonly reasons: readonly string[];
  readonly checks: Readonly<Record<string, CheckReport>>;
}

export interface CheckReport {
  readonly ok: boolean;
  readonly reason?: string;
  /** While the check fails only because work is not finished yet. A supervisor waits as long as these numbers move. */
  readonly progress?: { readonly done: number; readonly total: number; readonly moves?: number };
  readonly milliseconds: number;
}

/** A probe asks every few seconds: an answer later than this is no answer. */
const checkTimeoutMs = 2_000;

/**
 * Whether the service can do its work now. Each part that the work depends on registers a check under a name; `/ready`
 * asks them all, side by side.
 */
export class Readiness {
  readonly #checks = new Map<string, ReadinessCheck>();
  #stopping: string | undefined;

  /** @throws RangeError when the name is taken */
  register(name: string, check: ReadinessCheck): void {
    if (this.#checks.has(name))
      throw new RangeError(`There is a readiness check named ${name} already. Choose another name.`);
    this.#checks.set(name, check);
  }

  /** From now on the answer is no: the process is going away. */
  stopping(reason: string): void {
    this.#stopping = reason;
  }

  async report(): Promise<ReadinessReport> {
    const results = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, await outcome(check)] as const),
    );
    const reasons = results.flatMap(([name, { reason }]) => (reason === undefined ? [] : [`${name}: ${reason}`]));
    if (this.#stopping !== undefined) reasons.unshift(this.#stopping);
    return { ready: reasons.length === 0, reasons, checks: Object.fromEntries(results) };
  }
}

async function outcome(check: ReadinessCheck): Promise<CheckReport> {
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${checkTimeoutMs} ms`), checkTimeoutMs);
  });
  const answer = await Promise.race([Promise.resolve().then(check), late])
    .catch((error: unknown) => messageOf(error))
    .finally(() => clearTimeout(timer));
  const milliseconds = Math.round(performance.now() - began);
  if (answer === undefined) return { ok: true, milliseconds };
  if (typeof answer === 'string') return { ok: false, reason: answer, milliseconds };
  const { reason, ...progress } = answer;
  return { ok: false, reason, progress, milliseconds };
}

/** A refused connection to several addresses is an AggregateError without a message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}
