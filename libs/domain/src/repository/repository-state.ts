import { assertNever } from '@phaseline/basics';
import type { JobId, Message } from '@phaseline/contracts';
import type { EventOf } from '../event/define-event.js';
import type { JobState } from '../job/job-state.js';
import type { repositoryEventDefinitions } from './repository-events.js';

export type RepositoryEvent = EventOf<(typeof repositoryEventDefinitions)[number]>;
type RepositoryEventData<Type extends RepositoryEvent['type']> = Extract<RepositoryEvent, { type: Type }>['data'];

/** A requested output, and what became of it. */
export interface RepositoryOutput {
  readonly request: RepositoryEventData<'RepositoryOutputRequested'>;
  /** Version of the job's stream at which it was requested. */
  readonly version: number;
  readonly made?: RepositoryEventData<'RepositoryOutputMade'>;
  readonly failure?: { readonly code: string; readonly message: string };
}

/** The repository of a job that was submitted with one. */
export interface RepositoryState {
  readonly imported?: RepositoryEventData<'RepositoryImported'>;
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
  /** The last recorded head. */
  readonly head?: string;
  /** Outputs by id, in the order of their requests. */
  readonly outputs: Readonly<Record<string, RepositoryOutput>>;
}

/** Folds an event about the repository of a job. */
export function evolveRepository(job: JobState, event: RepositoryEvent): RepositoryState {
  const state = job.repository ?? { outputs: {} };
  switch (event.type) {
    case 'RepositoryImported':
      return { ...state, imported: event.data, head: event.data.commit };
    case 'RepositoryImportFailed':
      return { ...state, failure: event.data };
    case 'RepositoryChanged':
      return { ...state, head: event.data.head };
    case 'RepositoryOutputRequested':
      return withOutput(state, event.data.output, { request: event.data, version: job.version + 1 });
    case 'RepositoryOutputMade':
      return withOutput(state, event.data.output, { made: event.data });
    case 'RepositoryOutputFailed': {
      const { output, code, message } = event.data;
      return withOutput(state, output, { failure: { code, message } });
    }
    default:
      return assertNever(event);
  }
}

function withOutput(state: RepositoryState, id: string, change: Partial<RepositoryOutput>): RepositoryState {
  const output = { ...state.outputs[id], ...change } as RepositoryOutput;
  return { ...state, outputs: { ...state.outputs, [id]: output } };
}

/** Whether the first phase has to wait until the repository is imported. */
export function awaitsImport(job: JobState): boolean {
  return job.submitted.repository !== undefined && job.repository?.imported === undefined;
}

/** The outputs that were requested and not made yet. */
export function listOpenOutputs(job: JobState): readonly RepositoryOutput[] {
  return Object.values(job.repository?.outputs ?? {}).filter(({ made, failure }) => !made && !failure);
}

/** The messages that a tool-runner has to receive for the repository of a job, according to its log. */
export function listRepositoryMessages(job: JobState): readonly Message<'repositories'>[] {
  const { jobId } = job.submitted;
  const hasEnded = job.status === 'completed' || job.status === 'failed' || job.status === 'cancelled';
  const isImportDue = awaitsImport(job) && !job.repository?.failure && !job.cancelRequested && !hasEnded;
  return [
    ...(isImportDue ? [buildRepositoryMessage(jobId, 'import')] : []),
    ...listOpenOutputs(job).map(({ request }) => buildRepositoryMessage(jobId, request.output)),
  ];
}

function buildRepositoryMessage(jobId: JobId, work: string): Message<'repositories'> {
  return { queue: 'repositories', payload: { jobId, work } };
}
