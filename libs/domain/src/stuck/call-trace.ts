import { toCanonicalJson } from '@phaseline/basics';
import { normaliseArguments, normaliseQuestion, extractWords } from './normalise-arguments.js';
import type { EndedCall } from './ended-call.js';
import { computeFingerprint, sampleFingerprints } from './fingerprint.js';
import {
  isBriefResult,
  isSilentExitOne,
  isWaitingCall,
  isTransientFailure,
  isEmptyResult,
  isNotReady,
  isReportedFailure,
} from './classify-result.js';
import { fingerprintFailure, fingerprintLines } from './fingerprint-result.js';

/** Kinds of results. `waiting`: not ready yet, or a call that only let time pass; neither news nor idleness. */
type ResultKind = 'failed' | 'waiting' | 'nothing' | 'brief' | 'full';

/**
 * How much a call contributed. `new`: something not seen before. `weak`: a negative answer to another question, or different
 * access to content seen before. `again`: something seen before. `new-failure`: a failure of a kind not seen before.
 */
type Novelty = 'new' | 'weak' | 'again' | 'new-failure';

/** Fingerprints by which an ended call is compared with others, and the result of the comparison. */
export interface CallTrace {
  readonly name: string;
  /** Fingerprints of the arguments: exact, and normalised so that cosmetic differences do not count. */
  readonly exactFingerprint: number;
  readonly normalisedFingerprint: number;
  /** Fingerprint of the question. Calls that ask the same question have the same fingerprint. */
  readonly questionFingerprint: number;
  readonly words: readonly number[];
  readonly result: number;
  /** Sample of the result's line fingerprints; empty if there are too few. */
  readonly lines: readonly number[];
  readonly kind: ResultKind;
  /** Set for a transient failure. */
  readonly isTransient?: true;
  /** Fingerprint of path and content, for each file that the call wrote. */
  readonly files: readonly number[];
  readonly novelty: Novelty;
  /** Whether this exact call was not made before, within the remembered steps. */
  readonly isFirst: boolean;
  /**
   * Whether the same question was asked before, its result is still in the conversation, and no call since then changed
   * anything that could change the answer.
   */
  readonly isRepeated: boolean;
  /** Whether the call may have changed something: it wrote a file or ran a tool with an effect, for the first time with these arguments. */
  readonly mayHaveChangedState: boolean;
  /** Set when the result was cleared from the conversation, so that asking again makes sense. */
  readonly isCleared?: true;
}

const WORD_SAMPLE_SIZE = 8;
/**
 * One in this many lines is sampled, chosen by fingerprint rather than by place, so that a part of a text and the full
 * text sample the same lines.
 */
const LINE_SAMPLE_RATE = 2;
const MAX_SAMPLE_LINES = 40;
/** Minimum lines in a sample. A result with fewer lines is compared by its complete text. */
const MIN_SAMPLE_LINES = 2;

/** The part of a trace that does not depend on other calls. */
type OwnTrace = Omit<CallTrace, 'novelty' | 'isFirst' | 'isRepeated' | 'mayHaveChangedState' | 'isCleared'>;

/** Cache per call: the calls of a watch stay the same objects during a phase, so each text is read only once. */
const ownTraces = new WeakMap<EndedCall, OwnTrace>();

/** Traces an ended call. `before` are the traces that it is compared with, oldest first. */
export function traceCall(call: EndedCall, gone: boolean, before: readonly CallTrace[]): CallTrace {
  const own = ownTraces.get(call) ?? traceAlone(call);
  ownTraces.set(call, own);
  const mine = before.filter(({ name }) => name === own.name);
  const asked = mine.some(({ questionFingerprint }) => questionFingerprint === own.questionFingerprint);
  return {
    ...own,
    novelty: worthOf(own, mine, call.effect !== 'pure'),
    isFirst: !mine.some(({ exactFingerprint }) => exactFingerprint === own.exactFingerprint),
    isRepeated: asked && isRepeated(own, before),
    mayHaveChangedState: !asked && mayChange(call, own),
    ...(gone ? { isCleared: gone } : {}),
  };
}

function isRepeated({ name, questionFingerprint }: OwnTrace, before: readonly CallTrace[]): boolean {
  const last = before.findLastIndex(
    (other) => other.name === name && other.questionFingerprint === questionFingerprint && !other.isCleared,
  );
  return last >= 0 && !before.slice(last + 1).some(({ mayHaveChangedState }) => mayHaveChangedState);
}

/** Whether the call may have changed something. Calls that only wait are judged by their number instead. */
function mayChange({ effect }: EndedCall, { kind, files }: OwnTrace): boolean {
  return files.length > 0 || (effect !== 'pure' && kind !== 'failed' && kind !== 'waiting');
}

