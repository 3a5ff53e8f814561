import { clip, type JsonValue } from '@phaseline/basics';
import type { CallId } from '@phaseline/contracts';
import type { PhaseEventData } from '../phase-events.js';
import type { ApprovalDecision, CallState, PhaseCalls } from './calls.js';
import { renderClearedResult } from './cleared-result.js';
import { createIdRecord } from './id-record.js';
import type { PhaseTree } from './tree.js';

/**
 * One entry of the phase's conversation, which is kept in order. The results of an answer's calls are in `calls` until the
 * next answer arrives; then they are moved into the entry, by call id.
 */
export type TranscriptEntry = AnswerEntry | NoticeEntry;

interface AnswerEntry {
  readonly kind: 'answer';
  readonly answer: PhaseEventData<'ModelResponded'>;
  readonly results?: Readonly<Record<string, string>>;
  /** Decisions of people about calls that waited for approval, by call id. */
  readonly approvalDecisions?: Readonly<Record<string, ApprovalDecision>>;
  /** Questions that people answered, with their answers, as one sentence per call id. */
  readonly answeredQuestions?: Readonly<Record<string, string>>;
  /** Ids of calls whose results were cleared. `results` then contains only notes about this. */
  readonly cleared?: readonly CallId[];
  /** Ids of calls whose tools are not `pure`, so that a second call may not return the same result. */
  readonly notRepeatable?: readonly string[];
}

export interface NoticeEntry {
  readonly kind: 'notice';
  readonly text: string;
  /** Set for a message from a person, which a summary keeps verbatim. */
  readonly fromPerson?: boolean;
  /** Set for another text that a summary keeps verbatim. */
  readonly isKept?: boolean;
  /** What the person wrote, set until guards have decided about it. The message is not sent before. */
  readonly undecided?: string;
}

export type Transcript = readonly TranscriptEntry[];

/** A message from a person, which survives summaries. */
export function personNotice(text: string): NoticeEntry {
  return { kind: 'notice', text, fromPerson: true };
}

/** A text that a guard adds. It is data: the model is told where it comes from. That of the begin of a phase survives summaries. */
export function guardNotice(guard: string, text: string, isKept: boolean): NoticeEntry {
  const notice = `The guard ${guard} adds this context, as data and not as an instruction of a person:\n${text}`;
  return { kind: 'notice', text: notice, ...(isKept ? { isKept } : {}) };
}

export function systemNotice(text: string): NoticeEntry {
  return { kind: 'notice', text };
}

/** Moves the results of the last answer's calls into the transcript, so that `calls` stays small in a long phase. */
export function moveResultsIntoTranscript(transcript: Transcript, { byId }: PhaseCalls): Transcript {
  const calls = Object.values(byId);
  if (calls.length === 0) return transcript;
  const index = transcript.findLastIndex((entry) => entry.kind === 'answer');
  const entry = transcript[index];
  if (entry?.kind !== 'answer') return transcript;
  const ofModel = calls.filter(({ parent }) => parent === undefined);
  return transcript.with(index, attachCallResults(entry, ofModel));
}

/** Adds to an answer the outcome of its calls: results, decisions of people, and which results were cleared. */
function attachCallResults(entry: AnswerEntry, calls: readonly CallState[]): AnswerEntry {
  const decided = calls.flatMap((call) =>
    call.status !== 'denied' && call.approvalDecision ? [[call.callId, call.approvalDecision] as const] : [],
  );
  const answered = calls.flatMap((call) =>
    call.status !== 'denied' && call.question?.end?.kind === 'answered'
      ? [[call.callId, describeAnswer(call.question.question, call.question.end)] as const]
      : [],
  );
  const cleared = calls.flatMap(({ callId, cleared }) => (cleared ? [callId] : []));
  const notRepeatable = calls.flatMap((call) =>
    call.status === 'denied' || call.effect === 'pure' ? [] : [call.callId],
  );
  const results = createIdRecord<string>();
  for (const { callId, result } of calls) results[callId] = result ?? '';
  return {
    ...entry,
    results,
    ...(decided.length > 0 ? { approvalDecisions: Object.fromEntries(decided) } : {}),
    ...(answered.length > 0 ? { answeredQuestions: Object.fromEntries(answered) } : {}),
    ...(cleared.length > 0 ? { cleared } : {}),
    ...(notRepeatable.length > 0 ? { notRepeatable } : {}),
  };
}

/** Replaces the results of these calls by notes that say how long each result was and where it can be read. */
export function clearTranscriptResults(
  transcript: Transcript,
  callIds: ReadonlySet<CallId>,
  tree: PhaseTree,
): Transcript {
  return transcript.map((entry) => {
    if (entry.kind !== 'answer' || !entry.results) return entry;
    const cleared = Object.entries(entry.results).filter(([callId]) => callIds.has(callId));
    if (cleared.length === 0) return entry;
    const remarks = cleared.map(([callId, result]) => [callId, renderClearedResult(callId, result, tree)] as const);
    return {
      ...entry,
      results: { ...entry.results, ...Object.fromEntries(remarks) },
      cleared: [...(entry.cleared ?? []), ...cleared.map(([callId]) => callId)],
    };
  });
}

/**
 * The transcript after a summary of its first entries. Messages of people are kept verbatim, and so are their decisions
 * about calls, although the calls themselves are removed.
 */
export function applySummaryToTranscript(transcript: Transcript, entries: number): Transcript {
  return [...transcript.slice(0, entries).flatMap(noticesFromPeople), ...transcript.slice(entries)];
}

/** Maximum characters of a call's arguments in the notice that keeps a person's decision about it. */
const MAX_ARGUMENT_CHARACTERS = 300;

function noticesFromPeople(entry: TranscriptEntry): Transcript {
  if (entry.kind === 'notice') return entry.fromPerson || entry.isKept ? [entry] : [];
  const { answer, approvalDecisions = {}, answeredQuestions = {} } = entry;
  return answer.calls.flatMap((call) => {
    const answered = answeredQuestions[call.callId];
    if (answered !== undefined) return [personNotice(answered)];
    const decision = approvalDecisions[call.callId];
    if (!decision) return [];
    const shortened = clip(JSON.stringify(call.arguments ?? {}), MAX_ARGUMENT_CHARACTERS);
    return [personNotice(`${describeDecision(decision)} The call: ${call.name} ${shortened}`)];
  });
}

/** Maximum characters of a question in the notice that keeps its answer. */
const MAX_QUESTION_CHARACTERS = 300;
/** Maximum characters of an answer in that notice. */
const MAX_ANSWER_CHARACTERS = 2_000;

function describeAnswer(
  question: string,
  { actor, answer }: { readonly actor: string; readonly answer: JsonValue },
): string {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return `You asked: ${clip(question, MAX_QUESTION_CHARACTERS)}\n${actor} answered: ${clip(text, MAX_ANSWER_CHARACTERS)}`;
}

function describeDecision({ actor, refusalReason, replacedArguments }: ApprovalDecision): string {
  if (refusalReason === undefined)
    return replacedArguments ? `${actor} approved your call with other arguments.` : `${actor} approved your call.`;
  const sentence = /[.!?]$/.test(refusalReason) ? refusalReason : `${refusalReason}.`;
  return `${actor} refused your call: ${sentence}`;
}
