import { drawDiamond, drawDue } from './draw-rows.js';
import { escapeXml, round } from './svg-text.js';
import { CHART_LEFT, CHART_WIDTH, listAxisLabels, listShades, type TimeScale } from './time-scale.js';

/** Vertical extent of the rows. */
export interface RowArea {
  readonly top: number;
  readonly bottom: number;
}

/** Draws what is behind the rows: shades of days or months, a line below each row, and the axis with its lines. */
export function drawBackground(scale: TimeScale, { top, bottom }: RowArea, rowHeight: number): string {
  const shades = listShades(scale).spans.map(([first, end]) => {
    const x = scale.getDayX(first);
    return `<rect class="shade" x="${round(x)}" y="${top}" width="${round(scale.getDayX(end) - x)}" height="${bottom - top}"/>`;
  });
  const { labels, groups } = listAxisLabels(scale);
  const right = CHART_LEFT + CHART_WIDTH;
  const rows = Array.from({ length: (bottom - top) / rowHeight - 1 }, (_, index) => top + (index + 1) * rowHeight);
  const guides = rows.map((y) => `M8 ${y}H${right}`).join('');
  const lines = labels.map(({ day }) => `M${round(scale.getDayX(day))} ${top}V${bottom}`).join('');
  const groupLines = groups.map(({ day }) => `M${round(scale.getDayX(day))} ${top - 34}V${top}`).join('');
  return [
    ...shades,
    `<path class="guide" d="${guides}"/>`,
    `<path class="grid" d="${lines}${groupLines}M${CHART_LEFT} ${top}H${right}M${CHART_LEFT} ${bottom}H${right}"/>`,
    '<g class="axis">',
    ...drawLabels(groups, scale, top - 21),
    ...drawLabels(labels, scale, top - 6),
    '</g>',
  ].join('');
}

/** Labels at the beginning of their dates. One that would run over the next is left out. */
function drawLabels(
  labels: ReturnType<typeof listAxisLabels>['labels'],
  scale: TimeScale,
  y: number,
): readonly string[] {
  return labels.flatMap(({ day, text }, index) => {
    const x = scale.getDayX(day);
    const next = labels[index + 1];
    const end = next ? scale.getDayX(next.day) : CHART_LEFT + CHART_WIDTH + 20;
    return end - x < 6.2 * text.length + 6 ? [] : [`<text x="${round(x + 3)}" y="${y}">${escapeXml(text)}</text>`];
  });
}

/** Draws the legend in a line. `y`: its middle. */
export function drawLegend(scale: TimeScale, y: number): string {
  const isShadedByMonth = listShades(scale).kind === 'month';
  const bar = (x: number) => `<rect class="bar" x="${x}" y="${y - 6}" width="24" height="12" rx="2"/>`;
  const items: readonly (readonly [string, (x: number) => string])[] = [
    ['Task', bar],
    ['Critical path', (x) => `<g class="critical">${bar(x)}</g>`],
    [
      'Recurring task',
      (x) => `<path class="line" d="M${x} ${y}h24"/><path class="tick" d="M${x + 4} ${y - 6}v12m8-12v12m8-12v12"/>`,
    ],
    ['Milestone', (x) => drawDiamond(x + 12, y)],
    ['Due', (x) => drawDue(x + 12, y)],
    ['Dependency', (x) => `<path class="arrow" marker-end="url(#gantt-head)" d="M${x} ${y}h24"/>`],
    [
      isShadedByMonth ? 'Every second month' : 'Closed day',
      (x) => `<rect class="shade" x="${x}" y="${y - 8}" width="24" height="16"/>`,
    ],
  ];
  let x = 8;
  const drawn = items.map(([text, draw]) => {
    const item = `${draw(x)}<text x="${x + 30}" y="${y + 4}">${text}</text>`;
    x += 56 + 6.4 * text.length;
    return item;
  });
  return `<g class="legend">${drawn.join('')}</g>`;
}
