import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { boardFiles, examples, readBoard, type Panel } from './expressions.js';

const script = fileURLToPath(new URL('../../scripts/grafana-boards.mjs', import.meta.url));
/** Units of Grafana that the boards use. */
const UNITS = ['short', 's', 'ops', 'currencyUSD', 'percentunit'];

it('the boards are what the script writes: node scripts/grafana-boards.mjs examples/grafana', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-boards-'));
  try {
    expect(spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect((await readdir(folder)).sort()).toEqual([...boardFiles].sort());
    for (const name of boardFiles)
      expect(await readFile(join(folder, name), 'utf8')).toBe(await readFile(`${examples}grafana/${name}`, 'utf8'));
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe.each(boardFiles)('the board %s', (name) => {
  it('has panels with ids, places, units and expressions, all on a datasource that the reader chooses', async () => {
    const { panels, templating } = await readBoard(name);
    expect(templating.list).toMatchObject([{ name: 'datasource', type: 'datasource' }]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const shown = panels.filter(({ type }) => type !== 'row');
    expect(shown.length).toBeGreaterThan(10);
    expect(new Set(shown.map(({ title }) => title)).size).toBe(shown.length);
    for (const { title, datasource, fieldConfig, targets = [] } of shown) {
      expect(datasource, title).toEqual({ type: 'prometheus', uid: '${datasource}' });
      expect(UNITS, title).toContain(fieldConfig?.defaults.unit);
      expect(targets.length, title).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
    }
  });

  it('has no panels that overlap or exceed the width', async () => {
    const { panels } = await readBoard(name);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
    const pairs = panels.flatMap((one, index) => panels.slice(index + 1).map((other) => [one, other] as const));
    expect(pairs.filter(([one, other]) => overlap(one, other))).toEqual([]);
  });
});

it('the boards can be imported beside each other', async () => {
  const boards = await Promise.all(boardFiles.map(readBoard));
  expect(new Set(boards.map(({ uid }) => uid)).size).toBe(boards.length);
  expect(new Set(boards.map(({ title }) => title)).size).toBe(boards.length);
});

function overlap({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean {
  const isApart =
    one.x + one.w <= other.x || other.x + other.w <= one.x || one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !isApart;
}
