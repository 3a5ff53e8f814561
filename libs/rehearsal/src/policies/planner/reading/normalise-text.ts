import { months } from './days.js';

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const smallWord = `(?:${tens.join('|')})(?:[- ](?:${ones.slice(1, 10).join('|')}))?|${ones.slice(1).join('|')}`;
/** Words that name a number. "one" alone is mostly no number, unless a noun of time or quantity follows. */
const numberWords = new RegExp(
  `\\b(?:(a|${smallWord}|\\d+) (hundred|thousand|million)(?:(?: and)? (${smallWord}))?|(${smallWord}))\\b`,
  'gi',
);
/** "1 to 3 March" names the month once for both days. */
const daysOfMonth = new RegExp(
  `\\b(\\d{1,2})(?:st|nd|rd|th)? (to|until|till|and|-|through) (\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${months.join('|')})\\b(,? \\d{4})?`,
  'gi',
);
/** "30 minutes of yoga" where no verb says what is done: the activity is what the goal is about. */
const effortOfActivity =
  /(?<=^|[:;,.] ?|\b(?:do|spend) )((?:about |around |only )?\d+(?:\.\d+)?(?: ?(?:-|to) ?\d+)? ?(?:hours?|hrs?|h|minutes?|mins?|min)) of ((?!the\b|work\b|practi[sc]e\b)[\p{L}'-]+(?: (?!(?:every|each|a|per|on|in|at|daily|weekly|until|for|by|before|with)\b)[\p{L}'-]+){0,3})/giu;
const scales: Readonly<Record<string, number>> = { hundred: 100, thousand: 1_000, million: 1_000_000 };

/** Writes numbers as digits, and spaces, quotes and dashes in one form. The letters keep their case. */
export function normaliseText(text: string): string {
  return (
    text
      .replace(/[‘’]/g, "'")
      .replace(/[“”]/g, '"')
      .replace(/\s*[–—]\s*/g, ' - ')
      .replace(/\s+/g, ' ')
      .replace(/(\d)[,' ](?=\d{3}\b)/g, '$1')
      .replace(/\b(\d{1,2})([/.])(\d{1,2})\2(\d{4})\b/g, writeDay)
      .replace(/\bfull[- ]time\b(?! (?:job|position|work|employment))/gi, '40 hours a week')
      // "12k euros" is a quantity; "a 10k" is a race.
      .replace(
        /(?<=[€$£] ?)(\d+(?:\.\d+)?)k\b|\b(\d+(?:\.\d+)?)k (?=euros?|dollars?|pounds?|words|steps|followers|subscribers|users|views)/gi,
        (_, amount: string | undefined, count: string) =>
          amount === undefined ? `${Number(count) * 1_000} ` : `${Number(amount) * 1_000}`,
      )
      .replace(/\b(?:a )?half an hour\b|\bhalf hour\b/gi, '30 minutes')
      .replace(/\b(?:three|3) quarters of an hour\b/gi, '45 minutes')
      .replace(/\b(?:a )?quarter of an hour\b/gi, '15 minutes')
      .replace(
        /\b(\d{1,2})h ?(\d{2})\b/gi,
        (_, hours: string, rest: string) => `${60 * Number(hours) + Number(rest)} minutes`,
      )
      // Longer distances such as "400m" are metres.
      .replace(/\b([1-9]\d?)m(?= (?:a|per|each|every|daily)\b)/gi, '$1 minutes')
      .replace(/\b(?:an|one|1) hour and a half\b|\b(?:one|1) and a half hours\b/gi, '90 minutes')
      .replace(/\b(?:an|one) hour\b/gi, '1 hour')
      .replace(/\bhalf a year\b/gi, '6 months')
      .replace(/\ba couple of\b/gi, '2')
      .replace(/\ba dozen\b/gi, '12')
      .replace(numberWords, toDigits)
      .replace(/\b(\d+)(?: and a half hours| hours and a half)\b/gi, '$1.5 hours')
      .replace(
        /\b(once|twice|thrice|\d+(?: times|x)) (?:(dai)|(week)|(month))ly\b/gi,
        (_, times: string, day, week) => `${times} a ${day ? 'day' : week ? 'week' : 'month'}`,
      )
      .replace(effortOfActivity, '$2 for $1')
      .replace(
        daysOfMonth,
        (_, first: string, word: string, last: string, month: string, year = '') =>
          `${first} ${month}${year} ${word} ${last} ${month}${year}`,
      )
      .trim()
  );
}

/** "15/03/2027" has the day first, unless only the other order is a date. */
function writeDay(text: string, first: string, _: string, second: string, year: string): string {
  const [day, month] = Number(second) > 12 ? [second, first] : [first, second];
  return Number(month) > 12 ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

function toDigits(whole: string, factor?: string, scale?: string, more?: string, small?: string): string {
  if (small !== undefined) return /^one$/i.test(small) ? small : `${readWord(small)}`;
  return `${readWord(factor!) * scales[scale!.toLowerCase()]! + (more === undefined ? 0 : readWord(more))}`;
}

function readWord(word: string): number {
  if (/^\d+$/.test(word)) return Number(word);
  if (word.toLowerCase() === 'a') return 1;
  return word
    .toLowerCase()
    .split(/[- ]/)
    .map((part) => (tens.includes(part) ? (tens.indexOf(part) + 2) * 10 : ones.indexOf(part)))
    .reduce((sum, number) => sum + number, 0);
}

/** A number as the readers of phrases find it: digits, or an article for one. */
export const COUNT = String.raw`(\d+(?:\.\d+)?|an?|one|the next|the)`;

/** Reads what `COUNT` found. */
export function readCount(text: string): number {
  return /^\d/.test(text) ? Number(text) : 1;
}