function traceAlone(call: EndedCall): OwnTrace {
  const { name, content, files, arguments: args } = call;
  const kind = kindOf(call);
  const lines = kind === 'failed' ? [] : fingerprintLines(content, args);
  return {
    name,
    exactFingerprint: computeFingerprint(toCanonicalJson(args)),
    normalisedFingerprint: computeFingerprint(normaliseArguments(args)),
    questionFingerprint: computeFingerprint(normaliseQuestion(args)),
    words: sampleFingerprints(extractWords(args), WORD_SAMPLE_SIZE),
    result: kind === 'failed' ? fingerprintFailure(content, args) : combineLines(lines),
    lines: sampleOfLines(lines),
    kind,
    ...(kind === 'failed' && isTransientFailure(content) ? { isTransient: true as const } : {}),
    files,
  };
}

function sampleOfLines(lines: readonly number[]): readonly number[] {
  const sample = [...new Set(lines.filter((line) => line % LINE_SAMPLE_RATE === 0))];
  return sample.length < MIN_SAMPLE_LINES ? [] : sample.slice(0, MAX_SAMPLE_LINES);
}

function combineLines(lines: readonly number[]): number {
  return lines.reduce((sum, line) => (Math.imul(sum, 31) + line) >>> 0, 7);
}

function kindOf({ name, arguments: args, content, failed }: EndedCall): ResultKind {
  if (failed || (isReportedFailure(content) && !isSilentExitOne(content))) return 'failed';
  if (isWaitingCall(name, args) || isNotReady(content)) return 'waiting';
  if (isEmptyResult(content)) return 'nothing';
  return isBriefResult(content) ? 'brief' : 'full';
}

/**
 * Judges what a call contributed. `mine` are earlier calls of the same tool; `acts` means that the tool may change
 * something that is not visible here.
 */
function worthOf(call: OwnTrace, mine: readonly CallTrace[], acts: boolean): Novelty {
  const seen = mine.filter((other) => !other.isCleared);
  const alike = seen.filter(({ result }) => result === call.result);
  if (call.kind === 'failed') return alike.length > 0 ? 'again' : 'new-failure';
  const same = seen.some(({ exactFingerprint }) => exactFingerprint === call.exactFingerprint);
  const looks = alike.filter(({ exactFingerprint }) => exactFingerprint === call.exactFingerprint).length;
  if (looks > 0) return looks === 1 && call.kind !== 'waiting' ? 'weak' : 'again';
  if (call.kind === 'waiting' && alike.length > 0) return 'again';
  // The same question with another answer: something has changed.
  if (same) return 'new';
  if (mostLinesSeen(call, seen)) return 'again';
  if (call.files.length > 0)
    return call.files.every((file) => mine.some(({ files }) => files.includes(file))) ? 'again' : 'new';
  if (alike.length === 0) return 'new';
  // A different question with an answer seen before.
  if (alike.some(({ normalisedFingerprint }) => normalisedFingerprint === call.normalisedFingerprint)) return 'again';
  if (call.kind === 'full') return 'again';
  if (call.kind === 'brief') return acts || !alike.some((other) => sharesWords(other, call)) ? 'new' : 'again';
  return alike.some((other) => sharesWords(other, call, commonWords(alike))) ? 'again' : 'weak';
}

/** Words that all of these calls contain, such as a program or a folder. They do not distinguish calls. */
function commonWords(calls: readonly CallTrace[]): ReadonlySet<number> {
  const [first, ...rest] = calls;
  if (!first || rest.length < 2) return new Set();
  return new Set(first.words.filter((word) => rest.every(({ words }) => words.includes(word))));
}

/** Share of a result's lines that must have been seen before for the result to count as seen. */
const MIN_SEEN_SHARE = 0.8;
/** Number of earlier calls of the tool with which a result is compared line by line. */
const MAX_COMPARED_CALLS = 24;

function mostLinesSeen({ lines }: OwnTrace, seen: readonly CallTrace[]): boolean {
  if (lines.length === 0) return false;
  const knownLines = new Set(seen.slice(-MAX_COMPARED_CALLS).flatMap((other) => other.lines));
  return lines.filter((line) => knownLines.has(line)).length >= lines.length * MIN_SEEN_SHARE;
}

/** Whether two calls ask for roughly the same thing. */
function sharesWords(
  one: Pick<CallTrace, 'words'>,
  other: Pick<CallTrace, 'words'>,
  common: ReadonlySet<number> = new Set(),
): boolean {
  const [mine, theirs] = [one, other].map(({ words }) => words.filter((word) => !common.has(word))) as [
    number[],
    number[],
  ];
  const smaller = Math.min(mine.length, theirs.length);
  if (smaller === 0) return mine.length === theirs.length && common.size > 0;
  return mine.filter((word) => theirs.includes(word)).length >= smaller * 0.4;
}
