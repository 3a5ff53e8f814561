const COLUMNS = 24;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const HEIGHTS = { stat: 4, timeseries: 8, row: 1 };

/**
 * Builds the JSON of a board. The panels of a row share its width; ids are numbered from 1, so that a change of one panel changes little of
 * the file.
 */
export function buildBoard({ uid, title, description, rows }) {
  const panels = [];
  let y = 0;
  for (const row of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      panels: [],
      ...place(0, y, COLUMNS, 'row'),
    });
    y += HEIGHTS.row;
    for (const line of chunk(row.panels, row.perLine)) {
      const width = COLUMNS / row.perLine;
      line.forEach((panel, index) =>
        panels.push(buildPanel(panel, panels.length + 1, place(index * width, y, width, panel.type))),
      );
      y += HEIGHTS[line[0].type];
    }
  }
  return {
    uid,
    title,
    description,
    tags: ['phaseline'],
    editable: true,
    schemaVersion: 41,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    panels,
  };
}

function buildPanel({ type, title, description, unit, targets, limits = [], stack = false }, id, position) {
  const steps = [
    { color: 'green', value: null },
    ...limits.map((value, index) => ({ color: ['orange', 'red'][index], value })),
  ];
  return {
    id,
    type,
    title,
    ...(description === undefined ? {} : { description }),
    datasource: DATASOURCE,
    ...position,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        ...(type === 'stat' ? { thresholds: { mode: 'absolute', steps } } : { custom: buildStyle(stack) }),
      },
      overrides: [],
    },
    options: type === 'stat' ? STAT_OPTIONS : SERIES_OPTIONS,
    targets: targets.map(([expr, legendFormat = ''], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: DATASOURCE,
      editorMode: 'code',
      expr,
      legendFormat,
      range: type !== 'stat',
      instant: type === 'stat',
    })),
  };
}

const STAT_OPTIONS = {
  colorMode: 'value',
  graphMode: 'none',
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
};
const SERIES_OPTIONS = {
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
  tooltip: { mode: 'multi', sort: 'desc' },
};

const buildStyle = (stack) => ({
  drawStyle: 'line',
  fillOpacity: stack ? 30 : 5,
  showPoints: 'never',
  stacking: { mode: stack ? 'normal' : 'none', group: 'A' },
});

const place = (x, y, w, type) => ({ gridPos: { x, y, w, h: HEIGHTS[type] } });

function chunk(items, size) {
  return items.length === 0 ? [] : [items.slice(0, size), ...chunk(items.slice(size), size)];
}
