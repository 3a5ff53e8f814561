import type { Modality } from '@phaseline/contracts';

/** A word of obligation and the text around it, in the masked sentence (see `maskSentence`). */
export interface Surroundings {
  readonly sentence: string;
  /** All text before the words. */
  readonly left: string;
  /** All text after the words. */
  readonly right: string;
  /** The part of `left` after its last comma, semicolon, colon or dash. */
  readonly clauseLeft: string;
  /** The part of `right` up to its first comma, semicolon, colon or dash. */
  readonly clauseRight: string;
  readonly words: string;
}

export interface Assessment {
  readonly modality: Modality;
  /** Confidence from 0 to 1. Below 0.5, the words are more often not an obligation. */
  readonly confidence: number;
}

/** The reason why words that look like an obligation do not count. A reader can check it against the sentence. */
export interface OmissionReason {
  readonly reason: string;
}

export const createOmissionReason = (reason: string): OmissionReason => ({ reason });

/** A rule for one way to state a requirement. It also recognises uses of its words that do not state one. */
export interface Rule {
  /** Global pattern, case-insensitive unless case matters. Words matched by an earlier rule are not matched again. */
  readonly pattern: RegExp;
  /** Classifies one match, or returns why it does not count; undefined when the words are used in another sense. */
  judge(at: Surroundings): Assessment | OmissionReason | undefined;
}

export interface Hit extends Assessment {
  readonly from: number;
  readonly to: number;
  /** Whether the words are upper-case key words in the sense of RFC 2119. */
  readonly isUpperCase: boolean;
}

/** Words of obligation that were found but do not count. */
interface Omission extends OmissionReason {
  readonly from: number;
  readonly to: number;
}

export interface RuleResult {
  readonly hits: readonly Hit[];
  readonly omissions: readonly Omission[];
}

const OTHER_USE = 'the words are used in another sense';

const CLAUSE_END = /[,;:–—]|\s-\s/g;

function splitAround(sentence: string, from: number, to: number): Surroundings {
  const left = sentence.slice(0, from);
  const right = sentence.slice(to);
  const ends = [...left.matchAll(CLAUSE_END)];
  const last = ends.at(-1);
  const next = right.search(/[,;:–—]|\s-\s/);
  return {
    sentence,
    left,
    right,
    clauseLeft: last ? left.slice(last.index + last[0].length) : left,
    clauseRight: next < 0 ? right : right.slice(0, next),
    words: sentence.slice(from, to),
  };
}

/** Applies rules in order. Words that a rule has matched are not examined by later rules, even if they did not count. */
export function applyRules(sentence: string, rules: readonly Rule[], upperCase: boolean): RuleResult {
  const hits: Hit[] = [];
  const omissions: Omission[] = [];
  const matchedSpans: { from: number; to: number }[] = [];
  for (const rule of rules) {
    for (const match of sentence.matchAll(rule.pattern)) {
      const from = match.index;
      const to = from + match[0].length;
      if (matchedSpans.some((span) => from < span.to && span.from < to)) continue;
      matchedSpans.push({ from, to });
      const result = rule.judge(splitAround(sentence, from, to)) ?? createOmissionReason(OTHER_USE);
      if ('reason' in result) omissions.push({ ...result, from, to });
      else hits.push({ ...result, from, to, isUpperCase: upperCase });
    }
  }
  const compareOffsets = (a: { from: number }, b: { from: number }): number => a.from - b.from;
  return { hits: hits.sort(compareOffsets), omissions: omissions.sort(compareOffsets) };
}
