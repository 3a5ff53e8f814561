import { clip, toSingleLine, type JsonValue } from '@phaseline/basics';
import { readMember } from '@phaseline/checks';
import type { Completion } from '../phase/completion.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { PhaseReturn } from '../return/return-events.js';
import type { Transition } from '../workflow/workflow.js';
import type { BlockedItem, JobEvent } from './job-events.js';

/** Maximum number of items of a blocked job, and characters of each reason. The return has all. */
const MAX_ITEMS = 100;
const MAX_REASON_CHARACTERS = 500;

/** Builds the end of a job that its workflow blocks: the code, and what is blocked according to the return of the phase, or the items of the loop. */
export function buildJobBlocked(
  phase: PhaseState,
  outcome: string,
  { code, items: at }: Extract<Transition, { readonly end: unknown }>,
  returned: PhaseReturn | undefined,
  blocked: readonly BlockedItem[] = [],
): Extract<JobEvent, { type: 'JobFailed' }> {
  const { identity } = phase.start;
  const items =
    at === undefined || !returned ? blocked.slice(0, MAX_ITEMS) : readItems(readMember(returned.result, at));
  const list = items.length === 0 ? '' : `: ${items.map(({ id, reason }) => id ?? reason).join('; ')}`;
  const message = clip(`the outcome ${outcome} of ${identity.state} blocks the job${list}`, 2_000);
  return {
    type: 'JobFailed',
    data: {
      code: 'blocked',
      ...(code === undefined ? {} : { code }),
      message,
      end: 'blocked',
      ...(items.length > 0 ? { items: [...items] } : {}),
    },
  };
}

/** Reads a list of texts, or of objects with `id` and `reason`. Anything else is shown as it is. */
function readItems(value: JsonValue | undefined): readonly BlockedItem[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_ITEMS).map((one): BlockedItem => {
    const { id, reason } = typeof one === 'object' && one !== null && !Array.isArray(one) ? one : {};
    const text = typeof reason === 'string' ? reason : typeof one === 'string' ? one : JSON.stringify(one);
    return {
      ...(typeof id === 'string' || typeof id === 'number' ? { id: clip(String(id), 200) } : {}),
      reason: clip(toSingleLine(text), MAX_REASON_CHARACTERS),
    };
  });
}

/** Describes the completion of a job whose last phase ended with a return instead of `job_complete`. */
export function describeCompletion(returned: PhaseReturn | undefined): Completion {
  const summary = returned?.result['summary'];
  return { summary: typeof summary === 'string' ? summary : '', deliverables: [], confidence: 1, notes: '' };
}
