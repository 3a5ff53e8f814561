import type { PdfLine } from './pdf-lines.js';

/** What a page is made of, in reading order: lines of running text, and rows of tables with the lines of each cell. */
export type PdfElement = { readonly line: PdfLine } | { readonly row: readonly (readonly PdfLine[])[] };

interface Band {
  readonly lines: PdfLine[];
  bottom: number;
}

type Row = PdfLine[][];

/** A column of running text is longer than this many lines; a cell of a table is shorter. */
const CELL_LINES = 16;
/** Columns are set apart by more than this many font sizes; it can be little, as words on one baseline are one line already. */
const GUTTER = 0.35;
/** Two columns start at the same place within this many font sizes. */
const ALIGNED = 0.7;

/**
 * Finds the rows of tables among the lines of one page. Lines are gathered into horizontal bands that white space sets
 * apart; a band whose text stands in several columns is a row, if its columns are short and other rows are built alike.
 * Everything else stays in the order of the page's stream, which keeps columns of running text apart.
 */
export function elementsOfPage(lines: readonly PdfLine[], leading: number): PdfElement[] {
  const rows = new Map<PdfLine, Row>();
  let table: Row[] = [];
  const close = (): void => {
    for (const row of confirmed(table)) for (const line of row.flat()) rows.set(line, row);
    table = [];
  };
  for (const band of bandsOf(lines, leading)) {
    const found = rowsOfBand(band.lines);
    if (found.length === 0) close();
    else table.push(...found);
  }
  close();
  const done = new Set<Row>();
  return lines.flatMap((line): PdfElement[] => {
    const row = rows.get(line);
    if (!row) return [{ line }];
    if (done.has(row)) return [];
    done.add(row);
    return [{ row }];
  });
}

function bandsOf(lines: readonly PdfLine[], leading: number): Band[] {
  const bands: Band[] = [];
  for (const line of [...lines].sort((a, b) => a.y - b.y)) {
    const band = bands.at(-1);
    // Letters reach about three quarters of their size above the baseline and a quarter below it.
    const top = line.y - line.size * 0.75;
    const bottom = line.y + line.size * 0.25;
    if (band && top <= band.bottom + line.size * (leading - 1 + 0.2)) {
      band.lines.push(line);
      band.bottom = Math.max(band.bottom, bottom);
    } else bands.push({ lines: [line], bottom });
  }
  return bands;
}

function columnsOf(lines: readonly PdfLine[]): Row {
  const columns: { lines: PdfLine[]; right: number }[] = [];
  for (const line of [...lines].sort((a, b) => a.x - b.x)) {
    const column = columns.at(-1);
    if (column && line.x <= column.right + line.size * GUTTER) {
      column.lines.push(line);
      column.right = Math.max(column.right, line.right);
    } else columns.push({ lines: [line], right: line.right });
  }
  return columns.map((column) => column.lines.sort((a, b) => a.y - b.y));
}

function rowsOfBand(lines: readonly PdfLine[]): Row[] {
  const columns = columnsOf(lines);
  const [first] = columns;
  if (columns.length < 2 || !first || isRunningText(columns)) return [];
  if (columns.filter((column) => column.length > CELL_LINES).length >= 2 && !splitsAtBaselines(columns)) return [];
  return splitsAtBaselines(columns) ? splitAtBaselines(columns) : [columns];
}

/** Two columns of text: most lines go on in the middle of a sentence, which cells of a table do not. */
function isRunningText(columns: Row): boolean {
  const lines = columns.flat();
  const continued = lines.filter((line) => /^\p{Ll}/u.test(line.text)).length;
  return columns.every((column) => column.length >= 4) && continued > lines.length * 0.5;
}

const level = (a: PdfLine, b: PdfLine): boolean => Math.abs(a.y - b.y) < a.size * 0.3;

/** Whether rows follow each other without white space: then every line of the first column has a neighbour in each other column. */
function splitsAtBaselines(columns: Row): boolean {
  const [first = [], ...others] = columns;
  return (
    first.length > 1 && others.every((column) => first.every((line) => column.some((other) => level(line, other))))
  );
}

function splitAtBaselines(columns: Row): Row[] {
  const [first = []] = columns;
  return first.map((start, i) => {
    const next = first[i + 1];
    const from = start.y - start.size * 0.3;
    const to = next ? next.y - next.size * 0.3 : Infinity;
    return columns.map((column) => column.filter((line) => line.y >= from && line.y < to));
  });
}

/** Keeps the rows that make a table: at least two with columns at the same places, or a single one with three short cells. */
function confirmed(rows: readonly Row[]): Row[] {
  const starts = rows.map((row) => row.map((column) => Math.min(...column.map((line) => line.x))));
  return rows.filter((row, i) => {
    const size = row[0]?.[0]?.size ?? 10;
    const alike = (j: number): boolean => {
      const shared = (starts[i] ?? []).filter((x) =>
        (starts[j] ?? []).some((other) => Math.abs(other - x) < size * ALIGNED),
      ).length;
      return j !== i && shared >= 2;
    };
    return rows.some((_, j) => alike(j)) || (row.length >= 3 && row.every((column) => column.length <= 3));
  });
}
