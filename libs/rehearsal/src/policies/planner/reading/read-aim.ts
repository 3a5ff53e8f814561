import { clip } from '@phaseline/basics';

/** What a goal is about. */
export interface Aim {
  /** The goal as a title, such as "Prepare for a half marathon". */
  readonly title: string;
  /** What it is about, for headings: "half marathon". */
  readonly subject: string;
  /** What it is about, for sentences: "a half marathon". */
  readonly object: string;
  /** Whether the words do not say what is to be reached, as in "get better". */
  readonly isVague: boolean;
}

/** Titles of nodes have at most 200 characters, and name the aim beside other words. */
const MAX_TITLE_CHARACTERS = 80;
const MAX_OBJECT_CHARACTERS = 60;

/** Openings that introduce a goal. The longest one is removed, as long as something remains. */
const introductions = [
  /^(?:please|hi|hello|hey|ok|okay|so|well|now|also|just)\b[ ,]*/i,
  /^(?:can|could|would|will) you (?:please )?/i,
  /^help (?:me|us) (?:to )?/i,
  /^(?:i am|i'm|we are|we're) .{1,60}? and (?=(?:i |we )?(?:need|want|have|would like|plan) to )(?:i |we )?(?:need|want|have|would like|plan) to /i,
  /^(?:i|we)(?:'d| would| really|'ve| have| had)*(?: really| also)? (?:want|wish|need|like|love|hope|intend|aim|plan|have|got|ought|am going|are going)(?:ing)?(?: to)? /i,
  /^(?:i'm|i am|we're|we are) (?:going|planning|trying|hoping|aiming|thinking)(?: to| of| about)? /i,
  /^(?:i|we) (?:must|should|will|can|could|shall|may) /i,
  /^(?:my|our|the) (?:goal|aim|plan|target|wish|dream|objective)(?: is|:)(?: to)? /i,
  /^(?:let's|let us) /i,
  /^(?:make|create|build|write|give|draft|design|draw up|set up|prepare|develop)(?: me| us)? (?:an? |the |my |our )?(?:(?:detailed|good|simple|short|study|project|training) )*(?:plan|schedule|roadmap|programme|program)(?: (?:for|to|of|on))(?: how to)? /i,
  /^(?:plan|schedule) (?:for |how to |to )?(?=\S+ \S+)/i,
  /^to /i,
];
const trailing =
  /[\s;,.:!?"'-]+$|[\s;,]+(?:and|or|but|with|for|in|on|at|by|from|to|of|about|per|each|every|over|within|starting|please|then|only|the|a|an|it|that|which)$/i;
const leadingWords = /^(?:[;,.:!?"'-]+\s*|(?:and|or|but|then|with|that)(?:\s+|$))+/i;

/** What a person says about the own doubt is no part of the title. */
const doubtPhrases =
  /\b(?:i'm|i am|we're|we are)? ?(?:unsure|not (?:so |really |quite )?sure|uncertain)(?: if| whether| about(?: it)?)?\b|\b(?:maybe|perhaps|possibly|somehow|i guess|i think|kind of|sort of|(?:i have )?no idea(?: how| what)?)\b/gi;

/** Words that say nothing about what is to be reached. */
const emptyWords = new Set(
  `a an the my our me us i we it to be of for in on at and or so as with is do get go make have become improve better best good great
  nice nicer more less much very really something anything things thing stuff life somehow maybe perhaps unsure sure not no idea know don't want
  would like need help plan goal goals change different myself someone that this what how start just again back person human world day work
  successful success productive happy happier everything some lot way i'm im am but by`.split(/\s+/),
);

/** Reads what a goal is about from the words that are neither dates nor effort. `whole` is used if nothing else remains. */
export function readAim(rest: string, whole: string): Aim {
  const own = findTitle(rest.replace(doubtPhrases, ' ')) ?? findTitle(rest);
  const found = own ?? findTitle(whole);
  const title = formatNumbers(found ?? 'The goal');
  // Words that are only about time say nothing about the aim.
  const isVague = listMeaningfulWords(own ?? '').length === 0;
  const object = isVague ? 'the goal' : findObject(title);
  return {
    title: capitalise(clip(title, MAX_TITLE_CHARACTERS)),
    object: clip(object, MAX_OBJECT_CHARACTERS),
    subject: clip(object.replace(/^(?:an?|the|some) /i, '').replaceAll('"', ''), MAX_OBJECT_CHARACTERS),
    isVague,
  };
}

function listMeaningfulWords(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []).filter((word) => !emptyWords.has(word));
}

/** Writes numbers as people do, "6,000", but not years. */
function formatNumbers(text: string): string {
  return text.replace(/(?<![\d.,])(?!(?:19|20)\d{2}(?!\d))\d{4,15}(?![\d.])/g, (digits) =>
    Number(digits).toLocaleString('en-US'),
  );
}

/** The first clause with a word, without introductions. */
function findTitle(text: string): string | undefined {
  const clauses = text.split(/\s*;\s*|(?<=[a-z0-9)])[.!?]+(?:\s+|$)|\n/i).map(tidyClause);
  const named = clauses.findIndex((clause) => listMeaningfulWords(clause).some((word) => /\p{L}{2}/u.test(word)));
  const main = named === -1 ? clauses.findIndex((clause) => /\p{L}{2}/u.test(clause)) : named;
  if (main === -1) return undefined;
  // A short clause is continued, as in "Run ; with my brother" after the dates were taken.
  const next = clauses[main + 1] ?? '';
  const joined = /^(?:with|for|to|at|about|of|on|into|without|using|so that|from)\b/i.test(next)
    ? `${clauses[main]} ${next}`
    : clauses[main]!;
  return tidyClause(joined);
}

function tidyClause(clause: string): string {
  let text = clause.replace(/\s+/g, ' ').trim();
  for (let before = ''; before !== text;) {
    before = text;
    text = text
      .replace(leadingWords, '')
      .replace(trailing, '')
      .replace(/\s+([,.;:!?])/g, '$1')
      .trim();
    for (const introduction of introductions) {
      const shorter = text.replace(introduction, '').trim();
      if (/\p{L}{2}/u.test(shorter)) text = shorter;
    }
  }
  return text;
}

/** What follows the verb. A goal without a verb is its own object. The planner speaks of "the" what the person calls "my". */
function findObject(title: string): string {
  const [, determined] =
    /^[a-z'-]+(?: (?:up|out|off|over|down|away|myself|ourselves))?(?: (?:for|to|at|in|on|about|into|as|with|of))? ((?:an?|the|my|our|some|your) .+|\d.*)$/i.exec(
      title,
    ) ?? [];
  const [, afterVerb] = verbs.exec(title) ?? [];
  // A title whose verb is not known is quoted, so that sentences about it are right in any case.
  const object =
    determined ?? afterVerb ?? (isNounPhrase.test(title) || !/\s/.test(title) ? lowerFirst(title) : `"${title}"`);
  return (listMeaningfulWords(object).length > 0 && /\p{L}/u.test(object) ? object : `"${title}"`).replace(
    /^(?:my|our|your) /i,
    'the ',
  );
}

const isNounPhrase = /^(?:an?|the|my|our|some) /i;

function lowerFirst(text: string): string {
  return text.replace(/^(?:A|An|The|My|Our|Some)(?= )/, (word) => word.toLowerCase());
}

/** Verbs whose object follows. The verb is not part of what the goal is about. */
const verbNames = `apply automate become build buy call clean complete compose cook create cycle deliver design develop do drink eat
  establish exercise explore find finish fix get grow hike hold host implement improve increase introduce investigate
  jog join keep launch lead learn lose make manage master meditate meet migrate moderni[sz]e move open organi[sz]e paint
  pass plan plant play practi[sc]e prepare publish raise read record reduce refurbish relax renovate repair replace
  research restore restructure retire review run sail save sell set ship sort speak start stretch study survive swap
  swim switch take teach test tidy tour train transform translate travel turn update upgrade visit walk water win write`;
const verbs = new RegExp(
  String.raw`^(?:${verbNames.split(/\s+/).join('|')})(?: (?:through|across|around|up|out|off|for|to|from|into|at|as|about|on|in|with))* (.+)$`,
  'i',
);

function capitalise(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}
