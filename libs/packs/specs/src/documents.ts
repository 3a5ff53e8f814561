import {
  DEFAULT_DOCUMENT_SETTINGS,
  MODALITIES,
  SHIPPED_VOCABULARIES,
  type DocumentSettings,
} from '@phaseline/contracts';
import { z } from 'zod';
import { describeValue } from './describe-value.js';
import { declareDomainPack } from './declare-pack.js';

export const DEFAULT_RELEVANCE_FILE = 'work/relevance.json';
export const DEFAULT_REQUIREMENTS_FILE = 'output/requirements.json';
const MAX_QUOTE_CHARACTERS = 4_000;

/** Only limits the length; the rest is checked when the path is used. */
const workspacePath = z.string().min(1).max(500);

/** A path that a document tool may write. Excludes the documents and the files that phases depend on. */
const outputPath = workspacePath.regex(/^(?:work|output)\/./, "expected a path that begins with 'work/' or 'output/'");

const place = z.int().min(1).max(10_000_000);
const id = z.string().regex(/^REQ-[0-9a-f]{10}$/, "expected an id such as 'REQ-0123456789'");
const quotation = {
  quote: z.string().min(1).max(MAX_QUOTE_CHARACTERS).describe('The quotation, exactly as in the document.'),
  page: place.optional().describe('For a PDF: the page of the quotation.'),
  lines: z
    .strictObject({ from: place, to: place })
    .optional()
    .describe('For a text format: the lines of the quotation.'),
};

