import type { Block } from '../source-document.js';
import type { Modality } from '@phaseline/contracts';

/** Names of columns whose cells state whether the row is required. */
const demandColumn =
  /^(?:required|mandatory|obligatory|obligation|necessity|req(?:'d|\.)?|req(?:uirement)? level|conformance|modality|m\/o|must\/should|moscow|pflicht(?:feld|angabe)?|erforderlich|verbindlich(?:keit)?|muss(?:\/soll)?|notwendig|verpflichtend)\s*\??\*?$/i;

/** Names of columns that rank rows. "Must" in such a column states the urgency; that the row is required is only likely. */
const rankColumn =
  /^(?:prio(?:rit(?:y|ies|ät|äten))?\.?|severity|importance|urgency|rank(?:ing)?|dringlichkeit|wichtigkeit|rang)\s*$/i;
/** Confidence of a ranked row: doubtful. */
const RANK_CONFIDENCE = 0.45;

const demands: readonly (readonly [RegExp, Modality])[] = [
  [
    /^(?:must|shall|required|mandatory|yes|y|true|x|✓|✔|✅|m|r|ja|j|muss|pflicht|erforderlich|verpflichtend|always)$/i,
    'obligation',
  ],
  [/^(?:must not|shall not|prohibited|forbidden|not allowed|darf nicht|verboten|never)$/i, 'prohibition'],
  [/^(?:should|recommended|soll(?:te)?|empfohlen|s)$/i, 'recommendation'],
  [/^(?:should not|not recommended|sollte nicht)$/i, 'discouraged'],
];
/** Cells that state a requirement regardless of the name of their column. */
const keywordCell =
  /^(?:MUST(?: NOT)?|SHALL(?: NOT)?|SHOULD(?: NOT)?|REQUIRED|(?:NOT )?RECOMMENDED|MAY|OPTIONAL|Must|Shall|Should|MUSS|SOLL|SOLLTE|Muss|Soll|Sollte|DARF NICHT|Darf nicht)$/;

export interface RowDemand {
  readonly modality: Modality;
  readonly keyword: string;
  readonly confidence: number;
}

export function getCellText(block: Block, index: number): string {
  const [from, to] = block.cells?.[index] ?? [0, 0];
  return block.text.slice(from, to);
}

/** Whether a row is the header of the rows under it. */
export function isHeaderRow(block: Block, next: Block | undefined): boolean {
  if (block.header || !next?.header || !block.cells) return false;
  return next.header.length === block.cells.length && next.header.every((name, i) => name === getCellText(block, i));
}

/** Whether a cell only ranks its row, so that its words are not a sentence. */
export function isRankCell(block: Block, index: number): boolean {
  return isRankColumn(block.header?.[index] ?? '') && getCellText(block, index).trim().split(/\s+/).length <= 3;
}

const isRankColumn = (column: string): boolean => rankColumn.test(column.replace(/[`*]/g, '').trim());

/** Returns the demand that a cell like `yes` in the column "Required", or a bare `MUST`, states for the whole row. */
export function readRowDemand(block: Block): RowDemand | undefined {
  const cells = block.cells ?? [];
  for (const [i] of cells.entries()) {
    const value = getCellText(block, i).replace(/[`*]/g, '').trim();
    const column = block.header?.[i] ?? '';
    const isUpperCase = /^[A-ZÄÖÜ ]{3,}$/.test(value);
    if (demandColumn.test(column.replace(/[`*]/g, '').trim())) {
      const found = demands.find(([pattern]) => pattern.test(value));
      if (found) return { modality: found[1], keyword: `${column}: ${value}`, confidence: isUpperCase ? 0.9 : 0.72 };
    }
    if (keywordCell.test(value) && cells.length > 1) {
      const found = demands.find(([pattern]) => pattern.test(value));
      const modality = found?.[1] ?? (/^may$/i.test(value) ? 'permission' : 'optional');
      if (isRankColumn(column)) return { modality, keyword: `${column}: ${value}`, confidence: RANK_CONFIDENCE };
      return { modality, keyword: value, confidence: isUpperCase ? 0.9 : 0.7 };
    }
  }
  return undefined;
}
