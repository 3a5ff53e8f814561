import { z } from 'zod';
import { defineRemoteTool, type RemoteToolContext, type ToolOutcome } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { cite, encodeRequirements, renderFigures, describeLocation, MODALITIES } from '@phaseline/documents';
import { collectRequirements } from './collect-requirements.js';
import { openSource } from './source-cache.js';
import { outputPathSchema, toPath, workspacePathSchema } from './workspace-files.js';

const DEFAULT_OUTPUT = 'output/requirements.json';
const FIGURES_FILE = 'work/figures.md';
const MAX_QUOTE_CHARACTERS = 4_000;

const place = z.int().min(1).max(10_000_000);
const id = z.string().regex(/^REQ-[0-9a-f]{10}$/, "expected an id such as 'REQ-0123456789'");
const quotation = {
  quote: z.string().min(1).max(MAX_QUOTE_CHARACTERS).describe('The words, exactly as they stand in the document.'),
  page: place.optional().describe('For a PDF: the page they stand on.'),
  lines: z.strictObject({ from: place, to: place }).optional().describe('For a text format: the lines they stand on.'),
};

const input = z
  .strictObject({
    path: workspacePathSchema
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
      .array(workspacePathSchema)
      .min(1)
      .max(500)
      .optional()
      .describe(
        'Files that identify_requirement_candidates wrote, of all documents: each candidate is looked up in its source, and the requirements are written.',
      ),
    exclude: z.array(id).max(5_000).optional().describe("With 'candidates': ids that are no requirements after all."),
    include: z
      .array(id)
      .max(5_000)
      .optional()
      .describe("With 'candidates': ids of doubtful candidates that are requirements."),
    additions: z
      .array(
        z.strictObject({
          path: workspacePathSchema,
          quote: quotation.quote,
          modality: z.enum(MODALITIES),
          text: z
            .string()
            .min(1)
            .max(MAX_QUOTE_CHARACTERS)
            .optional()
            .describe('The requirement in words that can be read alone. Default: the quotation.'),
        }),
      )
      .max(500)
      .optional()
      .describe("With 'candidates': requirements that were missed; each quotation is checked."),
    minConfidence: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("With 'candidates': take over those from this confidence on. Default: the one they were found with."),
    output: outputPathSchema.optional().describe(`With 'candidates': the file to write. Default ${DEFAULT_OUTPUT}.`),
  })
  .refine(
    (value) => [value.quote, value.quotes, value.candidates].filter((form) => form !== undefined).length === 1,
    "expected one of 'quote', 'quotes' and 'candidates'",
  )
  .refine(
    (value) => value.candidates !== undefined || value.path !== undefined,
    "expected 'path', the document that is quoted",
  );
type Input = z.infer<typeof input>;

/**
 * Tool that checks quotations against the source document. It takes one `quote`, several `quotes`, or files of `candidates`. Of the
 * candidates it checks all and writes those found to `output/requirements.json`, with figures for the summary in `work/figures.md`.
 */
export const citeDocument = defineRemoteTool<Input>({
  name: 'cite_document',
  description:
    'Checks that quoted words really stand in a document and returns where (page or lines) with the exact words; refused if they are not there. ' +
    "With 'candidates' it checks all candidates at once and writes output/requirements.json.",
  input,
  effect: 'idempotent',
  timeoutMs: 180_000,
  async run(context, value) {
    if (value.candidates) return citeCandidates(context, value, value.candidates);
    const { path = '', quotes } = value;
    const source = await openSource(context, path);
    if (!quotes) return { content: formatCitation(source, value.quote ?? '', readPlace(value)) };
    const results = quotes.map((entry) => catchToolError(() => formatCitation(source, entry.quote, readPlace(entry))));
    const refused = results.filter((result) => result instanceof ToolError);
    if (refused.length === results.length && refused[0]) throw refused[0];
    const lines = results.map(
      (result, i) =>
        `${i + 1}. ${result instanceof ToolError ? `REFUSED (${result.code}): ${result.message}` : result}`,
    );
    return {
      content: [`${results.length - refused.length} of ${results.length} quotations are there.`, ...lines].join('\n'),
    };
  },
});

function catchToolError(work: () => string): string | ToolError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
}

function readPlace({ page, lines }: Pick<Input, 'page' | 'lines'>): { from: number; to: number } | undefined {
  if (page !== undefined) return { from: page, to: page };
  return lines && { from: Math.min(lines.from, lines.to), to: Math.max(lines.from, lines.to) };
}

function formatCitation(
  source: Awaited<ReturnType<typeof openSource>>,
  quote: string,
  at: { from: number; to: number } | undefined,
): string {
  const { citation, others } = cite(source, { quote, place: at });
  const also = others.length > 0 ? ` (also on ${others.slice(0, 5).map(describeLocation).join(', ')})` : '';
  return `${JSON.stringify(citation)}${also}`;
}

async function citeCandidates(
  context: RemoteToolContext,
  value: Input,
  candidates: readonly string[],
): Promise<ToolOutcome> {
  const { exclude = [], include = [], additions = [], minConfidence, output = DEFAULT_OUTPUT } = value;
  const set = await collectRequirements(context, {
    candidates,
    exclude: new Set(exclude),
    include: new Set(include),
    additions,
    minConfidence,
  });
  const figures = renderFigures(set);
  const { unverified } = set;
  return {
    content: [
      `Wrote ${set.requirements.length} requirements to ${output}; every one has a citation that was found in its source.`,
      ...(unverified.length > 0
        ? [
            `Not verified and left out (${unverified.length}):`,
            ...unverified.slice(0, 20).map((entry) => `- ${entry.id}: ${entry.reason}`),
          ]
        : []),
      `Figures for the summary (also in ${FIGURES_FILE}):`,
      '',
      figures,
    ].join('\n'),
    files: [
      { path: toPath(output), content: encodeRequirements(set) },
      { path: FIGURES_FILE, content: Buffer.from(`# Figures\n\n${figures}`) },
    ],
  };
}
