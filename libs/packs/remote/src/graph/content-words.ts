import { normaliseWords } from './similarity.js';

/** English and German stop words, including words of obligation. */
const STOP_WORDS = new Set(
  `a an the this that these those it its they their there of in on at to for from by with without within under over into
   onto through between before after during until upon per as and or nor but if when whenever where while unless than then
   be is are was were been being has have had do does did not no none any each every all both either only also more most
   least less other another same such own which who whom whose what how can cannot could may might must shall should will
   would need required recommended optional least again further still very so one two three
   der die das den dem des ein eine einen einem einer eines und oder aber wenn als wie von vom zu zum zur im in am an auf
   aus bei mit nach vor für durch ist sind war waren wird werden worden hat haben hatte muss müssen soll sollen darf dürfen
   kann können nicht kein keine keinen nur auch sich er sie es ihr sein seine dass sowie je jede jeder jedes alle`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Extracts the words of a text without stop words, each once, in order. */
export function extractContentWords(text: string): readonly string[] {
  const words = normaliseWords(text).split(' ');
  return [...new Set(words.filter((word) => (word.length > 1 || /\d/.test(word)) && !STOP_WORDS.has(word)))];
}

/** Whether two words look like forms of the same word: `receipt` and `receipts`, `verify` and `verified`. */
export function isSameWord(left: string, right: string): boolean {
  if (left === right) return true;
  const [short, long] = left.length <= right.length ? [left, right] : [right, left];
  if (short.length < 4 || long.length - short.length > 4) return false;
  // An ending may replace the last letter, as in `copy` and `copies`.
  return long.startsWith(short) || (short.length > 4 && long.startsWith(short.slice(0, -1)));
}

/** Whether a text contains all words of a name next to each other, with any endings. */
export function mentions(text: string, name: string): boolean {
  const words = normaliseWords(text).split(' ');
  const wanted = normaliseWords(name).split(' ');
  if (wanted[0] === '') return false;
  return words.some((_, at) => wanted.every((word, i) => isSameWord(words[at + i] ?? '', word)));
}
