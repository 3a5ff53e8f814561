import type { ToolPack } from '@phaseline/tools';
import { chunkDocument } from './chunk-document.js';
import { citeDocument } from './cite-document.js';
import { extractDocumentText } from './extract-document-text.js';
import { identifyRequirementCandidates } from './identify-requirement-candidates.js';

/** Tools that read documents and find the requirements in them. */
export const documentsPack: ToolPack = {
  name: 'documents',
  tools: [extractDocumentText, chunkDocument, identifyRequirementCandidates, citeDocument],
};
