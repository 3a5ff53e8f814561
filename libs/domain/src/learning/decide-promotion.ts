import type { EventId, JobId, LearningTraceScope } from '@phaseline/contracts';
import type { PromotionEvent } from './promotion-events.js';

/** The learning trace that a person promotes or withdraws. */
export interface PromotedTrace {
  readonly trace: EventId;
  readonly jobId: JobId;
  readonly tenant: string;
  /** Person for whom its job was submitted. */
  readonly person: string;
}

/** Who changes a scope, and why. */
export interface PromotionRequest {
  readonly actor: string;
  readonly reason: string;
}

/** Events to record, none if nothing changes; or why the change is refused. */
export type PromotionDecision = { readonly events: readonly PromotionEvent[] } | { readonly refused: string };

/** Returns the scope of a learning trace after its events; without one, only its own job may read it. */
export function foldScope(events: readonly PromotionEvent[]): LearningTraceScope {
  const last = events.at(-1);
  return last?.type === 'LearningTracePromoted' ? last.data.to : 'job';
}

/** Lets agents of other jobs read a learning trace. The person for whom its job ran cannot: another one reviews what their agents say. */
export function promoteTrace(
  scope: LearningTraceScope,
  { person, ...trace }: PromotedTrace,
  to: Exclude<LearningTraceScope, 'job'>,
  request: PromotionRequest,
): PromotionDecision {
  if (scope === to) return { events: [] };
  if (person === request.actor)
    return { refused: `the job of the learning trace ran for ${person}; another person has to promote it` };
  return { events: [{ type: 'LearningTracePromoted', data: { ...trace, ...request, from: scope, to } }] };
}

/** Takes the promotion of a learning trace back. */
export function withdrawTrace(
  scope: LearningTraceScope,
  { person: _person, ...trace }: PromotedTrace,
  request: PromotionRequest,
): PromotionDecision {
  if (scope === 'job') return { events: [] };
  return { events: [{ type: 'LearningTraceWithdrawn', data: { ...trace, ...request, from: scope } }] };
}
