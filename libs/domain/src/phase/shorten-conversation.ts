import { clip } from '@phaseline/basics';
import { resultPath } from '../tool-call/stored-result.js';
import type { CallState, ApprovalDecision, PhaseState, TranscriptEntry } from './phase-state.js';

/** Maximum characters of a call's arguments in the notice that keeps a person's decision about it. */
const MAX_ARGUMENT_CHARACTERS = 300;

/** Adds to an answer the outcome of its calls: results, decisions of people, and which results were cleared. */
export function attachCallResults(
  entry: Extract<TranscriptEntry, { kind: 'answer' }>,
  calls: readonly CallState[],
): TranscriptEntry {
  const decided = calls.flatMap(({ callId, approvalDecision }) =>
    approvalDecision ? [[callId, approvalDecision] as const] : [],
  );
  const cleared = calls.flatMap(({ callId, cleared }) => (cleared ? [callId] : []));
  const notRepeatable = calls.flatMap(({ callId, effect }) => (effect === 'pure' ? [] : [callId]));
  return {
    ...entry,
    results: Object.fromEntries(calls.map(({ callId, result }) => [callId, result ?? ''])),
    ...(decided.length > 0 ? { approvalDecisions: Object.fromEntries(decided) } : {}),
    ...(cleared.length > 0 ? { cleared } : {}),
    ...(notRepeatable.length > 0 ? { notRepeatable } : {}),
  };
}

/**
 * Replaces these results by a remark that says how long the result was and where it can be read. Results of the last answer
 * are in `calls`, all others in the transcript.
 */
export function clearResults(
  { transcript, calls, tree }: PhaseState,
  callIds: ReadonlySet<string>,
): Pick<PhaseState, 'transcript' | 'calls'> {
  const renderRemark = (callId: string, result: string): string => {
    const path = resultPath(callId);
    return clearedRemark(result, Object.hasOwn(tree, path) ? { path, size: tree[path]!.size } : undefined);
  };
  return {
    transcript: transcript.map((entry) => {
      if (entry.kind !== 'answer' || !entry.results) return entry;
      const mine = Object.keys(entry.results).filter((callId) => callIds.has(callId));
      if (mine.length === 0) return entry;
      const remarks = mine.map((callId) => [callId, renderRemark(callId, entry.results?.[callId] ?? '')] as const);
      return {
        ...entry,
        results: { ...entry.results, ...Object.fromEntries(remarks) },
        cleared: [...(entry.cleared ?? []), ...mine],
      };
    }),
    calls: Object.values(calls).some(({ callId }) => callIds.has(callId))
      ? Object.fromEntries(
          Object.entries(calls).map(([callId, call]) => [
            callId,
            callIds.has(callId) && call.result !== undefined
              ? { ...call, result: renderRemark(callId, call.result), cleared: true as const }
              : call,
          ]),
        )
      : calls,
  };
}

/** Text that replaces a cleared result. */
function clearedRemark(result: string, file: { readonly path: string; readonly size: number } | undefined): string {
  return file
    ? `[Cleared: ${file.size} bytes, stored in ${file.path}.]`
    : `[Cleared: ${result.length} characters. Repeat the call if you need them.]`;
}

/**
 * The transcript after a summary of its first entries. Messages of people are kept verbatim, and so are their decisions
 * about calls, although the calls themselves are removed.
 */
export function applySummaryToTranscript(
  transcript: readonly TranscriptEntry[],
  entries: number,
): readonly TranscriptEntry[] {
  return [...transcript.slice(0, entries).flatMap(noticesFromPeople), ...transcript.slice(entries)];
}

function noticesFromPeople(entry: TranscriptEntry): readonly TranscriptEntry[] {
  if (entry.kind === 'notice') return entry.fromPerson ? [entry] : [];
  const { answer, approvalDecisions = {} } = entry;
  return answer.calls.flatMap((call) => {
    const decision = approvalDecisions[call.callId];
    if (!decision) return [];
    const shortened = clip(JSON.stringify(call.arguments ?? {}), MAX_ARGUMENT_CHARACTERS);
    return [
      {
        kind: 'notice',
        text: `${describeDecision(decision)} The call: ${call.name} ${shortened}`,
        fromPerson: true,
      } as const,
    ];
  });
}

function describeDecision({ actor, refusalReason }: ApprovalDecision): string {
  return refusalReason === undefined
    ? `${actor} approved your call.`
    : `${actor} refused your call: ${/[.!?]$/.test(refusalReason) ? refusalReason : `${refusalReason}.`}`;
}
