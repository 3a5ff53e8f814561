import { displayWidth, fit, padEnd, padStart } from './display-width.js';

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Returns the text of a cell, without colours. */
  readonly cell: (row: Row) => string;
  /** Returns a shorter text, used in all rows if the table would be wider than the terminal. */
  readonly short?: (row: Row) => string;
  readonly paint?: (text: string, row: Row) => string;
}

const COLUMN_GAP = '  ';

/**
 * Renders rows as aligned lines below a title line. If a line would be wider than `width`, columns with a short text use it, and if
 * that is not enough the last column is cut. Without `width` nothing is cut.
 */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { readonly width?: number | undefined; readonly title?: (text: string) => string } = {},
): string[] {
  let cells = rows.map((row) => columns.map((column) => column.cell(row)));
  let widths = computeWidths(columns, cells);
  const total = widths.reduce((sum, width) => sum + width, COLUMN_GAP.length * (columns.length - 1));
  if (options.width !== undefined && total > options.width) {
    cells = rows.map((row) => columns.map(({ cell, short = cell }) => short(row)));
    widths = computeWidths(columns, cells);
  }
  const last = columns.length - 1;
  if (options.width !== undefined) {
    const before = widths.slice(0, last).reduce((sum, width) => sum + width + COLUMN_GAP.length, 0);
    widths[last] = Math.max(4, Math.min(widths[last]!, options.width - before));
  }
  const align = (text: string, index: number): string => {
    if (columns[index]!.align === 'right') return padStart(text, widths[index]!);
    return index === last ? fit(text, widths[index]!) : padEnd(text, widths[index]!);
  };
  const title = columns.map((column, index) => align(column.title, index)).join(COLUMN_GAP);
  const lines = rows.map((row, number) =>
    columns
      .map((column, index) => {
        const text = align(cells[number]![index]!, index);
        return column.paint ? column.paint(text, row) : text;
      })
      .join(COLUMN_GAP)
      .trimEnd(),
  );
  return [options.title ? options.title(title) : title, ...lines];
}

function computeWidths<Row>(columns: readonly Column<Row>[], cells: readonly (readonly string[])[]): number[] {
  return columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...cells.map((row) => displayWidth(row[index]!))),
  );
}
