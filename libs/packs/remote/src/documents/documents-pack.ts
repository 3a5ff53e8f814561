import { documentsSpec } from '@phaseline/pack-specs';
import { implementPack } from '@phaseline/tools';
import { assessGobdRelevance } from './assess-gobd-relevance.js';
import { chunkDocument } from './chunk-document.js';
import { citeDocument } from './cite-document.js';
import { extractDocumentText } from './extract-document-text.js';
import { identifyRequirementCandidates } from './identify-requirement-candidates.js';

/** Tools that read documents and find the requirements in them. */
export const documentsPack = implementPack(documentsSpec, {
  extract_document_text: extractDocumentText,
  chunk_document: chunkDocument,
  identify_requirement_candidates: identifyRequirementCandidates,
  assess_gobd_relevance: assessGobdRelevance,
  cite_document: citeDocument,
});
