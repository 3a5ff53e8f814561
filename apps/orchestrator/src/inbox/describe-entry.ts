import type { InboxItem } from '@phaseline/client';
import { isAsking, isAwaitingApproval, type AdmittedCall, type PhaseState } from '@phaseline/domain';
import { isUnreachable, type EventStore } from '@phaseline/event-store';
import { hashArguments } from '@phaseline/orchestration';
import type { InboxEntry } from '@phaseline/projections';
import type { JobRepository } from '@phaseline/repository';
import { describeFileChange } from './describe-file-change.js';

export interface DescribeParts {
  readonly repository: Pick<JobRepository, 'loadPhase'>;
  readonly store: Pick<EventStore, 'blobs'>;
}

/**
 * Adds the content of an entry from the log: the read model contains none, so that it reveals nothing of encrypted jobs. Returns
 * undefined if a person has decided it meanwhile.
 */
export async function describeEntry(entry: InboxEntry, parts: DescribeParts): Promise<InboxItem | undefined> {
  const phase = await loadPhase(entry, parts);
  if (typeof phase === 'string') return { ...entry, unreadableReason: phase };
  const call = phase?.calls.byId[entry.callId];
  if (!phase || !call || phase.end) return undefined;
  if (isAsking(call)) {
    const { question, options, schema, default: fallback, questionHash, askedAt, deadlineAt } = call.question;
    return {
      ...entry,
      askedAt,
      deadlineAt,
      question: { text: question, options, schema, default: fallback, questionHash },
    };
  }
  return isAwaitingApproval(call)
    ? { ...entry, approval: await describeApproval(entry, phase, call, parts) }
    : undefined;
}

async function describeApproval(
  { jobId }: InboxEntry,
  phase: PhaseState,
  call: AdmittedCall,
  { store }: DescribeParts,
): Promise<NonNullable<InboxItem['approval']>> {
  const change = await describeFileChange(phase.tree, call, store.blobs.forJob(jobId));
  return {
    tool: call.name,
    arguments: call.arguments,
    argumentsHash: hashArguments(call.arguments),
    ...(change ? { change } : {}),
  };
}

/** Returns the phase, or why it cannot be read. */
async function loadPhase(
  { jobId, phase }: InboxEntry,
  { repository }: DescribeParts,
): Promise<PhaseState | string | undefined> {
  try {
    return await repository.loadPhase(jobId, phase);
  } catch (error) {
    if (isUnreachable(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
