import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@phaseline/basics';
import type { StoredDeadLetter } from '@phaseline/cluster';
import { getActorName, type Actor } from '@phaseline/contracts';
import { deadLetterStream, getAdministrationVersion, type DeadLetterEvent } from '@phaseline/domain';
import { runInTransaction, type EventStore } from '@phaseline/event-store';
import type pg from 'pg';

export interface DeadLetterRecorder {
  readonly store: Pick<EventStore, 'appendWithin'>;
  readonly pool: pg.Pool;
}

/**
 * Closes a dead letter with `close` and records who did so, in one commit. Returns false, and records nothing, if another caller has closed
 * it before.
 */
export async function recordDeadLetterAction(
  { store, pool }: DeadLetterRecorder,
  { id, queue, messageId }: StoredDeadLetter,
  { type, actor, reason }: { readonly type: DeadLetterEvent['type']; readonly actor: Actor; readonly reason?: string },
  close: (client: pg.ClientBase) => Promise<boolean>,
): Promise<boolean> {
  const streamId = deadLetterStream(id);
  const because = reason === undefined ? {} : { reason: reason.toWellFormed() };
  const data = { actor: getActorName(actor), queue, messageId, ...because };
  try {
    await runInTransaction(pool, async (client) => {
      // An append must be the first write of its transaction.
      await store.appendWithin(client, {
        streamId,
        // The stream belongs to no job.
        correlationId: streamId as string,
        expectedVersion: 'any',
        events: [
          {
            ...{ eventId: randomUUID(), type, schemaVersion: getAdministrationVersion(type), data },
            // An interface lacks the index signature of JsonObject.
            metadata: { actor } as unknown as JsonObject,
          },
        ],
      });
      if (!(await close(client))) throw new AlreadyClosed();
    });
    return true;
  } catch (error) {
    if (error instanceof AlreadyClosed) return false;
    throw error;
  }
}

/** Rolls the transaction back: another caller has closed the dead letter. */
class AlreadyClosed extends Error {}
