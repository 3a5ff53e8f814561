export { MANIFEST_SCHEMA, manifestSchema } from './chunk/chunk-manifest.js';
export type { Manifest } from './chunk/chunk-manifest.js';
export { cutChunks } from './chunk/cut-chunks.js';
export type { Chunk } from './chunk/cut-chunks.js';
export { cite, createQuoteNotFoundError } from './citation/cite.js';
export type { Citation, CitationResult, CitedSource } from './citation/cite.js';
export { QuoteIndex } from './citation/find-quote.js';
export { normalise } from './citation/normalise.js';
export { decodeRequirementTexts, encodeRequirements, renderFigures } from './citation/requirements-file.js';
export type { OmittedCandidate, Requirement, RequirementSet } from './citation/requirements-file.js';
export { assessRelevance, type Relevance } from './relevance/assess-relevance.js';
export { prepareVocabulary, type SearchedVocabulary } from './relevance/find-terms.js';
export { describeLocation } from './describe-location.js';
export { EXTRACTION_SCHEMA, decodeExtraction, encodeExtraction } from './extraction/extraction-file.js';
export type { Extraction, ExtractionHeader } from './extraction/extraction-file.js';
export { guessLanguage } from './extraction/language.js';
export { renderReadableText } from './extraction/readable-text.js';
export { BlockBuilder } from './block-builder.js';
export { InlineText } from './inline-text.js';
export { yieldOrAbort } from './yield-or-abort.js';
export { countLines, findPlaces, UNIT_BY_FORMAT } from './source-document.js';
export type { Block, BlockKind, DocumentFormat, LocationUnit, SourceBlock, SourceDocument } from './source-document.js';
export { encodeJsonFile } from './json-file.js';
export type { Candidate, Location } from './requirement/candidate.js';
export {
  CANDIDATES_SCHEMA,
  renderCandidates,
  decodeCandidates,
  encodeCandidates,
} from './requirement/candidates-file.js';
export type { CandidatesFile } from './requirement/candidates-file.js';
export { findCandidates } from './requirement/find-candidates.js';
export type { CandidateSearchResult } from './requirement/find-candidates.js';

export { storeSource, readSources } from './citation/stored-sources.js';
export type { StoredSource } from './citation/stored-sources.js';
