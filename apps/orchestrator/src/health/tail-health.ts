import { tailLag } from '@phaseline/event-store';
import { duration } from '@phaseline/service';
import type { Pool } from 'pg';

export interface TailHealthParts {
  readonly pool: Pool;
  /** Of the subscription. */
  readonly name: string;
  /** This process. */
  readonly owner: string;
  readonly limitMs: number;
}

/** A readiness check for a reader of the log: events lie behind its checkpoint for longer than they may. */
export class TailHealth {
  #last: { readonly message: string; readonly at: number } | undefined;

  constructor(private readonly parts: TailHealthParts) {}

  /** To be told of every failure of the subscription. */
  failed(error: Error): void {
    this.#last = { message: error.message, at: performance.now() };
  }

  async complaint(): Promise<string | undefined> {
    const { pool, name, owner, limitMs } = this.parts;
    const behind = (await tailLag(pool, { name, owner })).filter(({ behindMs }) => (behindMs ?? 0) > limitMs);
    const [worst] = behind.sort((a, b) => b.behindMs! - a.behindMs!);
    if (!worst) return undefined;
    const waiting = `events have been waiting for ${duration(worst.behindMs!)} (partition ${worst.partition})`;
    if (worst.gated)
      return `${waiting}: a transaction that is still open holds them back; \`phaseline doctor\` names it`;
    const recent = this.#last && performance.now() - this.#last.at < limitMs ? this.#last : undefined;
    return recent
      ? `${waiting}, and the last attempt failed: ${recent.message}`
      : `${waiting}, and nobody handles them`;
  }
}
