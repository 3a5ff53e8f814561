import type { PdfLine } from './pdf-lines.js';

/** An element of a page: a line of running text, or a table row with the lines of each cell. */
export type PdfElement = { readonly line: PdfLine } | { readonly row: readonly (readonly PdfLine[])[] };

interface Band {
  readonly lines: PdfLine[];
  bottom: number;
}

type Row = PdfLine[][];

/** Maximum lines of a table cell; a longer column is running text. */
const MAX_CELL_LINES = 16;
/** Minimum gap between columns in units of the font size. It is small, because words on one baseline already form one line. */
const MIN_COLUMN_GAP = 0.35;
/** Maximum difference between the left edges of aligned columns in units of the font size. */
const MAX_ALIGNMENT_OFFSET = 0.7;

/**
 * Finds the table rows among the lines of one page. Groups lines into horizontal bands separated by space. A band with several
 * columns is a row if its columns are short and other rows have the same columns. All other lines keep the order of the page's
 * content stream, which keeps columns of running text separate.
 */
export function findPageElements(lines: readonly PdfLine[], leading: number): PdfElement[] {
  const rows = new Map<PdfLine, Row>();
  let table: Row[] = [];
  const closeTable = (): void => {
    for (const row of keepTableRows(table)) for (const line of row.flat()) rows.set(line, row);
    table = [];
  };
  for (const band of findBands(lines, leading)) {
    const found = findRows(band.lines);
    if (found.length === 0) closeTable();
    else table.push(...found);
  }
  closeTable();
  const done = new Set<Row>();
  return lines.flatMap((line): PdfElement[] => {
    const row = rows.get(line);
    if (!row) return [{ line }];
    if (done.has(row)) return [];
    done.add(row);
    return [{ row }];
  });
}

function findBands(lines: readonly PdfLine[], leading: number): Band[] {
  const bands: Band[] = [];
  for (const line of [...lines].sort((a, b) => a.y - b.y)) {
    const band = bands.at(-1);
    // Letters extend about three quarters of their size above the baseline and a quarter below it.
    const top = line.y - line.size * 0.75;
    const bottom = line.y + line.size * 0.25;
    if (band && top <= band.bottom + line.size * (leading - 1 + 0.2)) {
      band.lines.push(line);
      band.bottom = Math.max(band.bottom, bottom);
    } else bands.push({ lines: [line], bottom });
  }
  return bands;
}

function findColumns(lines: readonly PdfLine[]): Row {
  const columns: { lines: PdfLine[]; right: number }[] = [];
  for (const line of [...lines].sort((a, b) => a.x - b.x)) {
    const column = columns.at(-1);
    if (column && line.x <= column.right + line.size * MIN_COLUMN_GAP) {
      column.lines.push(line);
      column.right = Math.max(column.right, line.right);
    } else columns.push({ lines: [line], right: line.right });
  }
  return columns.map((column) => column.lines.sort((a, b) => a.y - b.y));
}

function findRows(lines: readonly PdfLine[]): Row[] {
  const columns = findColumns(lines);
  const [first] = columns;
  if (columns.length < 2 || !first || isRunningText(columns)) return [];
  if (columns.filter((column) => column.length > MAX_CELL_LINES).length >= 2 && !splitsAtBaselines(columns)) return [];
  return splitsAtBaselines(columns) ? splitAtBaselines(columns) : [columns];
}

/** Whether columns are running text: most lines continue a sentence, unlike table cells. */
function isRunningText(columns: Row): boolean {
  const lines = columns.flat();
  const continued = lines.filter((line) => /^\p{Ll}/u.test(line.text)).length;
  return columns.every((column) => column.length >= 4) && continued > lines.length * 0.5;
}

const isLevel = (a: PdfLine, b: PdfLine): boolean => Math.abs(a.y - b.y) < a.size * 0.3;

/** Whether rows follow each other without space: every line of the first column then has a neighbour in every other column. */
function splitsAtBaselines(columns: Row): boolean {
  const [first = [], ...others] = columns;
  return (
    first.length > 1 && others.every((column) => first.every((line) => column.some((other) => isLevel(line, other))))
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

/** Keeps the rows that form a table: at least two with aligned columns, or a single one with three or more short cells. */
function keepTableRows(rows: readonly Row[]): Row[] {
  const starts = rows.map((row) => row.map((column) => Math.min(...column.map((line) => line.x))));
  return rows.filter((row, i) => {
    const size = row[0]?.[0]?.size ?? 10;
    const isAligned = (j: number): boolean => {
      const shared = (starts[i] ?? []).filter((x) =>
        (starts[j] ?? []).some((other) => Math.abs(other - x) < size * MAX_ALIGNMENT_OFFSET),
      ).length;
      return j !== i && shared >= 2;
    };
    return rows.some((_, j) => isAligned(j)) || (row.length >= 3 && row.every((column) => column.length <= 3));
  });
}
