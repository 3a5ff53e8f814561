import { canonicalArguments, looseArguments, questionOf, wordsOf } from './call-key.js';
import type { EndedCall } from './ended-call.js';
import { fingerprint, sampleOf } from './fingerprint.js';
import {
  isBrief,
  isQuietNo,
  letsTimePass,
  mayPass,
  saysNothing,
  saysNotReady,
  tellsOfFailure,
} from './kinds-of-result.js';
import { failurePrint, linesOf } from './plain-result.js';

/** Kinds of results. `waiting`: not ready yet, or a call that only let time pass; it is no news, but no idleness either. */
export type ResultKind = 'failed' | 'waiting' | 'nothing' | 'brief' | 'full';

/**
 * What a call brought: `new` what was not there before, `weak` a no to another question or a second look at the same,
 * `again` what was there already, `failed-anew` a failure of a kind not seen before.
 */
export type Worth = 'new' | 'weak' | 'again' | 'failed-anew';

/** What an ended call is compared by with others, and what came of that. */
export interface CallTrace {
  readonly name: string;
  /** Of the arguments as they are, and of them without what makes no other call. */
  readonly exact: number;
  readonly loose: number;
  /** Fingerprint of the question: calls with the same one ask the same thing. */
  readonly question: number;
  readonly words: readonly number[];
  readonly result: number;
  /** A sample of the lines of the result; empty where it has too few. */
  readonly lines: readonly number[];
  readonly kind: ResultKind;
  /** A failure of a kind that passes by itself. */
  readonly passing?: true;
  /** Of each file that it wrote: path and content. */
  readonly files: readonly number[];
  readonly worth: Worth;
  /** Nobody made this very call before, as far back as is looked. */
  readonly tried: boolean;
  /**
   * The same question was asked before, its result can still be read in the conversation, and no call since then changed anything that
   * could change the answer.
   */
  readonly repeated: boolean;
  /** It may have changed something: it wrote a file or ran a tool with an effect, for the first time with these arguments. */
  readonly changes: boolean;
  /** Its result was taken out of the conversation, so that asking again makes sense. */
  readonly gone?: true;
}

const WORDS = 8;
/** Every second line is kept, by its fingerprint and not by its place: so a part of a text has part of the text's sample. */
const EVERY = 2;
const MOST_LINES = 40;
/** A result with fewer lines in its sample is compared as a whole. */
const FEWEST_LINES = 2;

/** What does not depend on other calls. */
type Bare = Omit<CallTrace, 'worth' | 'tried' | 'repeated' | 'changes' | 'gone'>;

/** Texts are read once for each call: the calls of a watch stay the same objects while the phase goes on. */
const known = new WeakMap<EndedCall, Bare>();

/** The trace of a call that has ended; `before` are the traces that it is held against, oldest first. */
export function traceOf(call: EndedCall, gone: boolean, before: readonly CallTrace[]): CallTrace {
  const bare = known.get(call) ?? bareOf(call);
  known.set(call, bare);
  const mine = before.filter(({ name }) => name === bare.name);
  const asked = mine.some(({ question }) => question === bare.question);
  return {
    ...bare,
    worth: worthOf(bare, mine, call.effect !== 'pure'),
    tried: !mine.some(({ exact }) => exact === bare.exact),
    repeated: asked && isRepeated(bare, before),
    changes: !asked && mayChange(call, bare),
    ...(gone ? { gone } : {}),
  };
}

function isRepeated({ name, question }: Bare, before: readonly CallTrace[]): boolean {
  const last = before.findLastIndex((other) => other.name === name && other.question === question && !other.gone);
  return last >= 0 && !before.slice(last + 1).some(({ changes }) => changes);
}

/** A call that only lets time pass is judged by how often it is made. */
function mayChange({ effect }: EndedCall, { kind, files }: Bare): boolean {
  return files.length > 0 || (effect !== 'pure' && kind !== 'failed' && kind !== 'waiting');
}

function bareOf(call: EndedCall): Bare {
  const { name, content, files, arguments: args } = call;
  const kind = kindOf(call);
  const lines = kind === 'failed' ? [] : linesOf(content, args);
  return {
    name,
    exact: fingerprint(canonicalArguments(args)),
    loose: fingerprint(looseArguments(args)),
    question: fingerprint(questionOf(args)),
    words: sampleOf(wordsOf(args), WORDS),
    result: kind === 'failed' ? failurePrint(content, args) : together(lines),
    lines: sampleOfLines(lines),
    kind,
    ...(kind === 'failed' && mayPass(content) ? { passing: true as const } : {}),
    files,
  };
}

function sampleOfLines(lines: readonly number[]): readonly number[] {
  const sample = [...new Set(lines.filter((line) => line % EVERY === 0))];
  return sample.length < FEWEST_LINES ? [] : sample.slice(0, MOST_LINES);
}

function together(lines: readonly number[]): number {
  return lines.reduce((sum, line) => (Math.imul(sum, 31) + line) >>> 0, 7);
}

function kindOf({ name, arguments: args, content, failed }: EndedCall): ResultKind {
  if (failed || (tellsOfFailure(content) && !isQuietNo(content))) return 'failed';
  if (letsTimePass(name, args) || saysNotReady(content)) return 'waiting';
  if (saysNothing(content)) return 'nothing';
  return isBrief(content) ? 'brief' : 'full';
}

/** `mine` are the calls of the same tool before; `acts` says that the tool may change something that is not seen here. */
function worthOf(call: Bare, mine: readonly CallTrace[], acts: boolean): Worth {
  const seen = mine.filter((other) => !other.gone);
  const alike = seen.filter(({ result }) => result === call.result);
  if (call.kind === 'failed') return alike.length > 0 ? 'again' : 'failed-anew';
  const same = seen.some(({ exact }) => exact === call.exact);
  const looks = alike.filter(({ exact }) => exact === call.exact).length;
  if (looks > 0) return looks === 1 && call.kind !== 'waiting' ? 'weak' : 'again';
  if (call.kind === 'waiting' && alike.length > 0) return 'again';
  // The same question with another answer: something has changed.
  if (same) return 'new';
  if (mostLinesSeen(call, seen)) return 'again';
  if (call.files.length > 0)
    return call.files.every((file) => mine.some(({ files }) => files.includes(file))) ? 'again' : 'new';
  if (alike.length === 0) return 'new';
  // Another question, and an answer that was there before.
  if (alike.some(({ loose }) => loose === call.loose)) return 'again';
  if (call.kind === 'full') return 'again';
  if (call.kind === 'brief') return acts || !alike.some((other) => sharesWords(other, call)) ? 'new' : 'again';
  return alike.some((other) => sharesWords(other, call, commonWords(alike))) ? 'again' : 'weak';
}

/** Words of every one of these calls: the name of a program, the folder that is searched. They tell no two calls apart. */
function commonWords(calls: readonly CallTrace[]): ReadonlySet<number> {
  const [first, ...rest] = calls;
  if (!first || rest.length < 2) return new Set();
  return new Set(first.words.filter((word) => rest.every(({ words }) => words.includes(word))));
}

const MOST = 0.8;
/** Calls of the tool that a result is held against, line by line. */
const COMPARED = 24;

function mostLinesSeen({ lines }: Bare, seen: readonly CallTrace[]): boolean {
  if (lines.length === 0) return false;
  const known = new Set(seen.slice(-COMPARED).flatMap((other) => other.lines));
  return lines.filter((line) => known.has(line)).length >= lines.length * MOST;
}

/** Two calls that ask for much the same. */
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
