import type { InlineText } from './inline-text.js';
import type { BlockKind, SourceBlock } from './source-document.js';

type Extra = Partial<Pick<SourceBlock, 'level' | 'leadIn' | 'cells' | 'header'>>;

/** The end of a sentence that introduces a list, such as a colon or "as follows". */
const introduction =
  /(?:[:：]|\b(?:following|as follows|below)\b[^.;]{0,60}[.]?|\b(?:folgende[mnrs]?|wie folgt|nachstehende[mnrs]?)\b[^.;]{0,60}[.]?)\s*$/iu;
/** A sentence that breaks off and is completed by each item of its list, as is common in statutes. */
const unfinishedSentence = /^(?:\S+\s+){5,}\S*[\p{L},]$/u;

/** Whether a text introduces the list or table that follows it. */
export function introducesList(text: string): boolean {
  return introduction.test(text) || unfinishedSentence.test(text);
}

/** Collects the blocks of a document in reading order and records the headings above each block. */
export class BlockBuilder {
  readonly blocks: SourceBlock[] = [];
  private readonly trail: { level: number; text: string }[] = [];

  addHeading(level: number, inline: InlineText): void {
    while ((this.trail.at(-1)?.level ?? -1) >= level) this.trail.pop();
    if (this.add('heading', inline, { level }) !== undefined) this.trail.push({ level, text: inline.text });
  }

  /** Appends a block and returns its number, or undefined when it has no text. */
  add(kind: BlockKind, inline: InlineText, extra: Extra = {}): number | undefined {
    const { text, marks, code, runs, wraps } = inline;
    if (text === '') return undefined;
    const { level, leadIn, cells, header } = extra;
    this.blocks.push({
      kind,
      text,
      section: this.trail.map((heading) => heading.text),
      ...(level !== undefined && { level }),
      ...(leadIn !== undefined && { leadIn }),
      ...(cells && { cells }),
      ...(header && { header }),
      ...(code.length > 0 && { code }),
      marks,
      ...(runs.length > 0 && { runs }),
      ...(wraps.length > 0 && { wraps }),
    });
    return this.blocks.length - 1;
  }

  /** Returns the number of the last block if it introduces a list. */
  findLeadIn(): number | undefined {
    const last = this.blocks.at(-1);
    if (!last || last.kind === 'heading' || last.kind === 'code' || last.kind === 'table-row') return undefined;
    return introducesList(last.text) ? this.blocks.length - 1 : undefined;
  }
}
