import type { InboxItem } from '@phaseline/client';
import {
  isAsking,
  isAwaitingApproval,
  listBlockedTodos,
  type AdmittedCall,
  type JobState,
  type PhaseState,
} from '@phaseline/domain';
import { isUnreachable, type EventStore } from '@phaseline/event-store';
import { hashArguments } from '@phaseline/orchestration';
import type { BlockedJobEntry, BlockedTodoEntry, InboxEntry, WaitingCallEntry } from '@phaseline/projections';
import type { JobRepository } from '@phaseline/repository';
import { describeFileChange } from './describe-file-change.js';
import { findCitedSources } from './find-cited-sources.js';

export interface DescribeParts {
  readonly repository: Pick<JobRepository, 'loadJob' | 'loadPhase'>;
  readonly store: Pick<EventStore, 'blobs'>;
}

/**
 * Adds the content of an entry from the log: the read model contains none, so that it reveals nothing of encrypted jobs. Returns
 * undefined if a person has decided it meanwhile.
 */
export async function describeEntry(entry: InboxEntry, parts: DescribeParts): Promise<InboxItem | undefined> {
  const { repository } = parts;
  const { jobId } = entry;
  if (entry.kind === 'blocked-job') return describeBlockedJob(entry, await tryRead(() => repository.loadJob(jobId)));
  const phase = await tryRead(() => repository.loadPhase(jobId, entry.phase));
  if (entry.kind === 'blocked-todo') return describeBlockedTodo(entry, phase);
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

function describeBlockedJob(entry: BlockedJobEntry, job: JobState | string | undefined): InboxItem | undefined {
  if (typeof job === 'string') return { ...entry, unreadableReason: job };
  // A person has retried it meanwhile. An erased job cannot be retried.
  if (job?.status !== 'blocked' || !job.failure || job.erased) return undefined;
  const { code, message, items } = job.failure;
  return { ...entry, blocked: { code, message, ...(items ? { items } : {}) } };
}

function describeBlockedTodo(
  { todoId, ...entry }: BlockedTodoEntry,
  phase: PhaseState | string | undefined,
): InboxItem | undefined {
  if (typeof phase === 'string') return { ...entry, unreadableReason: phase };
  if (!phase || phase.end) return undefined;
  const todo = listBlockedTodos(phase.todos.list).find(({ id }) => id === todoId);
  return todo && { ...entry, todo: { id: todoId, content: todo.content, reason: todo.blocked } };
}

async function describeApproval(
  { jobId }: WaitingCallEntry,
  phase: PhaseState,
  call: AdmittedCall,
  { store }: DescribeParts,
): Promise<NonNullable<InboxItem['approval']>> {
  const blobs = store.blobs.forJob(jobId);
  const change = await describeFileChange(phase.tree, call, blobs);
  const sources = await findCitedSources(phase.tree, call.arguments, blobs);
  return {
    tool: call.name,
    arguments: call.arguments,
    argumentsHash: hashArguments(call.arguments),
    ...(call.reason === undefined ? {} : { reason: call.reason }),
    ...(call.guardNotes && call.guardNotes.length > 0 ? { guardNotes: call.guardNotes } : {}),
    ...(sources.length > 0 ? { sources: [...sources] } : {}),
    ...(change ? { change } : {}),
  };
}

/** Returns the state that `read` loads, or why it cannot be read. */
async function tryRead<State>(read: () => Promise<State>): Promise<State | string> {
  try {
    return await read();
  } catch (error) {
    if (isUnreachable(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
