import type { JsonObject } from '@phaseline/basics';
import type { PhraseScanner } from './phrase-scanner.js';

/** Phrases about the conversation, and the values of the interaction policy that they ask for. */
const styles: readonly (readonly [RegExp, JsonObject])[] = [
  [
    /\b(?:please )?(?:be brief|keep (?:it|this|your answers) (?:short|brief|concise)|(?:be )?concise(?:ly)?|briefly|short answers(?: only)?|in short|no small talk|tl;?dr)(?: today| please)?/i,
    { conversation_style: 'concise', talkativeness: 0.2 },
  ],
  [
    /\b(?:please )?(?:(?:talk|walk|guide) me through (?:it|this|everything|the plan)|explain (?:everything|each step|every step|your reasons)|in (?:great |full )?detail|let's (?:talk|chat)|(?:be )?conversational(?:ly)?)(?: please)?/i,
    { conversation_style: 'conversational', talkativeness: 0.8 },
  ],
  [
    /\b(?:please )?(?:coach me|be my coach|motivate me|push me|encourage me)/i,
    { conversation_style: 'coach', tone: 'friendly' },
  ],
  [
    /\b(?:please )?(?:ask me nothing|ask nothing|(?:no|without) (?:any )?questions(?: asked)?|(?:do not|don't) ask(?: me)?(?: anything| any questions| questions)?|without asking(?: me)?|(?:you|just) decide(?: everything)?|decide for me)/i,
    { probing_depth: 0, autonomy: 'high' },
  ],
  [
    /\b(?:please )?(?:ask me (?:everything|anything|first|before [a-z ]+|whatever you need)|check with me(?: first)?|let me decide|ask before [a-z ]+)/i,
    { probing_depth: 3, autonomy: 'low' },
  ],
  [
    /\b(?:let me |i want to )?(?:approve|confirm|sign off) (?:on )?(?:each|every) (?:single )?step\b/i,
    { approval_policy: 'strict_every_step' },
  ],
  [
    /\b(?:let me |i want to )?(?:approve|confirm|sign off) (?:on )?(?:(?:each|every|the) )?(?:milestones?|stages?|the outline)\b/i,
    { approval_policy: 'milestone_approvals' },
  ],
  [/\b(?:be )?(?:friendly|kind and warm)(?: tone)?(?: please)?(?=$|[.,;!])/i, { tone: 'friendly' }],
  [/\b(?:be )?(?:clinical|matter-of-fact|strictly factual|just the facts|facts only)\b/i, { tone: 'clinical' }],
  [/\b(?:always offer (?:me )?ideas)\b/i, { brainstorming_preference: 'always_offer' }],
];
const brainstorm =
  /\b(?:please )?(?:(?:let's |let us |help me )?brainstorm(?: with me| first| a (?:bit|little))?|(?:give|show|offer) me (?:some |a few |more )?(?:ideas|suggestions|inspiration)|(?:any|some) ideas\??|what could i do)/i;

/** What the words ask of the conversation. */
export interface StyleReading {
  /** Values of the interaction policy, by their names in tool arguments. */
  readonly overrides: JsonObject;
  /** The words, as they were said. */
  readonly words: readonly string[];
  readonly wantsIdeas: boolean;
}

/** Reads phrases about the conversation and takes them. A later phrase of the table wins. */
export function readStyle(scanner: PhraseScanner): StyleReading {
  const found = styles.flatMap(([pattern, values]) => {
    const match = scanner.take(pattern);
    return match ? [{ words: match[0].trim(), values }] : [];
  });
  return {
    overrides: Object.assign({}, ...found.map(({ values }) => values)) as JsonObject,
    words: found.map(({ words }) => words),
    wantsIdeas: scanner.take(brainstorm) !== undefined,
  };
}
