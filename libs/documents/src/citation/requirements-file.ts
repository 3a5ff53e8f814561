import { MODALITIES, ToolError, type Modality } from '@phaseline/contracts';
import { z } from 'zod';
import { locationSchema, type Candidate } from '../requirement/candidate.js';
import type { Citation } from './cite.js';

const REQUIREMENTS_SCHEMA = 'phaseline.requirements/1';

/** One entry of `output/requirements.json`. */
export interface Requirement {
  readonly id: string;
  /** The requirement in words that can be understood without its context. */
  readonly text: string;
  readonly modality: Modality;
  /** The word that obliges. */
  readonly keyword: string;
  /** All words of obligation, if there are several. */
  readonly keywords?: readonly string[];
  readonly section: readonly string[];
  readonly citation: Citation;
  /** Further quotations that `text` is based on, such as the lead-in sentence of a list. */
  readonly context?: readonly Citation[];
  readonly confidence: number;
  readonly found: Candidate['found'] | 'agent';
}

/** A candidate that did not become a requirement, and the reason. */
export interface OmittedCandidate {
  readonly id: string;
  readonly reason: string;
}

interface Figures {
  readonly requirements: number;
  readonly documents: number;
  readonly byModality: Readonly<Record<string, number>>;
  readonly bySection: readonly { readonly document: string; readonly section: string; readonly requirements: number }[];
  readonly byConfidence: { readonly high: number; readonly medium: number; readonly low: number };
  readonly excluded: number;
  readonly unverified: number;
  readonly doubtful: number;
}

export interface RequirementSet {
  readonly requirements: readonly Requirement[];
  readonly documents: readonly { readonly path: string; readonly sha256: string; readonly requirements: number }[];
  readonly excluded: readonly OmittedCandidate[];
  readonly unverified: readonly OmittedCandidate[];
  readonly doubtful: number;
}

function computeFigures({ requirements, documents, excluded, unverified, doubtful }: RequirementSet): Figures {
  const count = (test: (requirement: Requirement) => boolean): number => requirements.filter(test).length;
  const sections = new Map<string, { document: string; section: string; requirements: number }>();
  for (const { citation, section } of requirements) {
    const name = findChapter(section);
    const key = `${citation.document}\n${name}`;
    const entry = sections.get(key) ?? { document: citation.document, section: name, requirements: 0 };
    sections.set(key, { ...entry, requirements: entry.requirements + 1 });
  }
  return {
    requirements: requirements.length,
    documents: documents.length,
    byModality: Object.fromEntries(
      MODALITIES.map((modality) => [modality, count((requirement) => requirement.modality === modality)]),
    ),
    bySection: [...sections.values()],
    byConfidence: {
      high: count(({ confidence }) => confidence >= 0.8),
      medium: count(({ confidence }) => confidence >= 0.6 && confidence < 0.8),
      low: count(({ confidence }) => confidence < 0.6),
    },
    excluded: excluded.length,
    unverified: unverified.length,
    doubtful,
  };
}

/** Returns the second heading, because the first is mostly the title of the whole document; otherwise the first. */
function findChapter(section: readonly string[]): string {
  return section[1] ?? section[0] ?? '(before the first heading)';
}

export function encodeRequirements(set: RequirementSet): Uint8Array {
  const { documents, excluded, unverified, requirements } = set;
  const value = {
    schema: REQUIREMENTS_SCHEMA,
    documents,
    figures: computeFigures(set),
    excluded,
    unverified,
    requirements,
  };
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

/** Only what readers of the file use. Other tools and agents may write additional members. */
const requirementsFileSchema = z.object({
  requirements: z.array(
    z.object({
      id: z.string().min(1).max(200),
      text: z.string().min(1).max(8_000),
      citation: z.object({
        document: z.string(),
        ...locationSchema.shape,
      }),
    }),
  ),
});
export type RequirementText = z.infer<typeof requirementsFileSchema>['requirements'][number];

/** Decodes the texts of a requirements file, which may have been edited by hand. Throws `not_requirements` with the invalid entry. */
export function decodeRequirementTexts(path: string, bytes: Uint8Array): readonly RequirementText[] {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new ToolError('not_requirements', `'${path}' is not JSON. Write it with cite_document.`, { cause });
  }
  const parsed = requirementsFileSchema.safeParse(value);
  if (parsed.success) return parsed.data.requirements;
  const [issue] = parsed.error.issues;
  throw new ToolError(
    'not_requirements',
    `'${path}' is not a requirements file: ${issue?.path.join('.')}: ${issue?.message}. Write it with cite_document.`,
    { cause: parsed.error },
  );
}

/** Maximum sections in the table, so that a summary stays within two pages. */
const MAX_TABLE_SECTIONS = 30;

/** Renders the figures as Markdown for the summary. */
export function renderFigures(set: RequirementSet): string {
  const figures = computeFigures(set);
  const modalityRows = Object.entries(figures.byModality).map(([modality, number]) => `| ${modality} | ${number} |`);
  // The largest sections, in document order; requirements.json counts all.
  const shown = new Set(
    [...figures.bySection].sort((a, b) => b.requirements - a.requirements).slice(0, MAX_TABLE_SECTIONS),
  );
  const others = figures.bySection.filter((row) => !shown.has(row));
  const sectionRows = [
    ...figures.bySection
      .filter((row) => shown.has(row))
      .map((row) => `| ${row.document} | ${row.section.replaceAll('|', '\\|')} | ${row.requirements} |`),
    ...(others.length > 0
      ? [`| | ${others.length} more sections | ${others.reduce((sum, row) => sum + row.requirements, 0)} |`]
      : []),
  ];
  return [
    `- Requirements: ${figures.requirements}, each with a citation that was verified against its source`,
    `- Documents: ${set.documents.map((document) => `${document.path} (${document.requirements})`).join(', ')}`,
    `- Confidence: ${figures.byConfidence.high} high (0.8 and above), ${figures.byConfidence.medium} medium, ${figures.byConfidence.low} low (below 0.6)`,
    `- Omitted: ${figures.excluded} excluded in the review, ${figures.unverified} not verified, ${figures.doubtful} doubtful`,
    '',
    '| modality | requirements |',
    '|---|---|',
    ...modalityRows,
    '',
    '| document | section | requirements |',
    '|---|---|---|',
    ...sectionRows,
    '',
  ].join('\n');
}
