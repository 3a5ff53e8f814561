import { createHash } from 'node:crypto';
import { type Block, type LocationUnit, findPlaces } from '../source-document.js';
import { introducesList } from '../block-builder.js';
import { yieldOrAbort, throwIfAborted } from '../yield-or-abort.js';
import { createYielder } from '@phaseline/basics';
import { segmentSentences, type Span } from '../sentence/segment-sentences.js';
import type { Candidate, OmittedSentence, Location } from './candidate.js';
import { explainSentence, type Finding, type SentenceContext } from './classify-sentence.js';
import { findObligationWords } from './obligation-words.js';
import { type Convention, detectConvention } from './convention.js';
import { inheritFinding, isIncomplete, isSubordinate, readHeadingModality, findSharedVerb } from './lead-in.js';
import { isNavigation, SectionRoles, normaliseTitle } from './section-role.js';
import type { ReadSentence } from './read-sentence.js';
import { buildStandaloneText } from './standalone-text.js';
import { getCellText, readRowDemand, isHeaderRow, isRankCell } from './table-row.js';

export interface FindOptions {
  readonly unit: LocationUnit;
  /** Path of the document, which makes ids unique across documents. */
  readonly document: string;
  readonly lowerCase?: SentenceContext['lowerCase'];
  readonly signal: AbortSignal;
}

export interface CandidateSearchResult {
  readonly candidates: readonly Candidate[];
  readonly convention: Convention;
  /** Sentences with words of obligation that are not candidates, each with the reason. */
  readonly omitted: readonly OmittedSentence[];
  /** Number of sentences examined. */
  readonly sentences: number;
}

/** Minimum confidence of a clear candidate. */
const MIN_CLEAR_CONFIDENCE = 0.5;
/** Minimum confidence at which an item in lower case is a requirement by itself, regardless of its lead-in sentence. */
const MIN_OWN_CONFIDENCE = 0.64;

/** Finds the sentences, items and rows of a document that demand, forbid, recommend or allow something. */
export async function findCandidates(blocks: readonly Block[], options: FindOptions): Promise<CandidateSearchResult> {
  const search = new CandidateSearch(blocks, await detectConvention(blocks, options.signal), options);
  const yieldIfDue = createYielder();
  /** Called after each sentence, because one block may have megabytes of them. */
  const yieldBetweenSentences = async (): Promise<void> => {
    await yieldIfDue();
    throwIfAborted(options.signal);
  };
  await yieldOrAbort(options.signal);
  for (let i = 0; i < blocks.length; i += 1) await search.read(i, yieldBetweenSentences);
  for (let i = 0; i < blocks.length; i += 1) {
    await yieldBetweenSentences();
    search.collect(i);
  }
  for (let i = 0; i < blocks.length; i += 1) {
    await yieldBetweenSentences();
    search.listOmitted(i);
  }
  return search.result();
}

class CandidateSearch {
  private readonly roles: SectionRoles;
  private readonly headings: ReadonlySet<string>;
  private readonly reads: ReadSentence[][] = [];
  private readonly candidates: Candidate[] = [];
  private readonly omitted: OmittedSentence[] = [];
  /** For each block, the ranges that candidates cover. */
  private readonly covered = new Map<number, Span[]>();
  private readonly skipped = new Map<number, string>();
  private readonly occurrences = new Map<string, number>();
  private sentences = 0;

  constructor(
    private readonly blocks: readonly Block[],
    private readonly convention: Convention,
    private readonly options: FindOptions,
  ) {
    this.roles = new SectionRoles(blocks);
    this.headings = new Set(
      blocks.filter((block) => block.kind === 'heading').map((block) => normaliseTitle(block.text)),
    );
  }

  /** First pass: classifies each sentence by itself. */
  async read(number: number, yieldBetweenSentences: () => Promise<void>): Promise<void> {
    await yieldBetweenSentences();
    const block = this.blocks[number];
    this.reads[number] = [];
    if (!block) return;
    const reason = this.findReasonToSkip(block, number);
    if (reason !== undefined) {
      this.skipped.set(number, reason);
      return;
    }
    const role = this.roles.getRole(block);
    const { lowerCase = 'auto' } = this.options;
    const { code: spans = [] } = block;
    let next = 0;
    for (const span of splitSentences(block)) {
      await yieldBetweenSentences();
      const text = block.text.slice(span.from, span.to);
      const code: [number, number][] = [];
      // Sentences and code spans are both in order, so each code span is examined for one sentence only.
      while ((spans[next]?.[0] ?? Infinity) < span.from) next += 1;
      for (let [from, to] = spans[next] ?? []; from !== undefined && from < span.to; [from, to] = spans[next] ?? []) {
        if (to !== undefined && to <= span.to) code.push([from - span.from, to - span.from]);
        next += 1;
      }
      const { finding, omitted } = explainSentence(text, { convention: this.convention, lowerCase, role, code });
      this.reads[number].push({ span, text, finding, ...(omitted && { omitted }) });
    }
    this.sentences += this.reads[number].length;
  }

