import { randomUUID } from 'node:crypto';
import { CodedError, type JsonObject } from '@phaseline/basics';
import { getActorName, type Actor, type EventId, type LearningTraceScope } from '@phaseline/contracts';
import {
  findAdministrationCatalogue,
  foldScope,
  getAdministrationVersion,
  learningTraceStream,
  promoteTrace,
  withdrawTrace,
  type PromotedTrace,
  type PromotionDecision,
  type PromotionEvent,
} from '@phaseline/domain';
import { WrongExpectedVersion, type EventStore, type Queryable } from '@phaseline/event-store';
import type { LearningTrace } from '../traces/learning-trace.js';
import { findTracedJob } from '../traces/traced-job.js';

/** Conflicting changes of the same learning trace in a row; people make them. */
const MAX_CONFLICTS = 5;

/** A learning trace cannot be promoted by this person. */
export class PromotionRefused extends CodedError {
  readonly code = 'promotion_refused';
}

/** A scope that was recorded, or that the learning trace had before. */
export interface ScopeChange {
  readonly isChanged: boolean;
  readonly scope: LearningTraceScope;
}

/** Promotions of learning traces, each in a stream of its own. The table of learning traces follows within seconds. */
export class TracePromotions {
  constructor(
    private readonly database: Queryable,
    private readonly store: Pick<EventStore, 'append' | 'read'>,
  ) {}

  /** Lets agents of other jobs of the tenant read a learning trace. Throws PromotionRefused. */
  promote(
    trace: LearningTrace,
    { to, reason }: { readonly to: Exclude<LearningTraceScope, 'job'>; readonly reason: string },
    actor: Actor,
  ): Promise<ScopeChange> {
    return this.change(trace, actor, (scope, promoted) =>
      promoteTrace(scope, promoted, to, { actor: getActorName(actor), reason }),
    );
  }

  /** Takes the promotion of a learning trace back. */
  withdraw(trace: LearningTrace, reason: string, actor: Actor): Promise<ScopeChange> {
    return this.change(trace, actor, (scope, promoted) =>
      withdrawTrace(scope, promoted, { actor: getActorName(actor), reason }),
    );
  }

  private async change(
    { id, jobId, tenant }: LearningTrace,
    actor: Actor,
    decide: (scope: LearningTraceScope, trace: PromotedTrace) => PromotionDecision,
  ): Promise<ScopeChange> {
    const job = await findTracedJob(this.database, jobId);
    if (!job) throw new PromotionRefused('the log no longer has the job of the learning trace');
    const streamId = learningTraceStream(id);
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const recorded = await this.store.read(streamId);
      const before = recorded.map((event) => findAdministrationCatalogue(streamId)!.decode(event) as PromotionEvent);
      const decided = decide(foldScope(before), { trace: id, jobId, tenant, person: job.person });
      if ('refused' in decided) throw new PromotionRefused(decided.refused);
      const scope = foldScope([...before, ...decided.events]);
      if (decided.events.length === 0) return { isChanged: false, scope };
      try {
        await this.store.append({
          streamId,
          // The stream belongs to no job, so that nothing that reads a job reads it.
          correlationId: streamId as string,
          expectedVersion: recorded.length,
          events: decided.events.map(({ type, data }) => ({
            ...{ eventId: randomUUID() as EventId, type, schemaVersion: getAdministrationVersion(type) },
            data: data as unknown as JsonObject,
            metadata: { actor } as unknown as JsonObject,
          })),
        });
        return { isChanged: true, scope };
      } catch (error) {
        if (!(error instanceof WrongExpectedVersion)) throw error;
      }
    }
    throw new PromotionRefused('others changed the learning trace meanwhile; show it and try again');
  }
}
