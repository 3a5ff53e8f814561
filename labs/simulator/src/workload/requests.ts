import type { Orchestrator, Site } from '../process/services.js';
import type { SentEdit } from './sent-edit.js';

/** The people of a run, and what they reach. */
export interface People {
  readonly site: Site;
  orchestrators(): readonly Orchestrator[];
  /** Called for every request that was answered. */
  onAnswer(action: string, kind: string): void;
  /** Called before the edit of a file is sent. */
  onEdit(edit: SentEdit): void;
}

const REQUEST_TIMEOUT_MS = 6_000;
const RETRY_PAUSE_MS = 1_000;
export const MAX_TRIES = 600;

/**
 * Sends a request to one orchestrator after the other until one answers. Without an answer in time, the sender closes the connection before the
 * next attempt, which the orchestrator notices: `isStillWanted` is then false.
 */
export async function requestUntilAnswered<Answer>(
  { site, orchestrators }: People,
  ask: (orchestrator: Orchestrator, isStillWanted: () => boolean) => Promise<Answer>,
): Promise<Answer | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const up = orchestrators().filter(({ host }) => host.acceptsWork());
    const orchestrator = up[tries % Math.max(1, up.length)];
    if (orchestrator) {
      let isWanted = true;
      const answer = await Promise.race([
        ask(orchestrator, () => isWanted).then(
          (value) => ({ value }),
          (error: unknown) => {
            site.onError(orchestrator.host, 'a request', error);
            return undefined;
          },
        ),
        wait(site, REQUEST_TIMEOUT_MS).then(() => undefined),
      ]);
      if (answer) return answer.value;
      isWanted = false;
    }
    await wait(site, RETRY_PAUSE_MS);
  }
  return undefined;
}

export function wait(site: Site, ms: number): Promise<void> {
  return new Promise((resolve) => void site.scheduler.after(ms, resolve));
}
