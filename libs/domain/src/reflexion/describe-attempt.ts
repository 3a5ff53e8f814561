import { clip, toSingleLine } from '@phaseline/basics';
import { getDeliverablePath } from '../agent/deliverable.js';
import { systemTools } from '../claim/system-calls.js';
import type { ItemState } from '../item/job-items.js';
import { archivedPatchPath } from '../item/roll-back.js';
import { OUTSIDE_FAILURES } from '../phase/failure-codes.js';
import { listCalls, type PhaseState } from '../phase/phase-state.js';
import type { LastAttempt } from './last-attempt.js';

/** Maximum number of calls, of files and of tests. Together with the lengths below they bound the size of the start of a phase. */
const MAX_CALLS = 16;
const MAX_NAMES = 24;
/** Maximum characters of the reason and of the task, of a name, and of the arguments and the result of a call. */
const MAX_TEXT_CHARACTERS = 1_000;
const MAX_NAME_CHARACTERS = 200;
const MAX_CALL_CHARACTERS = 160;

/**
 * Describes an attempt that failed, from the state of its last phase. `undefined` if it failed because of what is around the agent, such as its
 * model server: no assumption of the agent failed, so there is nothing to reflect on.
 */
export function describeLastAttempt(
  phase: PhaseState,
  kind: LastAttempt['kind'],
  reason: string,
): LastAttempt | undefined {
  if (phase.end?.kind === 'failed' && OUTSIDE_FAILURES.has(phase.end.code)) return undefined;
  const { identity, plan, workspace } = phase.start;
  return {
    phase: identity.phase,
    kind,
    task: clipLine(plan.item ? describeItem(plan.item) : (plan.objective ?? identity.name), MAX_TEXT_CHARACTERS),
    reason: clipLine(reason, MAX_TEXT_CHARACTERS),
    calls: listAttemptedCalls(phase),
    files: toNames([
      ...Object.keys(phase.work.changedFiles).sort(),
      ...(workspace.attempted?.phase ?? []).map(({ path }) => path),
      ...(plan.itemChanges ?? []).map(({ path }) => path),
      ...plan.deliverables.map(getDeliverablePath),
      ...phase.work.calls.slice(-MAX_CALLS).flatMap(listNamedFiles),
    ]),
    tests: toNames([...listItemTests(plan.item), ...listVerifierRuns(phase)]),
  };
}

/** Describes the failed attempts at an item that a person wants to be tried again. Their phases ended long ago. */
export function describeBlockedItem(item: ItemState): LastAttempt | undefined {
  if (item.reason === undefined || item.changedIn === undefined) return undefined;
  return {
    phase: item.changedIn,
    kind: 'job',
    task: clipLine(describeItem(item), MAX_TEXT_CHARACTERS),
    reason: clipLine(item.reason, MAX_TEXT_CHARACTERS),
    calls: [],
    files: [archivedPatchPath(item.id)],
    tests: toNames(listItemTests(item)),
  };
}

function describeItem({ id, description }: Pick<ItemState, 'id' | 'description'>): string {
  return `feature ${id}: ${description}`;
}

/** The ended calls of the model, and the calls of its last answer that were denied. */
function listAttemptedCalls(phase: PhaseState): LastAttempt['calls'] {
  const isOfSystem = (name: string): boolean => (Object.values(systemTools) as readonly string[]).includes(name);
  const ended = phase.work.calls
    .filter(({ name }) => !isOfSystem(name))
    .slice(-MAX_CALLS)
    .map(({ callId, name, arguments: args, outcome }) => {
      const result = findResult(phase, callId);
      return { name, arguments: clipLine(JSON.stringify(args), MAX_CALL_CHARACTERS), outcome, ...result };
    });
  const denied = listCalls(phase).flatMap((call) =>
    call.status === 'denied'
      ? [
          {
            name: call.name,
            arguments: '',
            outcome: 'denied' as const,
            result: clipLine(call.result, MAX_CALL_CHARACTERS),
          },
        ]
      : [],
  );
  return [...ended, ...denied].slice(-MAX_CALLS);
}

function findResult({ calls, conversation }: PhaseState, callId: string): { readonly result?: string } {
  const current = Object.hasOwn(calls.byId, callId) ? calls.byId[callId]?.result : undefined;
  const earlier = conversation.transcript.findLast(
    (entry) => entry.kind === 'answer' && entry.results !== undefined && Object.hasOwn(entry.results, callId),
  );
  const result = current ?? (earlier?.kind === 'answer' ? earlier.results?.[callId] : undefined);
  return result === undefined ? {} : { result: clipLine(result, MAX_CALL_CHARACTERS) };
}

/** Something in the arguments of a call that is the path of a file, such as one that the agent looked for in vain. */
const FILE_PATH = /^[\w@.-]*(?:\/[\w@.-]+|\.[A-Za-z]\w{0,7})$/;

/** The files that a call names. */
function listNamedFiles({ arguments: args }: PhaseState['work']['calls'][number]): readonly string[] {
  const texts = Object.values(args).flat();
  return texts.filter((text): text is string => typeof text === 'string' && FILE_PATH.test(text));
}

/** The cases that prove an item, and the verifiers that run them. */
function listItemTests(item: Pick<ItemState, 'checks'> | undefined): readonly string[] {
  return (item?.checks ?? []).flatMap(({ verifier, tests = [] }) => [...tests, verifier]);
}

/** The names of the verifiers that ran in the attempt. */
function listVerifierRuns({ work }: PhaseState): readonly string[] {
  return work.calls.flatMap(({ name, arguments: args }) =>
    name === systemTools.verifier && typeof args['name'] === 'string' ? [args['name']] : [],
  );
}

/** Returns the first names, each once. Long ones are left out, because a part of a name is another name. */
function toNames(names: readonly string[]): string[] {
  return [...new Set(names)].filter(({ length }) => length > 0 && length <= MAX_NAME_CHARACTERS).slice(0, MAX_NAMES);
}

function clipLine(text: string, maxCharacters: number): string {
  return clip(toSingleLine(text), maxCharacters);
}
