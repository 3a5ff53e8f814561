import { displayWidth, fit, padEnd, padStart } from './display-width.js';

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** The text of a cell, without colours. */
  readonly cell: (row: Row) => string;
  readonly paint?: (text: string, row: Row) => string;
}

/** What lies between two columns. */
const GAP = '  ';

/**
 * Rows as aligned lines under a title line. With `width`, the last column is cut so that no line is wider; without, nothing
 * is lost.
 */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { readonly width?: number | undefined; readonly title?: (text: string) => string } = {},
): string[] {
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const widths = columns.map((column, index) =>
    Math.max(displayWidth(column.title), ...cells.map((row) => displayWidth(row[index]!))),
  );
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