  /** Returns why the sentences of a block are not classified, or undefined when they are. */
  private findReasonToSkip(block: Block, number: number): string | undefined {
    if (block.kind === 'heading') return 'it is a heading';
    if (block.kind === 'code') return 'it is code';
    if (isNavigation(block, this.headings))
      return 'it refers to another place: an entry of a table of contents, a caption';
    if (block.kind === 'table-row' && isHeaderRow(block, this.blocks[number + 1])) return 'it is the header of a table';
    return undefined;
  }

  /** Third pass: lists the sentences with words of obligation that did not become candidates, each with the reason. */
  listOmitted(number: number): void {
    const block = this.blocks[number];
    if (!block) return;
    const skipped = this.skipped.get(number);
    if (skipped !== undefined) {
      const keyword = findObligationWords(block.text)?.words;
      if (keyword !== undefined) this.addOmitted(number, toWholeSpan(block), keyword, skipped);
      return;
    }
    const covered = this.covered.get(number) ?? [];
    (block.cells ?? []).forEach(([from, to], i) => {
      const keyword = isRankCell(block, i) ? findObligationWords(getCellText(block, i))?.words : undefined;
      if (keyword !== undefined && covered.every((span) => span.to <= from || to <= span.from))
        this.addOmitted(number, { from, to }, keyword, 'its column only ranks the rows; the row states the demand');
    });
    for (const { span, text, finding, omitted } of this.reads[number] ?? []) {
      if (covered.some(({ from, to }) => from < span.to && span.from < to)) continue;
      if (omitted) this.addOmitted(number, span, omitted.keyword, omitted.reason);
      else if (finding) this.addOmitted(number, span, finding.keyword, this.explainNotTaken(block));
      else {
        const keyword = findObligationWords(text)?.words;
        if (keyword !== undefined)
          this.addOmitted(number, span, keyword, 'no rule treats these words alone as an obligation');
      }
    }
  }

  /** Returns why a sentence with a finding is not a separate candidate. */
  private explainNotTaken(block: Block): string {
    if (block.kind !== 'table-row') return 'its list items are candidates, with this sentence as their lead-in';
    const role = this.roles.getRole(block);
    return role === 'aside' || role === 'informative'
      ? 'its table is in a part that is about the document or is marked as informative'
      : 'the whole row is a candidate, or the cell only states its modality';
  }

  private addOmitted(number: number, span: Span, keyword: string, reason: string): void {
    const block = this.blocks[number];
    if (!block) return;
    this.omitted.push({
      quote: block.text.slice(span.from, span.to),
      keyword: keyword.slice(0, 200),
      reason,
      section: block.section,
      location: locate(block, span, this.options.unit),
      block: number,
      ...span,
    });
  }

  /** Second pass: collects candidates, including items and rows that inherit from their lead-in sentence. */
  collect(number: number): void {
    const block = this.blocks[number];
    const reads = this.reads[number] ?? [];
    if (!block || reads.length === 0) return;
    if (block.kind === 'table-row') {
      this.collectRow(number, block, reads);
      return;
    }
    this.applyLeadIn(block, reads);
    const inherited = block.kind === 'list-item' && !hasOwnFinding(reads) ? this.findInherited(block) : undefined;
    const introducesItems = /[:：]\s*$/.test(block.text) && this.blocks[number + 1]?.leadIn === number;
    if (inherited && !introducesItems) {
      this.add(number, toWholeSpan(block), inherited.finding, 'lead-in', inherited.from);
      return;
    }
    reads.forEach((read, i) => {
      if (!read.finding) return;
      const isLast = i === reads.length - 1;
      // "The operator shall:" is incomplete by itself; its items are the candidates.
      if (
        isLast &&
        introducesList(read.text) &&
        isIncomplete(read.text, read.finding) &&
        this.passesOn(number, read.text, read.finding)
      )
        return;
      this.add(number, read.span, read.finding, 'sentence', block.leadIn);
    });
  }

  /** Corrects the findings of an item according to its lead-in sentence. */
  private applyLeadIn(block: Block, reads: ReadSentence[]): void {
    const above =
      block.kind === 'list-item' && block.leadIn !== undefined ? this.reads[block.leadIn]?.at(-1) : undefined;
    if (!above) return;
    const verb = reads.every((read) => !read.finding) ? findSharedVerb(above.text, block.text) : undefined;
    const first = reads[0];
    if (verb && first) {
      reads[0] = {
        ...first,
        finding: {
          modality: 'obligation',
          confidence: 0.74,
          keyword: verb,
          keywords: [verb],
          end: 0,
          isUpperCase: false,
        },
      };
    } else if (isSubordinate(block.text) && (above.finding?.confidence ?? 0) < MIN_CLEAR_CONFIDENCE) {
      reads.forEach((read, i) => {
        if (read.finding && !read.finding.isUpperCase)
          reads[i] = { ...read, finding: { ...read.finding, confidence: read.finding.confidence / 2 } };
      });
    }
  }

