import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** Draws an empty chart in the colours of the theme, as wide as its element. Draws again when the theme or the width changes. */
export function drawChart(
  element: HTMLElement,
  { title, height, syncKey }: { readonly title: string; readonly height: number; readonly syncKey: string },
): { readonly chart: uPlot; readonly stop: () => void } {
  const color = (name: string): string => resolveColor(element, name);
  const axis = {
    stroke: () => color('--muted'),
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  const chart = new uPlot(
    {
      width: Math.max(120, element.clientWidth),
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, sync: { key: syncKey } },
      scales: { y: { range: (_chart, _min, max) => [0, Math.max(1, max)] } },
      axes: [
        { ...axis, size: 22, values: (_chart, times) => times.map(formatTick) },
        {
          ...axis,
          size: 36,
          values: (_chart, counts) => counts.map((count) => (count % 1 === 0 ? String(count) : '')),
        },
      ],
      series: [
        {},
        {
          label: title,
          stroke: () => color('--accent'),
          fill: () => color('--accent-bg'),
          width: 1.5,
          points: { show: false },
        },
      ],
    },
    undefined,
    element,
  );
  const sizes = new ResizeObserver(() => chart.setSize({ width: Math.max(120, element.clientWidth), height }));
  sizes.observe(element);
  const redraw = (): void => chart.redraw();
  const theme = new MutationObserver(redraw);
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', redraw);
  return {
    chart,
    stop: () => {
      sizes.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', redraw);
      chart.destroy();
    },
  };
}

function formatTick(seconds: number): string {
  const date = new Date(seconds * 1_000);
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}

/** A canvas does not know the variables of CSS, so the browser computes the colour. */
function resolveColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
