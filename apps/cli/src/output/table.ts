import { displayWidth, fit, padEnd, padStart } from './display-width.js';

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** The text of a cell, without colours. */
  readonly cell: (row: Row) => string;
  /** A shorter text that says enough. All rows take it where the table would be wider than the terminal. */
  readonly short?: (row: Row) => string;
  readonly paint?: (text: string, row: Row) => string;
}

/** What lies between two columns. */
const GAP = '  ';

/**
 * Rows as aligned lines under a title line. With `width`, columns that have a short text take it where a line would be wider,
 * and the last column is cut where that is not enough. Without, nothing is lost.
 */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { readonly width?: number | undefined; readonly title?: (text: string) => string } = {},
): string[] {
  let cells = rows.map((row) => columns.map((column) => column.cell(row)));
  let widths = widthsOf(columns, cells);
  const total = widths.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1));
  if (options.width !== undefined && total > options.width) {
    cells = rows.map((row) => columns.map(({ cell, short = cell }) => short(row)));
    widths = widthsOf(columns, cells);
  }
  const last = columns.length - 1;
  if (options.width !== undefined) {
    const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
    widths[last] = Math.max(4, Math.min(widths[last]!, options.width - before));
  }
  const place = (text: string, index: number): string => {
    if (columns[index]!.align === 'right') return padStart(text, widths[index]!);
    return index === last ? fit(text, widths[index]!) : padEnd(text, widths[index]!);
  };
  const title = columns.map((column, index) => place(column.title, index)).join(GAP);
  const lines = rows.map((row, number) =>
    columns
      .map((column, index) => {
        const text = place(cells[number]![index]!, index);
        return column.paint ? column.paint(text, row) : text;
      })
      .join(GAP)
      .trimEnd(),
  );
  return [options.title ? options.title(title) : title, ...lines];
}

function widthsOf<Row>(columns: readonly Column<Row>[], cells: readonly (readonly string[])[]): number[] {
  return columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...cells.map((row) => displayWidth(row[index]!))),
  );
}
