import type { Block } from '../source-document.js';
import type { Finding } from './classify-sentence.js';
import type { Modality } from '@phaseline/contracts';
import { trimTrailing } from './trim-trailing.js';

/** Words of a lead-in whose items are choices, so that the single item is not an obligation. */
const alternatives =
  /\b(?:(?:exactly |at least |only |any |either )?one of|any of|either of|some of|one or more of|at least (?:one|two)|alternatives?|choose|eine[nmrs]? der|eines? von|mindestens ein\w*|wahlweise|entweder)\b/i;

/** The end of a lead-in whose items are conditions: "… in any case where:", "… wenn". */
const conditions =
  /\b(?:if|when|where|whenever|unless|provided(?: that)?|in (?:the |any |one of the )?(?:following )?cases?(?: of| where| in which)?|(?:under|in) (?:the following )?circumstances|until|because|wenn|falls|sofern|soweit|in (?:den )?folgenden fällen|unter (?:den )?folgenden (?:voraussetzungen|bedingungen)|bei)\b(?:\s+\S+){0,8}$/i;

/** Returns the finding that the items of a list inherit from their lead-in sentence. */
export function inheritFinding(leadIn: string, finding: Finding | undefined): Finding | undefined {
  if (!finding || finding.confidence < 0.5) return undefined;
  const isProhibition = finding.modality === 'prohibition' || finding.modality === 'discouraged';
  if (alternatives.test(leadIn) && !isProhibition) return undefined;
  if (conditions.test(trimTrailing(leadIn.slice(finding.end), /[\s:,]/))) return undefined;
  return { ...finding, confidence: Math.round(finding.confidence * 0.86 * 100) / 100 };
}

/**
 * The start of an item that is a subordinate clause of its lead-in and states an obligation only if the lead-in does:
 * "that the operator must …".
 */
const subordinate =
  /^(?:\d{1,2}[a-z]?\.\s*)?(?:dass|daß|ob|wie|welche[rnms]?|wenn|soweit|sofern|that|how|whether|if|where|which|what)\b/i;

export function isSubordinate(item: string): boolean {
  return subordinate.test(item);
}

/** `hat`, `ist` or a similar verb in a German lead-in whose infinitive is in the items of its list. */
const splitVerb =
  /(?<!\p{L})(hat|haben|ist|sind)(?!\p{L})(?!.*(?<!\p{L})(?:hat|haben|ist|sind|wird|werden|muss|müssen|kann|können|soll|sollen|darf|dürfen)(?!\p{L}))/u;
const ownInfinitive = /(?<!\p{L})(?:zu\s+\p{Ll}+(?:en|ern|eln|n)|\p{Ll}{2,}zu\p{Ll}{2,}(?:en|n))(?!\p{L})/u;

/** Maximum characters at the end of a lead-in and of an item that are searched for a shared verb. */
const MAX_SHARED_CHARACTERS = 4_000;

/** Returns the verb that a German lead-in shares with the item that completes it: "Der Betreiber hat: – die Daten zu löschen". */
export function findSharedVerb(wholeLeadIn: string, wholeItem: string): string | undefined {
  const leadIn = wholeLeadIn.slice(-MAX_SHARED_CHARACTERS);
  const item = wholeItem.slice(-MAX_SHARED_CHARACTERS);
  const verb = splitVerb.exec(leadIn);
  if (!verb || ownInfinitive.test(leadIn.slice(verb.index))) return undefined;
  const infinitive =
    /(?<!\p{L})(zu\s+\p{Ll}+(?:en|ern|eln|n)|\p{Ll}{2,}zu\p{Ll}{2,}(?:en|n))(?:\s*[.,;]?\s*(?:und|oder|sowie)?\s*$|,\s*(?:dass|daß|damit|um|die|der|das|welche)(?!\p{L}))/u.exec(
      item,
    );
  return infinitive ? `${verb[1]} … ${infinitive[1]}` : undefined;
}

/** Whether a sentence is incomplete without its list: "The operator shall:", "Clients MUST do all of the following:". */
export function isIncomplete(leadIn: string, finding: Finding): boolean {
  const rest = trimTrailing(leadIn.slice(finding.end), /[:\s]/).trim();
  if (rest.split(/\s+/).filter(Boolean).length <= 2) return true;
  return (
    /^(?:also\s+)?(?:do|meet|satisfy|fulfil|fulfill|comply with|observe|ensure|have|be)\s+(?:all\s+|each\s+)?(?:of\s+)?the\s+following(?:\s+\w+){0,2}$/i.test(
      rest,
    ) || /^(?:alle\s+|die\s+)?folgende[nrs]?\s+\S+\s+(?:erfüllen|einhalten|beachten)$/iu.test(rest)
  );
}

const headingModalities: readonly (readonly [RegExp, Modality])[] = [
  [
    /^must(?:[- ]haves?)?$|^mandatory(?: requirements?)?$|^muss(?:[- ]?(?:kriteri(?:um|en)|anforderung(?:en)?|haves?))?$/i,
    'obligation',
  ],
  [
    /^should(?:[- ]haves?)?$|^soll(?:[- ]?(?:kriteri(?:um|en)|anforderung(?:en)?))?$|^(?:wunsch)[- ]?kriterien$/i,
    'recommendation',
  ],
  [
    /^could[- ]haves?$|^optional(?: requirements?)?$|^kann(?:[- ]?(?:kriteri(?:um|en)|anforderung(?:en)?))$/i,
    'optional',
  ],
];

/** Returns the modality that a heading like "Must have" or "Muss-Kriterien" gives to the items under it. */
export function readHeadingModality(block: Block): { modality: Modality; keyword: string } | undefined {
  const title =
    block.section
      .at(-1)
      ?.replace(/^[\d.]+\s+/, '')
      .trim() ?? '';
  const found = headingModalities.find(([pattern]) => pattern.test(title));
  return found && { modality: found[1], keyword: title };
}
