#!/usr/bin/env node
/**
 * Writes the Grafana boards of examples/grafana: `node scripts/grafana-boards.mjs FOLDER`. A board is a list of rows of panels, and a panel
 * a title, a unit and expressions, so that the JSON, which Grafana demands, need not be edited by hand.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jobsBoard } from './grafana/jobs-board.mjs';
import { overviewBoard } from './grafana/overview-board.mjs';
import { buildBoard } from './grafana/build-board.mjs';

const boards = { 'overview.json': overviewBoard, 'jobs-models-money.json': jobsBoard };

/** Writes all boards to a folder. */
async function writeBoards(folder) {
  await mkdir(folder, { recursive: true });
  for (const [name, board] of Object.entries(boards))
    await writeFile(join(folder, name), `${JSON.stringify(buildBoard(board), undefined, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error('usage: node scripts/grafana-boards.mjs FOLDER');
    process.exit(2);
  }
  await writeBoards(folder);
}
