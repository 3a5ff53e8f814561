import { createHash } from 'node:crypto';
import { type Block, type LocationUnit, placesOf } from '../format/source-document.js';
import { introducesList } from '../format/block-builder.js';
import { pause, throwIfAborted } from '../format/pause.js';
import { yielding } from '../../yield-loop.js';
import { segmentSentences, type Span } from '../sentence/segment-sentences.js';
import type { Candidate, LeftOutSentence, Location } from './candidate.js';
import { judgeSentence, type Finding, type SentenceContext } from './classify-sentence.js';
import { findObligationWords } from './obligation-words.js';
import { type Convention, conventionOf } from './convention.js';
import { inheritedFrom, isOpen, isSubordinate, modalityOfHeading, sharedVerb } from './lead-in.js';
import { isNavigation, SectionRoles, titleKey } from './section-role.js';
import type { ReadSentence } from './read-sentence.js';
import { standalone } from './standalone-text.js';
import { cellText, demandOfRow, isHeaderRow, isRankCell } from './table-row.js';

export interface FindOptions {
  readonly unit: LocationUnit;
  /** What the ids are made unique by: the path of the document. */
  readonly document: string;
  readonly lowerCase?: SentenceContext['lowerCase'];
  readonly signal: AbortSignal;
}

export interface Found {
  readonly candidates: readonly Candidate[];
  readonly convention: Convention;
  /** Sentences with words that may oblige which are no candidates, each with the reason. */
  readonly leftOut: readonly LeftOutSentence[];
  /** Sentences looked at. */
  readonly sentences: number;
}

/** Below this, words of obligation are taken for something else. */
const CLEAR = 0.5;
/** From this on, an item in lower case is taken to oblige by itself, whatever the sentence above it says. */
const OWN_WORDS = 0.64;

/** Finds the sentences, items and rows of a document that demand, forbid, recommend or allow something. */
export async function findCandidates(blocks: readonly Block[], options: FindOptions): Promise<Found> {
  const search = new CandidateSearch(blocks, await conventionOf(blocks, options.signal), options);
  const breathe = yielding();
  /** Lets others work after a slice of time, and after each sentence: one block may have megabytes of them. */
  const mayPause = async (): Promise<void> => {
    await breathe();
    throwIfAborted(options.signal);
  };
  await pause(options.signal);
  for (let i = 0; i < blocks.length; i += 1) await search.read(i, mayPause);
  for (let i = 0; i < blocks.length; i += 1) {
    await mayPause();
    search.collect(i);
  }
  for (let i = 0; i < blocks.length; i += 1) {
    await mayPause();
    search.account(i);
  }
  return search.result();
}