  private collectRow(number: number, block: Block, reads: readonly ReadSentence[]): void {
    const role = this.roles.getRole(block);
    if (role === 'aside' || role === 'informative') return;
    const demand = readRowDemand(block);
    // The cell that states the demand of its row is not a separate sentence.
    const withFinding = reads.filter(
      (read) => read.finding && !(demand && demand.keyword.endsWith(read.text.replace(/[`*]/g, '').trim())),
    );
    const hasClearSentence = withFinding.some((read) => (read.finding?.confidence ?? 0) >= MIN_CLEAR_CONFIDENCE);
    if (demand && (demand.confidence >= MIN_CLEAR_CONFIDENCE || !hasClearSentence)) {
      const { modality, keyword, confidence } = demand;
      this.add(
        number,
        toWholeSpan(block),
        { modality, keyword, keywords: [keyword], confidence, end: 0, isUpperCase: false },
        'table',
        block.leadIn,
      );
    }
    if (hasClearSentence) {
      for (const read of withFinding)
        if (read.finding) this.add(number, read.span, read.finding, 'sentence', undefined);
      return;
    }
    if (demand) return;
    const inherited = this.findInherited(block);
    if (inherited) this.add(number, toWholeSpan(block), inherited.finding, 'lead-in', inherited.from);
    else
      for (const read of withFinding)
        if (read.finding) this.add(number, read.span, read.finding, 'sentence', undefined);
  }

  /** Returns the finding that a block inherits from the lead-in sentence or the heading above it. */
  private findInherited(block: Block): { finding: Finding; from: number | undefined } | undefined {
    for (let above = block.leadIn; above !== undefined;) {
      const owner = this.blocks[above];
      const last = this.reads[above]?.at(-1);
      if (!owner || !last || !introducesList(last.text)) return undefined;
      const finding = inheritFinding(last.text, last.finding);
      if (finding) return { finding, from: above };
      if (last.finding) return undefined;
      above = owner.leadIn;
    }
    const heading = block.leadIn === undefined ? readHeadingModality(block) : undefined;
    if (!heading || this.roles.getRole(block) !== 'normative') return undefined;
    const { modality, keyword } = heading;
    return {
      finding: { modality, keyword, keywords: [keyword], confidence: 0.64, end: 0, isUpperCase: false },
      from: undefined,
    };
  }

  /** Whether the first item of the list inherits its finding from this sentence. */
  private passesOn(number: number, text: string, finding: Finding): boolean {
    const item = this.blocks[number + 1];
    if (item?.leadIn !== number || (item.kind !== 'list-item' && item.kind !== 'table-row')) return false;
    return (
      !hasOwnFinding(this.reads[number + 1] ?? []) &&
      introducesList(text) &&
      inheritFinding(text, finding) !== undefined
    );
  }

  private add(
    number: number,
    span: Span,
    finding: Finding,
    found: Candidate['found'],
    leadIn: number | undefined,
  ): void {
    const block = this.blocks[number];
    if (!block) return;
    const quote = block.text.slice(span.from, span.to);
    const { text, context } = buildStandaloneText({
      blocks: this.blocks,
      reads: this.reads,
      number,
      quote,
      found,
      leadIn,
      passesOn: this.passesOn(number, quote, finding),
    });
    const { modality, keyword, keywords, confidence } = finding;
    this.covered.set(number, [...(this.covered.get(number) ?? []), span]);
    this.candidates.push({
      id: this.createId(block, quote),
      text,
      quote,
      modality,
      keyword,
      ...(keywords.length > 1 && { keywords: [...keywords] }),
      section: block.section,
      location: locate(block, span, this.options.unit),
      found,
      ...(context.length > 0 && { context }),
      confidence,
      block: number,
      ...span,
    });
  }

  private createId(block: Block, quote: string): string {
    const words = [this.options.document, ...block.section, quote].join('\n');
    const occurrence = (this.occurrences.get(words) ?? 0) + 1;
    this.occurrences.set(words, occurrence);
    return `REQ-${createHash('sha256').update(`${words}\n${occurrence}`).digest('hex').slice(0, 10)}`;
  }

  result(): CandidateSearchResult {
    const { candidates, convention, omitted, sentences } = this;
    return { candidates, convention, omitted, sentences };
  }
}

/** Whether an item states an obligation in its own words, and not only in a clause about one of its nouns. */
function hasOwnFinding(reads: readonly ReadSentence[]): boolean {
  return reads.some(
    ({ finding }) =>
      finding !== undefined && finding.confidence >= (finding.isUpperCase ? MIN_CLEAR_CONFIDENCE : MIN_OWN_CONFIDENCE),
  );
}

/** Returns the sentences of a block; for a table row, those of each cell. */
function splitSentences(block: Block): Span[] {
  if (!block.cells) return segmentSentences(block.text, block.code);
  return block.cells.flatMap(([from, to], i) =>
    isRankCell(block, i)
      ? []
      : segmentSentences(getCellText(block, i)).map((span) => ({
          from: from + span.from,
          to: Math.min(to, from + span.to),
        })),
  );
}

const toWholeSpan = (block: Block): Span => ({ from: 0, to: block.text.length });

function locate(block: Block, span: Span, unit: LocationUnit): Location {
  const places = findPlaces(block, span.from, span.to);
  return unit === 'line' ? { lines: places } : unit === 'page' ? { pages: places } : { paragraphs: places };
}
