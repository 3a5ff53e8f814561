import { createHash } from 'node:crypto';
import type { RemoteToolContext } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { type Modality } from '@phaseline/contracts';
import {
  yieldOrAbort,
  decodeCandidates,
  cite,
  normalise,
  type Candidate,
  type CandidatesFile,
  type Citation,
  type CitedSource,
  type OmittedCandidate,
  type Requirement,
  type RequirementSet,
} from '@phaseline/documents';
import { readFile } from './workspace-files.js';
import { openSource } from './source-cache.js';

interface Addition {
  readonly path: string;
  readonly quote: string;
  readonly modality: Modality;
  readonly text?: string | undefined;
}

export interface Selection {
  /** Paths of files that `identify_requirement_candidates` wrote. */
  readonly candidates: readonly string[];
  /** Ids of candidates that the reviewer excludes. */
  readonly exclude: ReadonlySet<string>;
  /** Ids of doubtful candidates that the reviewer includes. */
  readonly include: ReadonlySet<string>;
  /** Requirements that the agent found and the tools missed. */
  readonly additions: readonly Addition[];
  /** Minimum confidence of a candidate; the one with which its file was written counts too. */
  readonly minConfidence: number;
}

/** Citations that are checked before the loop yields to the event loop. */
const CITATIONS_PER_TURN = 100;

/**
 * Turns candidates into requirements. Looks each candidate up in its source again and keeps only those found there.
 *
 * Throws `document_changed` when a document changed after its extraction, `unknown_id` for an id that no candidate has, and
 * `quote_not_found` for an addition whose words are not in its document.
 */
export async function collectRequirements(context: RemoteToolContext, selection: Selection): Promise<RequirementSet> {
  const requirements = new Map<string, Requirement>();
  const unverified: OmittedCandidate[] = [];
  const excluded: OmittedCandidate[] = [];
  const sources = new Map<string, CitedSource>();
  const doubtful = new Set<string>();
  const seen = new Set<string>();
  let done = 0;
  for (const path of selection.candidates) {
    const file = decodeCandidates(path, await readFile(context, path));
    const source = await openUnchangedSource(context, sources, file);
    for (const candidate of file.candidates) {
      if ((done += 1) % CITATIONS_PER_TURN === 0) await yieldOrAbort(context.signal);
      if (seen.has(candidate.id)) continue;
      seen.add(candidate.id);
      if (selection.exclude.has(candidate.id)) {
        excluded.push({ id: candidate.id, reason: `excluded on review: ${candidate.text}` });
      } else if (
        candidate.confidence < Math.max(selection.minConfidence, file.minConfidence) &&
        !selection.include.has(candidate.id)
      ) {
        doubtful.add(candidate.id);
      } else {
        const requirement = verifyCandidate(source, candidate);
        if ('reason' in requirement) unverified.push(requirement);
        else requirements.set(candidate.id, requirement);
      }
    }
  }
  const unknown = [...selection.exclude, ...selection.include].filter((id) => !seen.has(id));
  if (unknown.length > 0) {
    throw new ToolError(
      'unknown_id',
      `No candidate has the id ${unknown.slice(0, 10).join(', ')}. Use ids from the candidates files.`,
    );
  }
  for (const addition of selection.additions) {
    const requirement = await verifyAddition(context, sources, addition);
    requirements.set(requirement.id, requirement);
  }
  const kept = [...requirements.values()];
  const documents = [...sources.values()].map(({ path, sha256 }) => ({
    path,
    sha256,
    requirements: kept.filter(({ citation }) => citation.document === path).length,
  }));
  return { requirements: kept, documents, excluded, unverified, doubtful: doubtful.size };
}

async function openUnchangedSource(
  context: RemoteToolContext,
  sources: Map<string, CitedSource>,
  file: CandidatesFile,
): Promise<CitedSource> {
  const source = sources.get(file.document) ?? (await openSource(context, file.document));
  if (source.sha256 !== file.sha256) {
    throw new ToolError(
      'document_changed',
      `'${file.document}' has changed since it was extracted. Run extract_document_text and identify_requirement_candidates on it again.`,
    );
  }
  sources.set(file.document, source);
  return source;
}

function verifyCandidate(source: CitedSource, candidate: Candidate): Requirement | OmittedCandidate {
  try {
    const place = Object.values(candidate.location)[0];
    const { citation } = cite(source, { quote: candidate.quote, place, block: candidate.block });
    const context = (candidate.context ?? []).map(
      ({ quote, block }): Citation => cite(source, { quote, block }).citation,
    );
    // Use the standalone text only if it contains the quoted words themselves.
    const containsQuote =
      normalise(candidate.text, { ignoreSpacing: true }).text.includes(
        normalise(candidate.quote, { ignoreSpacing: true }).text,
      ) ||
      candidate.found === 'table' ||
      candidate.found === 'lead-in';
    return {
      id: candidate.id,
      text: containsQuote ? candidate.text : candidate.quote,
      modality: candidate.modality,
      keyword: candidate.keyword,
      ...(candidate.keywords && { keywords: candidate.keywords }),
      section: candidate.section,
      citation,
      ...(context.length > 0 && { context }),
      confidence: candidate.confidence,
      found: candidate.found,
    };
  } catch (error) {
    if (error instanceof ToolError && error.code === 'quote_not_found')
      return { id: candidate.id, reason: error.message };
    throw error;
  }
}

/** Confidence of a requirement that the agent added: its citation is verified, but the agent states no confidence. */
const ADDITION_CONFIDENCE = 0.6;

async function verifyAddition(
  context: RemoteToolContext,
  sources: Map<string, CitedSource>,
  addition: Addition,
): Promise<Requirement> {
  const source =
    [...sources.values()].find(({ path }) => path === addition.path) ?? (await openSource(context, addition.path));
  sources.set(source.path, source);
  const { citation, block } = cite(source, { quote: addition.quote });
  const section = source.index.document.blocks[block]?.section ?? [];
  const id = `REQ-${createHash('sha256')
    .update([source.path, ...section, citation.quote, 'agent'].join('\n'))
    .digest('hex')
    .slice(0, 10)}`;
  return {
    id,
    text: addition.text ?? addition.quote,
    modality: addition.modality,
    keyword: '',
    section,
    citation,
    confidence: ADDITION_CONFIDENCE,
    found: 'agent',
  };
}