class CandidateSearch {
  private readonly roles: SectionRoles;
  private readonly headings: ReadonlySet<string>;
  private readonly reads: ReadSentence[][] = [];
  private readonly candidates: Candidate[] = [];
  private readonly leftOut: LeftOutSentence[] = [];
  /** For each block, the stretches that some candidate stands for. */
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
    this.headings = new Set(blocks.filter((block) => block.kind === 'heading').map((block) => titleKey(block.text)));
  }

  /** First pass: what does each sentence say by itself. */
  async read(number: number, mayPause: () => Promise<void>): Promise<void> {
    await mayPause();
    const block = this.blocks[number];
    this.reads[number] = [];
    if (!block) return;
    const reason = this.reasonToSkip(block, number);
    if (reason !== undefined) {
      this.skipped.set(number, reason);
      return;
    }
    const role = this.roles.of(block);
    const { lowerCase = 'auto' } = this.options;
    const { code: spans = [] } = block;
    let next = 0;
    for (const span of sentencesOf(block)) {
      await mayPause();
      const text = block.text.slice(span.from, span.to);
      const code: [number, number][] = [];
      // Both are in order, so each stretch of code is looked at for one sentence alone.
      while ((spans[next]?.[0] ?? Infinity) < span.from) next += 1;
      for (let [from, to] = spans[next] ?? []; from !== undefined && from < span.to; [from, to] = spans[next] ?? []) {
        if (to !== undefined && to <= span.to) code.push([from - span.from, to - span.from]);
        next += 1;
      }
      const { finding, leftOut } = judgeSentence(text, { convention: this.convention, lowerCase, role, code });
      this.reads[number].push({ span, text, finding, ...(leftOut && { leftOut }) });
    }
    this.sentences += this.reads[number].length;
  }

  /** Blocks whose sentences say nothing by themselves. */
  private reasonToSkip(block: Block, number: number): string | undefined {
    if (block.kind === 'heading') return 'it is a heading';
    if (block.kind === 'code') return 'it is code';
    if (isNavigation(block, this.headings))
      return 'it points at another place: an entry of a table of contents, a caption';
    if (block.kind === 'table-row' && isHeaderRow(block, this.blocks[number + 1])) return 'it is the header of a table';
    return undefined;
  }

  /** Third pass: what has words of obligation and became no candidate is listed with the reason. */
  account(number: number): void {
    const block = this.blocks[number];
    if (!block) return;
    const skipped = this.skipped.get(number);
    if (skipped !== undefined) {
      const keyword = findObligationWords(block.text)?.words;
      if (keyword !== undefined) this.leaveOut(number, wholeOf(block), keyword, skipped);
      return;
    }
    const covered = this.covered.get(number) ?? [];
    (block.cells ?? []).forEach(([from, to], i) => {
      const keyword = isRankCell(block, i) ? findObligationWords(cellText(block, i))?.words : undefined;
      if (keyword !== undefined && covered.every((span) => span.to <= from || to <= span.from))
        this.leaveOut(
          number,
          { from, to },
          keyword,
          'its column ranks the rows, and the row says itself what it demands',
        );
    });
    for (const { span, text, finding, leftOut } of this.reads[number] ?? []) {
      if (covered.some(({ from, to }) => from < span.to && span.from < to)) continue;
      if (leftOut) this.leaveOut(number, span, leftOut.keyword, leftOut.reason);
      else if (finding) this.leaveOut(number, span, finding.keyword, this.reasonNotTaken(block));
      else {
        const keyword = findObligationWords(text)?.words;
        if (keyword !== undefined)
          this.leaveOut(number, span, keyword, 'no rule takes these words for an obligation by themselves');
      }
    }
  }

  /** Why a sentence with a finding is no candidate of its own. */
  private reasonNotTaken(block: Block): string {
    if (block.kind !== 'table-row') return 'its items say it: they are candidates, with this sentence in front';
    const role = this.roles.of(block);
    return role === 'aside' || role === 'informative'
      ? 'its table stands in a part that is about the document or calls itself informative'
      : 'its row is a candidate as a whole, or the cell says how the row is demanded';
  }

  private leaveOut(number: number, span: Span, keyword: string, reason: string): void {
    const block = this.blocks[number];
    if (!block) return;
    this.leftOut.push({
      quote: block.text.slice(span.from, span.to),
      keyword: keyword.slice(0, 200),
      reason,
      section: block.section,
      location: locate(block, span, this.options.unit),
      block: number,
      ...span,
    });
  }

  /** Second pass: what do items and rows take from the sentence above them. */
  collect(number: number): void {
    const block = this.blocks[number];
    const reads = this.reads[number] ?? [];
    if (!block || reads.length === 0) return;
    if (block.kind === 'table-row') {
      this.collectRow(number, block, reads);
      return;
    }
    this.settle(block, reads);
    const inherited = block.kind === 'list-item' && !speaksForItself(reads) ? this.inherited(block) : undefined;
    const leadsOn = /[:：]\s*$/.test(block.text) && this.blocks[number + 1]?.leadIn === number;
    if (inherited && !leadsOn) {
      this.add(number, wholeOf(block), inherited.finding, 'lead-in', inherited.from);
      return;
    }
    reads.forEach((read, i) => {
      if (!read.finding) return;
      const last = i === reads.length - 1;
      // "The operator shall:" says nothing by itself; its items say it.
      if (
        last &&
        introducesList(read.text) &&
        isOpen(read.text, read.finding) &&
        this.passesOn(number, read.text, read.finding)
      )
        return;
      this.add(number, read.span, read.finding, 'sentence', block.leadIn);
    });
  }

  /** Corrects what an item says by itself by the sentence that it is a part of. */
  private settle(block: Block, reads: ReadSentence[]): void {
    const above =
      block.kind === 'list-item' && block.leadIn !== undefined ? this.reads[block.leadIn]?.at(-1) : undefined;
    if (!above) return;
    const verb = reads.every((read) => !read.finding) ? sharedVerb(above.text, block.text) : undefined;
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
          upperCase: false,
        },
      };
    } else if (isSubordinate(block.text) && (above.finding?.confidence ?? 0) < CLEAR) {
      reads.forEach((read, i) => {
        if (read.finding && !read.finding.upperCase)
          reads[i] = { ...read, finding: { ...read.finding, confidence: read.finding.confidence / 2 } };
      });
    }
  }

  private collectRow(number: number, block: Block, reads: readonly ReadSentence[]): void {
    const role = this.roles.of(block);
    if (role === 'aside' || role === 'informative') return;
    const demand = demandOfRow(block);
    // The cell that was just read as the demand of its row is not a sentence of its own.
    const spoken = reads.filter(
      (read) => read.finding && !(demand && demand.keyword.endsWith(read.text.replace(/[`*]/g, '').trim())),
    );
    const isSpoken = spoken.some((read) => (read.finding?.confidence ?? 0) >= CLEAR);
    if (demand && (demand.confidence >= CLEAR || !isSpoken)) {
      const { modality, keyword, confidence } = demand;
      this.add(
        number,
        wholeOf(block),
        { modality, keyword, keywords: [keyword], confidence, end: 0, upperCase: false },
        'table',
        block.leadIn,
      );
    }
    if (isSpoken) {
      for (const read of spoken) if (read.finding) this.add(number, read.span, read.finding, 'sentence', undefined);
      return;
    }
    if (demand) return;
    const inherited = this.inherited(block);
    if (inherited) this.add(number, wholeOf(block), inherited.finding, 'lead-in', inherited.from);
    else for (const read of spoken) if (read.finding) this.add(number, read.span, read.finding, 'sentence', undefined);
  }

  /** What the sentence above a list, or the heading above it, passes on to its items. */
  private inherited(block: Block): { finding: Finding; from: number | undefined } | undefined {
    for (let above = block.leadIn; above !== undefined;) {
      const owner = this.blocks[above];
      const last = this.reads[above]?.at(-1);
      if (!owner || !last || !introducesList(last.text)) return undefined;
      const finding = inheritedFrom(last.text, last.finding);
      if (finding) return { finding, from: above };
      if (last.finding) return undefined;
      above = owner.leadIn;
    }
    const heading = block.leadIn === undefined ? modalityOfHeading(block) : undefined;
    if (!heading || this.roles.of(block) !== 'normative') return undefined;
    const { modality, keyword } = heading;
    return {
      finding: { modality, keyword, keywords: [keyword], confidence: 0.64, end: 0, upperCase: false },
      from: undefined,
    };
  }

  /** Whether the first item of the list takes its obligation from this sentence. */
  private passesOn(number: number, text: string, finding: Finding): boolean {
    const item = this.blocks[number + 1];
    if (item?.leadIn !== number || (item.kind !== 'list-item' && item.kind !== 'table-row')) return false;
    return (
      !speaksForItself(this.reads[number + 1] ?? []) &&
      introducesList(text) &&
      inheritedFrom(text, finding) !== undefined
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
    const { text, context } = standalone({
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
      id: this.idOf(block, quote),
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

  private idOf(block: Block, quote: string): string {
    const words = [this.options.document, ...block.section, quote].join('\n');
    const occurrence = (this.occurrences.get(words) ?? 0) + 1;
    this.occurrences.set(words, occurrence);
    return `REQ-${createHash('sha256').update(`${words}\n${occurrence}`).digest('hex').slice(0, 10)}`;
  }

  result(): Found {
    const { candidates, convention, leftOut, sentences } = this;
    return { candidates, convention, leftOut, sentences };
  }
}

/** Whether an item has words of obligation of its own, and not just some in a clause about one of its nouns. */
function speaksForItself(reads: readonly ReadSentence[]): boolean {
  return reads.some(
    ({ finding }) => finding !== undefined && finding.confidence >= (finding.upperCase ? CLEAR : OWN_WORDS),
  );
}

/** The sentences of a block; in a table row, those of each cell. */
function sentencesOf(block: Block): Span[] {
  if (!block.cells) return segmentSentences(block.text, block.code);
  return block.cells.flatMap(([from, to], i) =>
    isRankCell(block, i)
      ? []
      : segmentSentences(cellText(block, i)).map((span) => ({
          from: from + span.from,
          to: Math.min(to, from + span.to),
        })),
  );
}

const wholeOf = (block: Block): Span => ({ from: 0, to: block.text.length });

export function locate(block: Block, span: Span, unit: LocationUnit): Location {
  const places = placesOf(block, span.from, span.to);
  return unit === 'line' ? { lines: places } : unit === 'page' ? { pages: places } : { paragraphs: places };
}
