import type { Modality } from './modality.js';

/** Where a word of obligation stands: all of it in the masked sentence, in which code and quoted terms are blanked out. */
export interface Surroundings {
  readonly sentence: string;
  /** Everything before and after the words. */
  readonly left: string;
  readonly right: string;
  /** The part of `left` since the last comma, semicolon, colon or dash; the part of `right` up to the next. */
  readonly clauseLeft: string;
  readonly clauseRight: string;
  readonly words: string;
}

export interface Verdict {
  readonly modality: Modality;
  /** 0 to 1. Below one half, the words are more often something else than an obligation. */
  readonly confidence: number;
}

/** Why words that look like an obligation were left out: a clause that a reader can check against the sentence. */
export interface LeftOut {
  readonly reason: string;
}

export const leftOut = (reason: string): LeftOut => ({ reason });

/** One way in which a language says that something has to be, with the uses that only look like it. */
export interface Rule {
  /** Global, case-insensitive unless the case matters. Earlier rules take their words away from later ones. */
  readonly pattern: RegExp;
  /** The verdict on one match, or why it is none; undefined when the words mean something else here. */
  judge(at: Surroundings): Verdict | LeftOut | undefined;
}

export interface Hit extends Verdict {
  readonly from: number;
  readonly to: number;
  /** Whether the words are upper-case key words in the sense of RFC 2119. */
  readonly upperCase: boolean;
}

/** Words of obligation that were found and left out. */
export interface Omission extends LeftOut {
  readonly from: number;
  readonly to: number;
}

export interface RuleResult {
  readonly hits: readonly Hit[];
  readonly omissions: readonly Omission[];
}

const OTHER_USE = 'the words are used in another sense here';

const CLAUSE_END = /[,;:–—]|\s-\s/g;

export function surroundings(sentence: string, from: number, to: number): Surroundings {
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

/** Applies rules in order; words that a rule has matched, whatever it made of them, are not looked at by later rules. */
export function applyRules(sentence: string, rules: readonly Rule[], upperCase: boolean): RuleResult {
  const hits: Hit[] = [];
  const omissions: Omission[] = [];
  const taken: { from: number; to: number }[] = [];
  for (const rule of rules) {
    for (const match of sentence.matchAll(rule.pattern)) {
      const from = match.index;
      const to = from + match[0].length;
      if (taken.some((span) => from < span.to && span.from < to)) continue;
      taken.push({ from, to });
      const verdict = rule.judge(surroundings(sentence, from, to)) ?? leftOut(OTHER_USE);
      if ('reason' in verdict) omissions.push({ ...verdict, from, to });
      else hits.push({ ...verdict, from, to, upperCase });
    }
  }
  const byPlace = (a: { from: number }, b: { from: number }): number => a.from - b.from;
  return { hits: hits.sort(byPlace), omissions: omissions.sort(byPlace) };
}
