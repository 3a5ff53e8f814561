export { estimateTokens } from './chunk/estimate-tokens.js';
export { stripMarkup } from './citation/normalise.js';
export type { Finding } from './requirement/classify-sentence.js';
export { findSharedVerb, inheritFinding, isIncomplete } from './requirement/lead-in.js';
export { segmentSentences } from './sentence/segment-sentences.js';
