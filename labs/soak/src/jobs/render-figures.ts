import { renderMarkdownTable } from '@phaseline/harness';

/** Renders titles with their figures as a table, and further tables below it. */
export function renderFigures(figures: readonly (readonly [string, string])[], ...tables: readonly string[]): string {
  return `${[renderMarkdownTable(['', 'figure'], figures), ...tables].join('\n\n')}\n`;
}

/** Renders a number without decimals. */
export function renderWhole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
