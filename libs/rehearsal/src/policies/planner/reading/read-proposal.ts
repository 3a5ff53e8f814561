import type { PhraseScanner } from './phrase-scanner.js';

/** A new pattern that the words ask for. */
export interface ProposalReading {
  readonly level: 'subtype' | 'top_level';
  /** `proposed:` and a name of lower-case letters, digits and underscores. */
  readonly name: string;
  readonly reason?: string;
}

const proposal =
  /\b(?:please )?(?:propose|suggest|introduce|add|create) (?:a |an )?(?:new )?(top[- ]level pattern|pattern subtype|subtype|pattern)(?: of plans?)?[,:]?(?: (?:called|named))? (?:"([^"]{1,60})"|'([^']{1,60})'|([a-z][a-z0-9_ -]{0,60}?)(?=$|[.,;!?:]| (?:because|since|as|for|to|with|in) ))(?: (?:because|since|as) ([^.;]{1,300}))?/i;
const MAX_NAME_CHARACTERS = 63;

/** Reads the proposal of a new pattern and takes its phrase. */
export function readProposal(scanner: PhraseScanner): ProposalReading | undefined {
  const match = scanner.take(proposal);
  if (match === undefined) return undefined;
  const [, kind, double, single, bare, reason] = match;
  const name = (double ?? single ?? bare!)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, MAX_NAME_CHARACTERS);
  if (name === '') return undefined;
  const level = /subtype/i.test(kind!) ? 'subtype' : 'top_level';
  return { level, name: `proposed:${name}`, ...(reason !== undefined && { reason: reason.trim() }) };
}