/** Tools that read documents and find the requirements in them. */
export const documentsSpec = declareDomainPack('documents', {
  extract_document_text: {
    lane: 'remote',
    description:
      'Reads a document (Markdown, text, PDF, DOCX or HTML) and writes its text to the workspace, split into blocks with sections and locations.  ' +
      'Use it first for every document: the other document tools take the path that it returns.',
    input: z.strictObject({
      path: workspacePath.describe("The document in the workspace, such as 'documents/spec.pdf'."),
      output: outputPath.optional().describe("Folder for the results. Default: 'work/' and the name of the document."),
    }),
    effect: 'idempotent',
    timeoutMs: 180_000,
  },
  chunk_document: {
    lane: 'remote',
    description:
      'Splits an extracted document into chunks along its sections and writes them with a manifest, so that a long document can be read in parts.',
    input: z.strictObject({
      path: workspacePath.describe("The extraction, such as 'work/spec.pdf/blocks.jsonl'."),
      maxTokens: z.int().min(100).max(16_000).optional().describe('Maximum size of a chunk in tokens (estimated).'),
      overlap: z
        .int()
        .min(0)
        .max(1_000)
        .optional()
        .describe('Number of tokens of the previous chunk to repeat for context.'),
    }),
    effect: 'idempotent',
    timeoutMs: 60_000,
    adjust: ({ documents = {} }) => ({
      note: `${describeValue('maxTokens', documents.chunkTokens, DEFAULT_DOCUMENT_SETTINGS.chunkTokens, 'lower')} ${describeValue('overlap', documents.overlapTokens, DEFAULT_DOCUMENT_SETTINGS.overlapTokens, 'lower')}`,
    }),
  },
  identify_requirement_candidates: {
    lane: 'remote',
    description:
      'Finds the requirements in an extracted document: sentences, list items and table rows that express an obligation (must, shall, required, darf nicht, ist … zu, the key words of RFC 2119), ' +
      'each with modality, section, location and confidence. Writes them to a file that cite_document turns into requirements.json.',
    input: z.strictObject({
      path: workspacePath.describe(
        "The extraction ('work/spec.pdf/blocks.jsonl') or one chunk of it ('work/spec.pdf/chunks/001.md').",
      ),
      lowerCase: z
        .enum(['auto', 'report', 'ignore'])
        .optional()
        .describe(
          "Whether key words in lower case count. 'auto' (default): unless the document writes its key words in capitals, as in RFC 2119 and RFC 8174; 'report': always; 'ignore': never.",
        ),
      minConfidence: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe('Candidates with a lower confidence are marked as doubtful.'),
      output: outputPath.optional().describe('File for the candidates (.json). Default: beside the extraction.'),
    }),
    effect: 'idempotent',
    timeoutMs: 120_000,
    adjust: ({ documents = {} }) => ({ note: describeConfidence(documents) }),
  },
  assess_gobd_relevance: {
    lane: 'remote',
    description:
      'Assesses to which rules a document or its requirements are relevant: German bookkeeping in electronic form (GoBD), data protection (GDPR), or the rules of further vocabularies. ' +
      'Reports for each text the terms found, where they are, and a confidence. It compares words, not meaning. Writes the result to a file.',
    input: z
      .strictObject({
        path: workspacePath
          .optional()
          .describe(
            "What to assess: 'output/requirements.json', a candidates file, an extraction ('work/spec.pdf/blocks.jsonl') or one chunk of it.",
          ),
        text: z
          .string()
          .min(1)
          .max(20_000)
          .optional()
          .describe('A single text, instead of a file. Nothing is written.'),
        vocabularies: z
          .array(z.string().min(1).max(32))
          .min(1)
          .max(20)
          .optional()
          .describe('Names of the vocabularies to use. Default: all of them.'),
        output: outputPath.optional().describe(`File for the result (.json). Default ${DEFAULT_RELEVANCE_FILE}.`),
      })
      .refine(({ path, text }) => (path === undefined) !== (text === undefined), "expected one of 'path' and 'text'"),
    effect: 'idempotent',
    timeoutMs: 120_000,
    adjust: ({ documents = {} }) => ({
      note: `Vocabularies: ${documents.vocabularies?.join(', ') ?? `${SHIPPED_VOCABULARIES.join(', ')} and those in vocabularies/`}.`,
    }),
  },
  cite_document: {
    lane: 'remote',
    description:
      'Checks that a quotation occurs in a document, and returns its location (page or lines) and exact text. Fails if the quotation is not found. ' +
      "With 'candidates' it checks all candidates at once and writes output/requirements.json.",
    input: z
      .strictObject({
        path: workspacePath
          .optional()
          .describe("The source document, such as 'documents/spec.pdf'; needed with 'quote' and 'quotes'."),
        quote: quotation.quote.optional(),
        page: quotation.page,
        lines: quotation.lines,
        quotes: z
          .array(z.strictObject(quotation))
          .min(1)
          .max(200)
          .optional()
          .describe('Several quotations of one document.'),
        candidates: z
          .array(workspacePath)
          .min(1)
          .max(500)
          .optional()
          .describe(
            'The files written by identify_requirement_candidates, for all documents. Each candidate is checked against its source, and the requirements are written.',
          ),
        exclude: z
          .array(id)
          .max(5_000)
          .optional()
          .describe("With 'candidates': ids of candidates that are not requirements."),
        include: z
          .array(id)
          .max(5_000)
          .optional()
          .describe("With 'candidates': ids of doubtful candidates that are requirements."),
        additions: z
          .array(
            z.strictObject({
              path: workspacePath,
              quote: quotation.quote,
              modality: z.enum(MODALITIES),
              text: z
                .string()
                .min(1)
                .max(MAX_QUOTE_CHARACTERS)
                .optional()
                .describe('The requirement in words that can be understood without context. Default: the quotation.'),
            }),
          )
          .max(500)
          .optional()
          .describe("With 'candidates': further requirements, whose quotations are checked too."),
        minConfidence: z
          .number()
          .min(0)
          .max(1)
          .optional()
          .describe("With 'candidates': minimum confidence to accept, not below the one used to find them."),
        output: outputPath
          .optional()
          .describe(`With 'candidates': the file to write. Default ${DEFAULT_REQUIREMENTS_FILE}.`),
      })
      .refine(
        (value) => [value.quote, value.quotes, value.candidates].filter((form) => form !== undefined).length === 1,
        "expected one of 'quote', 'quotes' and 'candidates'",
      )
      .refine(
        (value) => value.candidates !== undefined || value.path !== undefined,
        "expected 'path', the document to quote",
      ),
    effect: 'idempotent',
    timeoutMs: 180_000,
    adjust: ({ documents = {} }) => ({ note: describeConfidence(documents) }),
  },
});

function describeConfidence({ minConfidence }: DocumentSettings): string {
  return describeValue('minConfidence', minConfidence, DEFAULT_DOCUMENT_SETTINGS.minConfidence, 'higher');
}
