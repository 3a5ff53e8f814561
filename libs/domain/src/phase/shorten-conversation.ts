import { resultPath } from '../tool-call/kept-result.js';
import type { CallState, Judgement, PhaseState, TranscriptEntry } from './phase-state.js';

/** A decision is told again in a line of its own, so what it was about is told in short. */
const ARGUMENTS_SHOWN = 300;

/** An answer with what became of its calls: their results, what people decided about them, and which were cleared. */
export function settledAnswer(
  entry: Extract<TranscriptEntry, { kind: 'answer' }>,
  calls: readonly CallState[],
): TranscriptEntry {
  const judged = calls.flatMap(({ callId, judgement }) => (judgement ? [[callId, judgement] as const] : []));
  const gone = calls.flatMap(({ callId, cleared }) => (cleared ? [callId] : []));
  return {
    ...entry,
    results: Object.fromEntries(calls.map(({ callId, result }) => [callId, result ?? ''])),
    ...(judged.length > 0 ? { judgements: Object.fromEntries(judged) } : {}),
    ...(gone.length > 0 ? { cleared: gone } : {}),
  };
}

/**
 * Transcript and calls with these results replaced by a remark: how much was there, and where it can be read. Those of the
 * last answer stand in `calls`, all others in the transcript.
 */
export function withoutResults(
  { transcript, calls, tree }: PhaseState,
  callIds: ReadonlySet<string>,
): Pick<PhaseState, 'transcript' | 'calls'> {
  const remark = (callId: string, result: string): string => {
    const path = resultPath(callId);
    return clearedRemark(result, Object.hasOwn(tree, path) ? { path, size: tree[path]!.size } : undefined);
  };
  return {
    transcript: transcript.map((entry) => {
      if (entry.kind !== 'answer' || !entry.results) return entry;
      const mine = Object.keys(entry.results).filter((callId) => callIds.has(callId));
      if (mine.length === 0) return entry;
      const remarks = mine.map((callId) => [callId, remark(callId, entry.results?.[callId] ?? '')] as const);
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
              ? { ...call, result: remark(callId, call.result), cleared: true as const }
              : call,
          ]),
        )
      : calls,
  };
}

/** What takes the place of a cleared result. */
function clearedRemark(result: string, file: { readonly path: string; readonly size: number } | undefined): string {
  return file
    ? `[Cleared: ${file.size} bytes, all in ${file.path}.]`
    : `[Cleared: ${result.length} characters. Call again if you need them.]`;
}

/**
 * The transcript behind a summary of its first entries. What people said stays word for word, and so does what they
 * decided about calls, although the calls themselves are gone.
 */
export function behindSummary(transcript: readonly TranscriptEntry[], entries: number): readonly TranscriptEntry[] {
  return [...transcript.slice(0, entries).flatMap(wordsOfPeople), ...transcript.slice(entries)];
}

function wordsOfPeople(entry: TranscriptEntry): readonly TranscriptEntry[] {
  if (entry.kind === 'notice') return entry.kept ? [entry] : [];
  const { answer, judgements = {} } = entry;
  return answer.calls.flatMap((call) => {
    const judgement = judgements[call.callId];
    if (!judgement) return [];
    const args = JSON.stringify(call.arguments ?? {});
    const shown = args.length > ARGUMENTS_SHOWN ? `${args.slice(0, ARGUMENTS_SHOWN).toWellFormed()}…` : args;
    return [
      { kind: 'notice', text: `${decisionOf(judgement)} Your call was ${call.name} ${shown}`, kept: true } as const,
    ];
  });
}

function decisionOf({ actor, refused }: Judgement): string {
  return refused === undefined
    ? `${actor} allowed a call of yours.`
    : `${actor} refused a call of yours: ${/[.!?]$/.test(refused) ? refused : `${refused}.`}`;
}
