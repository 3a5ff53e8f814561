import { assertNever } from '@phaseline/basics';
import type { JobState } from '../job/job-state.js';
import type { RepositoryEvent, RepositoryOutput, RepositoryState } from './repository-state.js';

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
