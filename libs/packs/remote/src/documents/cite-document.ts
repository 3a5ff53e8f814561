import { DEFAULT_REQUIREMENTS_FILE, documentsSpec } from '@phaseline/pack-specs';
import type { ToolInput, ToolRun, RemoteToolContext, ToolOutcome } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { cite, encodeRequirements, renderFigures, describeLocation } from '@phaseline/documents';
import { collectRequirements } from './collect-requirements.js';
import { openSource } from './source-cache.js';
import { toPath } from './workspace-files.js';

const FIGURES_FILE = 'work/figures.md';

type Input = ToolInput<typeof documentsSpec, 'cite_document'>;

/**
 * Tool that checks quotations against the source document. It takes one `quote`, several `quotes`, or files of `candidates`. Of the
 * candidates it checks all and writes those found to `output/requirements.json`, with figures for the summary in `work/figures.md`.
 */
export const citeDocument: ToolRun<typeof documentsSpec, 'cite_document'> = async (context, value) => {
  if (value.candidates) return citeCandidates(context, value, value.candidates);
  const { path = '', quotes } = value;
  const source = await openSource(context, path);
  if (!quotes) return { content: formatCitation(source, value.quote ?? '', readPlace(value)) };
  const results = quotes.map((entry) => catchToolError(() => formatCitation(source, entry.quote, readPlace(entry))));
  const refused = results.filter((result) => result instanceof ToolError);
  if (refused.length === results.length && refused[0]) throw refused[0];
  const lines = results.map(
    (result, i) =>
      `${i + 1}. ${result instanceof ToolError ? `NOT FOUND (${result.code}): ${result.message}` : result}`,
  );
  return {
    content: [`${results.length - refused.length} of ${results.length} quotations were found.`, ...lines].join('\n'),
  };
};

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
  const { exclude = [], include = [], additions = [], minConfidence = 0, output = DEFAULT_REQUIREMENTS_FILE } = value;
  const set = await collectRequirements(context, {
    candidates,
    exclude: new Set(exclude),
    include: new Set(include),
    additions,
    minConfidence: Math.max(minConfidence, context.settings?.documents?.minConfidence ?? 0),
  });
  const figures = renderFigures(set);
  const { unverified } = set;
  return {
    content: [
      `Wrote ${set.requirements.length} requirements to ${output}. The citation of each was found in its source.`,
      ...(unverified.length > 0
        ? [
            `Omitted because their quotations were not found (${unverified.length}):`,
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
